// Starts a child process: by a vfork-like clone, or as the second process of a new PID namespace.
// Knows no trees.
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

// The program NAME: a path, or found on the PATH of ENV. Empty: there is none that can be executed.
std::optional<std::string> find_program(const std::string& name,
                                        const std::map<std::string, std::string>& env);

enum class LaunchStep { none, enter_cgroup, enter_work, run };

// All that the child needs, prepared before: it must not allocate memory.
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
  // The step that failed, and its errno.
  LaunchStep failed = LaunchStep::none;
  int error = 0;
};

// Returns the pid once CHILD runs its program. 0: it failed and is reaped; CHILD.failed and
// CHILD.error say why. The child leads its own session, has default signal dispositions, no blocked
// signal, and no descriptor but 0, 1 and 2.
pid_t launch(Child& child);

// How the leader in a PID namespace ended, as reported by its init.
struct NamespaceExit {
  int status = 0;
  rusage usage{};
};

struct NamespaceLaunch {
  pid_t init = 0;
  // One NamespaceExit can be read once init has ended; nothing when init was killed.
  Descriptor report;
};

// Starts CHILD below an init of its own, process 1 of a new PID namespace. Init ends with the
// calling thread, reaps orphans, forwards signals to every process of the namespace, and ends when
// CHILD ends, which kills every process left. Without the right to do so, the namespace is created
// inside a user namespace that maps this user to itself.
Result<NamespaceLaunch> launch_in_namespace(Child& child);

// A /proc that shows the processes of the whole host under the host's numbers, even from inside a
// PID namespace of launch_in_namespace(); "/proc" elsewhere.
std::string host_proc();

// For a child between fork and exec, as they make only system calls: sets the resource limit that
// marks a tree, if there is a MARK, and sets default signal dispositions with no signal blocked.
void set_limit_mark(std::optional<std::uint64_t> mark);
void use_default_signals();

// Closes every descriptor from FIRST on; BY_EXEC: marks them close-on-exec instead.
void close_from(int first, bool by_exec);

// A cgroup v2 for a process tree, below the cgroup of the calling process. Knows no marks.

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
