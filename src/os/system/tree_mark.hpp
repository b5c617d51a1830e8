// The marks by which the processes of a tree are found wherever they went: set at launch, inherited
// by fork and exec. Reads /proc; sends no signal.
#pragma once

#include "os/system/process.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace orch::system {

// The value of RLIMIT_LOCKS that marks the processes of TOKEN: the token's 60 bits. Empty when
// TOKEN does not have the form of new_token(), or is so small that a user may have set that limit.
std::optional<std::uint64_t> limit_mark(const std::string& token);

class TreeMark {
 public:
  explicit TreeMark(const Tree& tree);
  // By the resource limit alone: cheap, and true is certain.
  bool in_limits_of(int pid) const;
  // Also by marks that cost more to read: the cgroup and the environment.
  bool carried_by(int pid) const;

 private:
  std::optional<std::uint64_t> limit_;
  std::string variable_;  // NAME=TOKEN as in the environment
  std::string cgroup_;
};

// The tokens of trees whose leaders, or orphans, are children of PARENT.
std::set<std::string> tokens_of_children(int parent);

}  // namespace orch::system
