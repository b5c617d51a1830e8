// How a child comes to be: by a fork that copies nothing, or as the second process of a PID
// namespace. Knows no trees.
#pragma once

#include "base/result.hpp"
#include "system/files.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <sys/resource.h>
#include <sys/types.h>

namespace orch::system {

enum class LaunchStep { none, enter_cgroup, enter_work, run };

// All that the child needs: nothing may be allocated once it is there.
struct Child {
  const char* program = nullptr;  // a path
  char* const* argv = nullptr;
  char* const* env = nullptr;
  const char* work = nullptr;
  int input = -1;   // becomes descriptor 0
  int output = -1;  // becomes 1
  int errors = -1;  // becomes 2
  int cgroup = -1;  // takes the "0" that moves its writer in
  std::optional<std::uint64_t> limit_mark;
  // How far it came when it failed.
  LaunchStep failed = LaunchStep::none;
  int error = 0;
};

// Returns once CHILD runs its program, or has failed and is reaped: then 0, and CHILD says why. It
// leads its own session, has default dispositions, no blocked signal and no descriptor but 0, 1
// and 2.
pid_t launch(Child& child);

// How the leader in a PID namespace ended, as its init tells it.
struct NamespaceExit {
  int status = 0;
  rusage usage{};
};

struct NamespaceLaunch {
  pid_t init = 0;
  Descriptor
      report;  // NamespaceExit is read from it once init has ended; nothing when init was killed
};

// Starts CHILD below an init of its own: process 1 of a new PID namespace, which ends when this
// process does, reaps, hands on signals from outside to all in it, and ends when CHILD does; with
// it ends all that is left. Where we lack the right, in a user namespace in which we are who we
// are.
Result<NamespaceLaunch> launch_in_namespace(Child& child);

// Where processes outside of the PID namespace that we were launched in can be looked at too, by
// the numbers that they have there; "/proc" where we are in none of ours.
std::string host_proc();

// Closes every descriptor from FIRST on, or marks it to be closed by exec.
void close_from(int first, bool by_exec);

}  // namespace orch::system
