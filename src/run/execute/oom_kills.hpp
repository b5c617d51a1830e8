// Whether the kernel killed a process of a tree for lack of memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace orch::execute {

// Construct it before the tree starts.
class OomKills {
 public:
  // VMSTAT: the file with the count of the whole host.
  explicit OomKills(std::string vmstat = "/proc/vmstat");

  // CGROUP: the folder of the tree's cgroup, or "". If it has no count of its own, because its
  // memory controller is off or belongs to cgroup v1, or without a cgroup, a kill anywhere on the
  // host since the construction counts.
  bool any(const std::string& cgroup) const;

 private:
  std::string vmstat_;
  std::optional<std::uint64_t> before_;
};

}  // namespace orch::execute
