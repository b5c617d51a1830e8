// The marks by which the processes of a tree are found, wherever they went: set by launch,
// inherited by fork and exec. Reads /proc; signals nobody.
#pragma once

#include "system/targets.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace orch::system {

// The number that the processes of TOKEN carry as RLIMIT_LOCKS: the token's 60 bits. Nothing for a
// token that has another form than new_token() gives it, or that would be a limit somebody might
// have set.
std::optional<std::uint64_t> limit_mark(const std::string& token);

class Mark {
 public:
  explicit Mark(const Tree& tree);
  // Cheap; true is certain.
  bool in_limits_of(int pid) const;
  // Also by what costs more to read: its cgroup, its environment.
  bool carried_by(int pid) const;

 private:
  std::optional<std::uint64_t> limit_;
  std::string cookie_;
  std::string cgroup_;
};

// Of the trees whose leaders, or orphans, are children of PARENT.
std::set<std::string> tokens_below(int parent);

// All but its mark. Nothing when there is no such process. PROC is where it is looked at: /proc, or
// that of the host.
std::optional<ProcessFacts> facts_of(int pid, const std::string& proc = "/proc");
// Calls back for each process, this one left out.
void for_each_process(const std::function<void(int pid)>& see, const std::string& proc = "/proc");
// The number that this process has in PROC.
int own_pid(const std::string& proc);
// "" when it is not there.
std::string read_proc(const std::string& path);

}  // namespace orch::system
