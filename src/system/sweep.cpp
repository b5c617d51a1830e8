#include "system/sweep.hpp"

#include "base/text.hpp"
#include "system/files.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

namespace orch::system {

namespace {

bool is_ours(const Tree& tree, const Mark& mark, const ProcessId& process) {
  const bool leader =
      !tree.boot_id.empty() && process == tree.leader && identify(process.pid) == process;
  return leader || mark.carried_by(process.pid);
}

// Calls SEND(descriptor) when IS_IT still holds after the descriptor was opened: a number that was
// given away in between cannot pass both. Where the kernel has no such descriptors, SEND(-1).
template <class IsIt, class Send> bool verified(int pid, IsIt is_it, Send send) {
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!handle && errno != ENOSYS && errno != EPERM)
    return false;  // EPERM: a filter that does not know the call
  return is_it() && send(handle.get());
}

bool send_signal(int descriptor, int pid, int signal) {
  if (descriptor < 0) return ::kill(pid, signal) == 0;
  return ::syscall(SYS_pidfd_send_signal, descriptor, signal, nullptr, 0) == 0;
}

void deliver(const Targets& targets, const Tree& tree, const Mark& mark, int signal) {
  for (const TargetGroup& one : targets.groups)
    verified(
        one.member.pid,
        [&] { return is_ours(tree, mark, one.member) && ::getpgid(one.member.pid) == one.group; },
        [&](int) { return ::kill(-one.group, signal) == 0; });
  for (const ProcessId& one : targets.processes)
    verified(
        one.pid, [&] { return is_ours(tree, mark, one); },
        [&](int handle) { return send_signal(handle, one.pid, signal); });
}

Observer ourselves() { return {::getpid(), ::getpgrp(), ::getsid(0)}; }

std::vector<ProcessFacts> look_around(const Tree& tree, const Mark& mark, Look look) {
  std::vector<ProcessFacts> everyone;
  for_each_process([&](int pid) {
    const bool marked = look == Look::quick ? mark.in_limits_of(pid) : mark.carried_by(pid);
    if (marked || pid == tree.leader.pid) {
      auto facts = facts_of(pid);
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

std::size_t sweep(const Tree& tree, const Mark& mark, int signal, Look look,
                  std::vector<ProcessId>* met) {
  const std::vector<ProcessFacts> everyone = look_around(tree, mark, look);
  const Targets targets = choose_targets(tree, boot_id(), everyone, ourselves());
  if (signal != 0) deliver(targets, tree, mark, signal);
  for (const ProcessFacts& one : everyone)
    if (met && one.marked && !one.ended &&
        std::find(met->begin(), met->end(), one.id) == met->end())
      met->push_back(one.id);
  return targets.groups.size() + targets.processes.size();
}

bool any_left(std::vector<ProcessId>& met) {
  std::erase_if(met, [](const ProcessId& one) {
    const auto facts = facts_of(one.pid);
    return !facts || facts->ended || facts->id != one;
  });
  return !met.empty();
}

namespace {

// The dead keep their limits until somebody asks how they ended.
bool lives_with(const Mark& mark, int pid) {
  if (!mark.in_limits_of(pid)) return false;
  const auto facts = facts_of(pid);
  return facts && !facts->ended;
}

}  // namespace

bool chase(const Mark& mark) {
  constexpr int k_looks = 400, k_newest = 3;
  int seen = 0;
  for (int look = 0; look < k_looks; ++look) {
    const std::string load =
        read_proc("/proc/loadavg");  // its last number is the one that was given last
    const int newest =
        static_cast<int>(to_integer(trim(load.substr(load.rfind(' ') + 1))).value_or(0));
    if (look > 20 && newest == seen) return false;
    seen = newest;
    for (int pid = newest; pid > std::max(1, newest - k_newest); --pid)
      if (verified(
              pid, [&] { return lives_with(mark, pid); },
              [&](int handle) { return send_signal(handle, pid, SIGKILL); }))
        return true;
  }
  return false;
}

bool signal_process(const ProcessId& process, int signal) {
  return process.pid > 1 && process.start_ticks != 0 &&
         verified(
             process.pid, [&] { return identify(process.pid) == process; },
             [&](int handle) { return send_signal(handle, process.pid, signal); });
}

}  // namespace orch::system
