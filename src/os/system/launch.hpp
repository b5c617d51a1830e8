// Starts a child process: by a vfork-like clone, or as the second process of a new PID namespace.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <sys/resource.h>
#include <sys/types.h>

namespace orch::system {

// The executable NAME: a path, or found on the PATH of ENV. ErrorKind::not_found if there is none.
Result<std::string> find_program(const std::string& name,
                                 const std::map<std::string, std::string>& env);

enum class LaunchStep { none, map_users, enter_cgroup, enter_work, run };

// The step of a launch that failed, and its errno.
struct LaunchFailure {
  LaunchStep step = LaunchStep::none;
  int error = 0;
};

// Why PROGRAM could not be run in the folder WORK.
Error launch_error(const std::string& program, const LaunchFailure& failure,
                   const std::string& work);

// Everything the child needs, prepared in advance, because it must not allocate memory.
struct Child {
  const char* program = nullptr;  // a path
  char* const* argv = nullptr;
  char* const* env = nullptr;
  const char* work = nullptr;
  int input = -1;   // becomes descriptor 0
  int output = -1;  // becomes 1
  int errors = -1;  // becomes 2
  int cgroup = -1;  // an open cgroup.procs, see make_cgroup()
  std::optional<std::uint64_t> limit_mark;
  LaunchFailure failure = {};
};

// Returns the pid once CHILD runs its program. 0: it failed and has been reaped; CHILD.failure says
// why. The child leads its own session, has default signal dispositions, no blocked signals, and no
// descriptors except 0, 1 and 2.
pid_t launch(Child& child);

// How the leader in a PID namespace ended, as reported by the namespace's init.
struct NamespaceExit {
  int status = 0;
  rusage usage{};
};

struct NamespaceLaunch {
  pid_t init = 0;
  // One NamespaceExit can be read once init has ended; nothing if init was killed.
  Descriptor report;
};

// Starts CHILD below its own init, process 1 of a new PID namespace. Init ends with the calling
// thread, reaps orphans, forwards signals to every process of the namespace, and exits when CHILD
// does, which kills every remaining process. Without the privilege to create the namespace, it is
// created inside a user namespace that maps this user to itself. If CHILD fails, or the map is
// refused, CHILD.failure says why, and the result is empty.
Result<NamespaceLaunch> launch_in_namespace(Child& child);

// A /proc that shows all processes of the host under the host's numbers, even inside a PID
// namespace of launch_in_namespace(); otherwise "/proc".
std::string host_proc();

// Two functions for a child between fork and exec; they only make system calls. The first sets the
// resource limit that marks a tree, if there is a MARK. The second restores default signal
// dispositions and unblocks all signals.
void set_limit_mark(std::optional<std::uint64_t> mark);
void use_default_signals();

// Closes every descriptor from FIRST on, or with BY_EXEC marks them close-on-exec.
void close_from(int first, bool by_exec);

// A cgroup v2 for a process tree, below the cgroup of the calling process.

// The folder of the cgroup of TOKEN, whether it exists or not; "" without cgroup v2.
std::string cgroup_of(const std::string& token);
// Creates FOLDER and returns its open cgroup.procs: a process that writes "0" to it enters the
// cgroup. An error leaves no folder behind.
Result<Descriptor> make_cgroup(const std::string& folder);
// Whether a process is in FOLDER or below it. False if FOLDER does not exist.
bool cgroup_populated(const std::string& folder);
// Makes the kernel kill every process in FOLDER. False: the kernel is older than 5.14; the cgroup
// is then frozen, so that nothing forks while its processes are killed one by one.
bool kill_cgroup(const std::string& folder);
// Removes FOLDER and the cgroups below it. A missing folder is not an error; a populated one stays.
void remove_cgroup(const std::string& folder);

}  // namespace orch::system
