// The kinds of containment, and which of them work on this host.
#include "os/system/cgroup.hpp"
#include "os/system/launch.hpp"
#include "os/system/process.hpp"

#include <unistd.h>

namespace orch::system {

namespace {

constexpr Containment k_strongest_first[] = {Containment::cgroup, Containment::pid_namespace,
                                             Containment::session};

// A child that fails at its last step, because its program does not exist.
Child probe() {
  static char* const k_nothing[] = {nullptr};
  Child child;
  child.program = "/nowhere/orchestrate-probe";
  child.argv = child.env = k_nothing;
  child.work = "/";
  child.input = STDIN_FILENO;
  child.output = child.errors = STDERR_FILENO;
  return child;
}

bool reached_exec(const Child& child) {
  return child.failed == LaunchStep::run && child.error == ENOENT;
}

bool cgroup_works() {
  const std::string folder = cgroup_of(new_token());
  if (folder.empty()) return false;
  auto procs = make_cgroup(folder);
  if (!procs) return false;
  Child child = probe();
  child.cgroup = procs->get();
  launch(child);
  kill_cgroup(folder);
  remove_cgroup(folder);
  return reached_exec(child) && ::access(folder.c_str(), F_OK) != 0;
}

bool pid_namespace_works() {
  Child child = probe();
  return launch_in_namespace(child) && reached_exec(child);
}

}  // namespace

bool is_available(Containment containment) {
  switch (containment) {
    case Containment::cgroup: {
      static const bool works = cgroup_works();
      return works;
    }
    case Containment::pid_namespace: {
      static const bool works = pid_namespace_works();
      return works;
    }
    case Containment::session: return true;
  }
  return false;
}

Containment strongest_containment() {
  return *std::ranges::find_if(k_strongest_first, is_available);
}

}  // namespace orch::system
