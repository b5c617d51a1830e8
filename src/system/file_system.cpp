#include "system/file_system.hpp"

#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace orch::system {

bool is_on_network(const std::string& folder) {
  // From statfs(2).
  static constexpr std::uint32_t k_network[] = {
      0x6969,      // NFS
      0x517b,      // SMB
      0xfe534d42,  // SMB2
      0xff534d42,  // CIFS
      0x0bd00bd0,  // Lustre
      0x47504653,  // GPFS
      0x19830326,  // BeeGFS
      0x00c36400,  // Ceph
      0x5346414f,  // AFS
  };
  struct statfs facts {};
  if (::statfs(folder.c_str(), &facts) != 0) return false;
  return std::find(std::begin(k_network), std::end(k_network),
                   static_cast<std::uint32_t>(facts.f_type)) != std::end(k_network);
}

bool is_writable(const std::string& folder) { return ::access(folder.c_str(), W_OK) == 0; }

}  // namespace orch::system
