#include "os/system/file_system.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace orch::system {

namespace {

struct SharedType {
  std::uint32_t type;  // from statfs(2) and the kernel's linux/magic.h
  const char* name;
};

// What lies behind FUSE and 9P is unknown: a local disk, or the files of another host.
constexpr SharedType k_shared_types[] = {
    {0x6969, "NFS"},        {0x517b, "SMB"},        {0xfe534d42, "SMB"},
    {0xff534d42, "CIFS"},   {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"}, {0x00c36400, "CephFS"}, {0x5346414f, "AFS"},
    {0x6b414653, "AFS"},    {0x01021997, "9P"},     {0x65735546, "FUSE"},
    {0x01161970, "GFS2"},   {0x7461636f, "OCFS2"},  {0x20030528, "OrangeFS"},
    {0x73757245, "Coda"},   {0xaad7aaea, "PanFS"},  {0x786f4256, "a shared folder of VirtualBox"},
};

}  // namespace

FileSystem file_system_of(std::uint32_t type) {
  const auto known =
      std::ranges::find_if(k_shared_types, [&](const SharedType& one) { return one.type == type; });
  if (known == std::end(k_shared_types)) return {};
  return {.name = known->name, .is_shared = true};
}

bool is_writable(const std::string& folder) { return ::access(folder.c_str(), W_OK) == 0; }

}  // namespace orch::system
