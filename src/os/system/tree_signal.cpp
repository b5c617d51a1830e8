#include "os/system/tree_signal.hpp"

#include "core/base/text.hpp"
#include "os/system/files.hpp"

#include <charconv>
#include <csignal>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace orch::system {

namespace {

bool is_leader(const Tree& tree, const ProcessFacts& one) {
  return !tree.boot_id.empty() && one.id.start_ticks != 0 && one.id == tree.leader;
}

// Groups that contain a process outside the tree, and the groups of this process's session.
std::set<int> mixed_groups(const Tree& tree, std::span<const ProcessFacts> everyone,
                           const Sender& sender) {
  std::set<int> mixed = {0, 1, sender.group};
  for (const ProcessFacts& one : everyone)
    if (one.session == sender.session || !(one.marked || is_leader(tree, one)))
      mixed.insert(one.group);
  return mixed;
}

// A limit that a user set is smaller; the mark of a new token is larger.
constexpr std::uint64_t k_least_mark = std::uint64_t{1} << 44;

// Whether TEXT contains NEEDLE between BEFORE, or the beginning of the text, and one of AFTER, or
// the end of the text.
bool holds_word(std::string_view text, std::string_view needle, char before,
                std::string_view after) {
  for (std::size_t at = text.find(needle); at != std::string_view::npos;
       at = text.find(needle, at + 1)) {
    const std::size_t end = at + needle.size();
    if ((at == 0 || text[at - 1] == before) &&
        (end == text.size() || after.find(text[end]) != std::string_view::npos))
      return true;
  }
  return false;
}

// For another user's process: prlimit() is refused, but /proc is readable.
std::optional<std::uint64_t> limit_in_proc(int pid) {
  const std::string limits = read_proc(fmt::format("/proc/{}/limits", pid));
  constexpr std::string_view k_row = "Max file locks";
  const std::size_t row = limits.find(k_row);
  if (row == std::string::npos) return std::nullopt;
  const std::size_t from = limits.find_first_not_of(' ', row + k_row.size());
  std::uint64_t value = 0;
  if (from == std::string::npos ||
      std::from_chars(limits.data() + from, limits.data() + limits.size(), value).ec != std::errc())
    return std::nullopt;
  return value;
}

bool is_ours(const Tree& tree, const TreeMark& mark, const ProcessId& process) {
  const bool leader =
      !tree.boot_id.empty() && process == tree.leader && identify(process.pid) == process;
  return leader || mark.carried_by(process.pid);
}

// Calls SEND(descriptor) if CHECK still holds after a pidfd on PID was opened: a pid reused in
// between cannot pass both. If the kernel has no pidfds (before Linux 5.3), SEND(-1).
template <class Check, class Send> bool send_checked(int pid, Check check, Send send) {
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!handle && errno != ENOSYS && errno != EPERM)
    return false;  // EPERM: a seccomp filter that does not know the call
  return check() && send(handle.get());
}

bool send_signal(int descriptor, int pid, int signal) {
  if (descriptor >= 0 && ::syscall(SYS_pidfd_send_signal, descriptor, signal, nullptr, 0) == 0)
    return true;
  return (descriptor < 0 || errno == ENOSYS) && ::kill(pid, signal) == 0;
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

std::string read_proc(const std::string& path) {
  std::string text;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return text;
  char part[16384];
  for (ssize_t n = ::read(file.get(), part, sizeof part); n > 0;
       n = ::read(file.get(), part, sizeof part))
    text.append(part, static_cast<std::size_t>(n));
  return text;
}

std::vector<std::string> stat_fields(const std::string& path) {
  const std::string stat = read_proc(path);
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return {};
  return split(trim(std::string_view(stat).substr(name_end + 2)), ' ');
}

std::optional<ProcessFacts> process_facts(int pid, const std::string& proc) {
  // State, parent, group, session, ... and field 22, the start time.
  const std::vector<std::string> fields = stat_fields(fmt::format("{}/{}/stat", proc, pid));
  if (fields.size() < 20) return std::nullopt;
  auto number = [&](std::size_t field) { return to_integer(fields[field - 3]).value_or(0); };
  // The kernel shows a process as a zombie once its first thread has ended, while other threads
  // may still run or exit.
  const bool ended = (fields[0] == "Z" || fields[0] == "X") && number(20) <= 1;
  return ProcessFacts{.id = {pid, static_cast<std::uint64_t>(number(22))},
                      .group = static_cast<int>(number(5)),
                      .session = static_cast<int>(number(6)),
                      .ended = ended,
                      .marked = false,
                      .parent = static_cast<int>(number(4)),
                      .has_terminal = number(7) != 0};
}

void for_each_process(const std::function<void(int pid)>& visit, const std::string& proc) {
  const int self = own_pid(proc);
  for_each_number(proc, [&](int pid) {
    if (pid != self) visit(pid);
  });
}

void for_each_number(const std::string& folder, const std::function<void(int number)>& visit) {
  DIR* entries = ::opendir(folder.c_str());
  if (!entries) return;
  while (const dirent* entry = ::readdir(entries))
    if (const auto number = to_integer(entry->d_name)) visit(static_cast<int>(*number));
  ::closedir(entries);
}

int own_pid(const std::string& proc) {
  char text[16];
  const ssize_t length = ::readlink((proc + "/self").c_str(), text, sizeof text);
  return static_cast<int>(
      to_integer(std::string_view(text, length > 0 ? static_cast<std::size_t>(length) : 0))
          .value_or(::getpid()));
}

bool may_be_alive(const Tree& tree, const std::string& boot_id) {
  return tree.boot_id.empty() || tree.boot_id == boot_id;
}

SignalTargets choose_targets(const Tree& tree, const std::string& boot_id,
                             std::span<const ProcessFacts> everyone, const Sender& sender) {
  SignalTargets targets;
  if (!may_be_alive(tree, boot_id)) return targets;
  const std::set<int> mixed = mixed_groups(tree, everyone, sender);
  std::set<int> taken;
  for (const ProcessFacts& one : everyone) {
    if (one.ended || one.id.pid <= 1 || one.id.pid == sender.pid ||
        !(one.marked || is_leader(tree, one)))
      continue;
    if (mixed.contains(one.group)) targets.processes.push_back(one.id);
    else if (taken.insert(one.group).second) targets.groups.push_back({one.group, one.id});
  }
  return targets;
}

std::optional<std::uint64_t> limit_mark(const std::string& token) {
  std::uint64_t value = 0;
  if (token.size() != 16 || token[0] != 'o') return std::nullopt;
  const auto [end, error] =
      std::from_chars(token.data() + 1, token.data() + token.size(), value, 16);
  if (error != std::errc() || end != token.data() + token.size() || value < k_least_mark)
    return std::nullopt;
  return value;
}

TreeMark::TreeMark(const Tree& tree) : limit_(limit_mark(tree.token)) {
  if (!tree.token.empty()) variable_ = std::string(k_token_variable) + "=" + tree.token;
  if (!tree.cgroup.empty()) cgroup_ = tree.cgroup.substr(tree.cgroup.rfind('/') + 1);
}

bool TreeMark::in_limits_of(int pid) const {
  if (!limit_) return false;
  rlimit limit{};
  if (::prlimit(pid, RLIMIT_LOCKS, nullptr, &limit) == 0)
    return limit.rlim_cur == *limit_ || limit.rlim_max == *limit_;
  return errno == EPERM && limit_in_proc(pid) == limit_;
}

bool TreeMark::carried_by(int pid) const {
  if (in_limits_of(pid)) return true;
  if (!cgroup_.empty() &&
      holds_word(read_proc(fmt::format("/proc/{}/cgroup", pid)), cgroup_, '/', "/\n"))
    return true;
  return !variable_.empty() && holds_word(read_proc(fmt::format("/proc/{}/environ", pid)),
                                          variable_, '\0', std::string_view("\0", 1));
}

std::set<std::string> tokens_of_children(int parent) {
  std::set<std::string> tokens;
  for_each_process([&](int pid) {
    const auto facts = process_facts(pid);
    if (!facts || facts->parent != parent) return;
    rlimit limit{};
    const std::string by_limit = ::prlimit(pid, RLIMIT_LOCKS, nullptr, &limit) == 0
                                     ? fmt::format("o{:015x}", limit.rlim_cur)
                                     : "";
    if (limit_mark(by_limit)) tokens.insert(by_limit);
    const std::string begin = std::string(k_token_variable) + "=";
    for (const std::string& variable : split(read_proc(fmt::format("/proc/{}/environ", pid)), '\0'))
      if (variable.starts_with(begin) && is_token(variable.substr(begin.size())))
        tokens.insert(variable.substr(begin.size()));
  });
  return tokens;
}

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
  std::erase_if(found, std::not_fn(is_running));
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
    const std::string load = read_proc("/proc/loadavg");  // its last field is the newest pid
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
