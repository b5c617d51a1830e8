// A cgroup v2 for a process tree, below the cgroup of the calling process. Knows no marks.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <string>

namespace orch::system {

// The folder of the cgroup of TOKEN, whether it exists or not; "" where there is no cgroup v2.
std::string cgroup_of(const std::string& token);
// Creates FOLDER. Returns its open cgroup.procs: a process that writes "0" there enters the cgroup.
// An error leaves no folder behind.
Result<Descriptor> make_cgroup(const std::string& folder);
// Whether a process is in FOLDER or below it. False when it does not exist.
bool cgroup_populated(const std::string& folder);
// Asks the kernel to kill every process in FOLDER. False: the kernel is older than 5.14; the cgroup
// is then frozen, so that nothing forks while its processes are killed one by one.
bool kill_cgroup(const std::string& folder);
// Removes FOLDER and the cgroups below it. A missing folder is no error; a populated one stays.
void remove_cgroup(const std::string& folder);

}  // namespace orch::system
