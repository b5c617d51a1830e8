// The cgroup of this process.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orch::system {

struct OwnCgroup {
  std::string mount;   // where its file system is mounted
  std::string folder;  // of the cgroup: MOUNT or a folder below it
};

// In the file system of CONTROLLER of cgroup v1, or with "" of cgroup v2. nullopt if it is not
// visible here. PROC: the folder /proc.
std::optional<OwnCgroup> own_cgroup(std::string_view controller, const std::string& proc = "/proc");

}  // namespace orch::system
