// The kind of file system below a folder, and the rights of this process there. Reads no file.
#pragma once

#include <cstdint>
#include <string>

namespace orch::system {

struct FileSystem {
  std::string name{};      // "NFS"; "" for those that are not in the list of file_system_of()
  bool is_shared = false;  // several hosts may use it: shared memory reaches no other host there
};

// TYPE: f_type of statfs(2).
FileSystem file_system_of(std::uint32_t type);
// Whether this process may create files in FOLDER.
bool is_writable(const std::string& folder);

}  // namespace orch::system
