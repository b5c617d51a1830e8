#include "os/system/tree_signal.hpp"

#include "core/base/text.hpp"
#include "os/system/files.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

namespace orch::system {

namespace {

bool is_ours(const Tree& tree, const TreeMark& mark, const ProcessId& process) {
  const bool leader =
      !tree.boot_id.empty() && process == tree.leader && identify(process.pid) == process;
  return leader || mark.carried_by(process.pid);
}

// Calls SEND(descriptor) when CHECK still holds after a pidfd on PID was opened: a number that was
// reused in between cannot pass both. Without pidfds in the kernel, SEND(-1).
template <class Check, class Send> bool send_checked(int pid, Check check, Send send) {
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!handle && errno != ENOSYS && errno != EPERM)
    return false;  // EPERM: a seccomp filter that does not know the call
  return check() && send(handle.get());
}

bool send_signal(int descriptor, int pid, int signal) {
  if (descriptor < 0) return ::kill(pid, signal) == 0;
  return ::syscall(SYS_pidfd_send_signal, descriptor, signal, nullptr, 0) == 0;
}

void deliver(const SignalTargets& targets, const Tree& tree, const TreeMark& mark, int signal) {
  for (const TargetGroup& one : targets.groups)
    send_checked(
        one.member.pid,
        [&] { return is_ours(tree, mark, one.member) && ::getpgid(one.member.pid) == one.group; },
        [&](int) { return ::kill(-one.group, signal) == 0; });
  for (const ProcessId& one : targets.processes)
    send_checked(
        one.pid, [&] { return is_ours(tree, mark, one); },
        [&](int handle) { return send_signal(handle, one.pid, signal); });
}

Sender self() { return {::getpid(), ::getpgrp(), ::getsid(0)}; }

std::vector<ProcessFacts> all_processes(const Tree& tree, const TreeMark& mark, Search search) {
  std::vector<ProcessFacts> everyone;
  for_each_process([&](int pid) {
    const bool marked = search == Search::by_limit ? mark.in_limits_of(pid) : mark.carried_by(pid);
    if (marked || pid == tree.leader.pid) {
      auto facts = process_facts(pid);
      if (!facts) return;
      facts->marked = marked;
      everyone.push_back(*facts);
    } else if (const int group = ::getpgid(pid); group >= 0) {
      everyone.push_back({.id = {pid, 0}, .group = group, .session = ::getsid(pid)});
    }
  });
  return everyone;
}

}  // namespace

std::size_t signal_once(const Tree& tree, const TreeMark& mark, int signal, Search search,
                        std::vector<ProcessId>* found) {
  const std::vector<ProcessFacts> everyone = all_processes(tree, mark, search);
  const SignalTargets targets = choose_targets(tree, boot_id(), everyone, self());
  if (signal != 0) deliver(targets, tree, mark, signal);
  for (const ProcessFacts& one : everyone)
    if (found && one.marked && !one.ended && std::ranges::find(*found, one.id) == found->end())
      found->push_back(one.id);
  return targets.groups.size() + targets.processes.size();
}

bool any_alive(std::vector<ProcessId>& found) {
  std::erase_if(found, [](const ProcessId& one) {
    const auto facts = process_facts(one.pid);
    return !facts || facts->ended || facts->id != one;
  });
  return !found.empty();
}

namespace {

// A zombie keeps its limits until it is reaped.
bool is_alive_with(const TreeMark& mark, int pid) {
  if (!mark.in_limits_of(pid)) return false;
  const auto facts = process_facts(pid);
  return facts && !facts->ended;
}

}  // namespace

bool kill_newest(const TreeMark& mark) {
  constexpr int k_looks = 400, k_newest = 3;
  int seen = 0;
  for (int look = 0; look < k_looks; ++look) {
    const std::string load =
        read_proc("/proc/loadavg");  // its last field is the newest process number
    const int newest =
        static_cast<int>(to_integer(trim(load.substr(load.rfind(' ') + 1))).value_or(0));
    if (look > 20 && newest == seen) return false;
    seen = newest;
    for (int pid = newest; pid > std::max(1, newest - k_newest); --pid)
      if (send_checked(
              pid, [&] { return is_alive_with(mark, pid); },
              [&](int handle) { return send_signal(handle, pid, SIGKILL); }))
        return true;
  }
  return false;
}

bool signal_process(const ProcessId& process, int signal) {
  return process.pid > 1 && process.start_ticks != 0 &&
         send_checked(
             process.pid, [&] { return identify(process.pid) == process; },
             [&](int handle) { return send_signal(handle, process.pid, signal); });
}

}  // namespace orch::system
