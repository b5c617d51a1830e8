// A cgroup v2 folder of its own for a tree, below the one that we stand in. Knows no marks.
#pragma once

#include "base/result.hpp"
#include "system/files.hpp"

#include <string>

namespace orch::system {

// The folder a tree of TOKEN has or would have; "" where there is no cgroup v2.
std::string cgroup_of(const std::string& token);
// Makes FOLDER; what is returned takes the "0" that moves its writer in.
Result<Descriptor> make_cgroup(const std::string& folder);
bool cgroup_populated(const std::string& folder);
// Asks the kernel to kill all that is in it. False: this kernel cannot (before 5.14); then it
// stands frozen, so that nothing forks while it is killed one by one.
bool kill_cgroup(const std::string& folder);
// With those that were made below it. One that is not there is fine; one that is not empty stays.
void remove_cgroup(const std::string& folder);

}  // namespace orch::system
