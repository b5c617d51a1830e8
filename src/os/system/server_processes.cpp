#include "os/system/server_processes.hpp"

#include "core/base/text.hpp"
#include "os/system/clock.hpp"
#include "os/system/launch.hpp"

#include <charconv>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch::system {

namespace {

constexpr double k_least_wall_s = 0.05;  // CPU time is counted in hundredths of a second
constexpr std::string_view k_listen_state = "0A";
constexpr std::string_view k_proxy = "docker-proxy";

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (const std::string& word : split(line, ' '))
    if (!word.empty()) words.push_back(word);
  return words;
}

// HEX: an address as in /proc/net/tcp, in 32-bit words in native byte order.
bool is_loopback_or_any(std::string_view hex) {
  if (hex.find_first_not_of('0') == std::string_view::npos) return true;
  if (hex.size() == 8) return hex.substr(6) == "7F";
  constexpr std::string_view k_loopback = "00000000000000000000000001000000",
                             k_mapped = "0000000000000000FFFF0000";
  return hex == k_loopback || (hex.starts_with(k_mapped) && hex.substr(30) == "7F");
}

bool is_any_address(std::string_view) { return true; }

// Adds the inodes of the sockets in TABLE that listen on PORT of an address accepted by COUNTS.
void add_sockets(const std::string& table, std::uint16_t port, bool (*counts)(std::string_view),
                 std::set<std::string>& inodes) {
  for (const std::string& line : split(read_proc(table), '\n')) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() < 10 || words[3] != k_listen_state) continue;
    const std::size_t colon = words[1].find(':');
    if (colon == std::string::npos) continue;
    unsigned number = 0;
    const char* end = words[1].data() + words[1].size();
    if (std::from_chars(words[1].data() + colon + 1, end, number, 16).ptr != end || number != port)
      continue;
    if (counts(std::string_view(words[1]).substr(0, colon))) inodes.insert(words[9]);
  }
}

bool holds_one(const std::string& proc, int pid, const std::set<std::string>& inodes) {
  const std::string folder = fmt::format("{}/{}/fd", proc, pid);
  DIR* fds = ::opendir(folder.c_str());
  if (!fds) return false;
  bool holds = false;
  char target[64];
  while (const dirent* entry = holds ? nullptr : ::readdir(fds)) {
    const ssize_t length = ::readlinkat(::dirfd(fds), entry->d_name, target, sizeof target);
    const std::string_view text(target, length > 0 ? static_cast<std::size_t>(length) : 0);
    constexpr std::string_view k_begin = "socket:[";
    if (text.starts_with(k_begin) && text.ends_with(']'))
      holds = inodes.contains(
          std::string(text.substr(k_begin.size(), text.size() - k_begin.size() - 1)));
  }
  ::closedir(fds);
  return holds;
}

std::vector<ProcessFacts> everyone(const std::string& proc) {
  std::vector<ProcessFacts> all;
  for_each_process(
      [&](int pid) {
        if (auto facts = process_facts(pid, proc)) all.push_back(*facts);
      },
      proc);
  return all;
}

// User and system time of all threads of PID, without its reaped children: those are counted as
// separate processes.
std::optional<double> cpu_s(const std::string& proc, int pid) {
  const std::vector<std::string> fields = stat_fields(fmt::format("{}/{}/stat", proc, pid));
  if (fields.size() < 13) return std::nullopt;
  static const auto k_ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return static_cast<double>(to_integer(fields[11]).value_or(0) +
                             to_integer(fields[12]).value_or(0)) /
         k_ticks;
}

std::uint64_t rss_bytes(const std::string& proc, int pid) {
  static const auto k_page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::vector<std::string> words =
      words_of(trim(read_proc(fmt::format("{}/{}/statm", proc, pid))));
  return words.size() < 2 ? 0
                          : static_cast<std::uint64_t>(to_integer(words[1]).value_or(0)) * k_page;
}

}  // namespace

namespace {

std::map<int, std::string> holders_of(std::uint16_t port, bool (*counts)(std::string_view)) {
  const std::string proc = host_proc();
  std::set<std::string> inodes;
  for (const char* table : {"/net/tcp", "/net/tcp6"})
    add_sockets(proc + table, port, counts, inodes);
  std::map<int, std::string> holders;
  if (inodes.empty()) return holders;
  for_each_process(
      [&](int pid) {
        if (holds_one(proc, pid, inodes))
          holders[pid] = trim(read_proc(fmt::format("{}/{}/comm", proc, pid)));
      },
      proc);
  return holders;
}

}  // namespace

std::set<int> listeners_on(std::uint16_t port) {
  std::set<int> pids;
  for (const auto& [pid, name] : holders_of(port, is_loopback_or_any))
    if (name != k_proxy) pids.insert(pid);
  return pids;
}

std::map<int, std::string> all_listeners_on(std::uint16_t port) {
  return holders_of(port, is_any_address);
}

std::set<int> server_tree(std::span<const ProcessFacts> everyone, const std::set<int>& listeners,
                          int self) {
  std::map<int, const ProcessFacts*> by_pid;
  for (const ProcessFacts& one : everyone) by_pid.emplace(one.id.pid, &one);
  const auto find = [&](int pid) {
    const auto found = by_pid.find(pid);
    return found == by_pid.end() ? nullptr : found->second;
  };
  std::set<int> ancestors{self};
  for (const ProcessFacts* one = find(self); one && ancestors.insert(one->parent).second;)
    one = find(one->parent);

  std::set<int> tree;
  for (const int listener : listeners) {
    const ProcessFacts* top = find(listener);
    if (!top) continue;
    while (const ProcessFacts* parent = find(top->parent)) {
      const bool shell = parent->has_terminal && parent->id.pid == parent->session;
      if (parent->session != top->session || parent->id.pid <= 1 ||
          ancestors.contains(parent->id.pid) || shell || parent == top)
        break;
      top = parent;
    }
    tree.insert(top->id.pid);
  }
  // Repeats until nothing is added: a parent may have a higher pid than its child.
  for (bool grew = !tree.empty(); grew;) {
    grew = false;
    for (const ProcessFacts& one : everyone)
      if (one.id.pid != self && tree.contains(one.parent))
        grew = tree.insert(one.id.pid).second || grew;
  }
  return tree;
}

ServerProcesses::ServerProcesses(std::span<const std::uint16_t> ports) : proc_(host_proc()) {
  for (const std::uint16_t port : ports) {
    const std::set<int> pids = listeners_on(port);
    if (pids.empty()) unseen_.push_back(port);
    listeners_.insert(pids.begin(), pids.end());
  }
}

std::set<int> ServerProcesses::tree() const {
  if (listeners_.empty()) return {};
  const int self = own_pid(proc_);
  std::vector<ProcessFacts> all = everyone(proc_);
  if (const auto own = process_facts(self, proc_)) all.push_back(*own);
  return server_tree(all, listeners_, self);
}

void ServerProcesses::look() {
  if (listeners_.empty()) return;
  const double at_s = kernel_seconds(CLOCK_MONOTONIC);
  std::uint64_t rss = 0;
  int count = 0;
  for (const int pid : tree()) {
    const auto facts = process_facts(pid, proc_);
    const auto cpu = cpu_s(proc_, pid);
    if (!facts || !cpu) continue;
    // A process that appears after the first look has spent all its time since then.
    const auto [seen, fresh] = seen_.try_emplace(
        facts->id, Seen{.first_cpu_s = looks_ == 0 ? *cpu : 0, .last_cpu_s = *cpu});
    seen->second.last_cpu_s = *cpu;
    rss += rss_bytes(proc_, pid);
    ++count;
  }
  if (count == 0) return;  // the server is gone: the last look that found it counts
  if (looks_++ == 0) first_s_ = at_s;
  last_s_ = at_s;
  processes_ = count;
  rss_bytes_peak_ = std::max(rss_bytes_peak_, rss);
}

std::optional<ServerUse> ServerProcesses::use() const {
  if (looks_ < 2 || last_s_ - first_s_ < k_least_wall_s) return std::nullopt;
  ServerUse use{.wall_s = last_s_ - first_s_,
                .cpu_s = 0,
                .rss_bytes_peak = rss_bytes_peak_,
                .processes = processes_};
  for (const auto& [id, seen] : seen_) use.cpu_s += seen.last_cpu_s - seen.first_cpu_s;
  return use;
}

std::optional<std::string> environment_of(int pid, std::string_view name) {
  for (const std::string& variable :
       split(read_proc(fmt::format("{}/{}/environ", host_proc(), pid)), '\0'))
    if (variable.size() > name.size() && variable.starts_with(name) && variable[name.size()] == '=')
      return variable.substr(name.size() + 1);
  return std::nullopt;
}

}  // namespace orch::system
