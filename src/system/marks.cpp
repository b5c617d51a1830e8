#include "system/marks.hpp"

#include "base/text.hpp"
#include "system/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>

namespace orch::system {

namespace {

// A limit somebody set on purpose is smaller; every token but one in 65,536 gives a larger one.
constexpr std::uint64_t k_least_mark = std::uint64_t{1} << 44;

// NEEDLE stands in TEXT with BEFORE (or the text's begin) to its left and one of AFTER (or the
// text's end) to its right.
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

// Of a process of somebody else, whose limits only /proc tells.
std::optional<std::uint64_t> told_limit(int pid) {
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

std::optional<std::uint64_t> limit_mark(const std::string& token) {
  std::uint64_t value = 0;
  if (token.size() != 16 || token[0] != 'o') return std::nullopt;
  const auto [end, error] =
      std::from_chars(token.data() + 1, token.data() + token.size(), value, 16);
  if (error != std::errc() || end != token.data() + token.size() || value < k_least_mark)
    return std::nullopt;
  return value;
}

Mark::Mark(const Tree& tree) : limit_(limit_mark(tree.token)) {
  if (!tree.token.empty()) cookie_ = std::string(k_token_variable) + "=" + tree.token;
  if (!tree.cgroup.empty()) cgroup_ = tree.cgroup.substr(tree.cgroup.rfind('/') + 1);
}

bool Mark::in_limits_of(int pid) const {
  if (!limit_) return false;
  rlimit limit{};
  if (::prlimit(pid, RLIMIT_LOCKS, nullptr, &limit) == 0)
    return limit.rlim_cur == *limit_ || limit.rlim_max == *limit_;
  return errno == EPERM && told_limit(pid) == limit_;
}

bool Mark::carried_by(int pid) const {
  if (in_limits_of(pid)) return true;
  if (!cgroup_.empty() &&
      holds_word(read_proc(fmt::format("/proc/{}/cgroup", pid)), cgroup_, '/', "/\n"))
    return true;
  return !cookie_.empty() && holds_word(read_proc(fmt::format("/proc/{}/environ", pid)), cookie_,
                                        '\0', std::string_view("\0", 1));
}

std::set<std::string> tokens_below(int parent) {
  std::set<std::string> tokens;
  for_each_process([&](int pid) {
    const auto facts = facts_of(pid);
    if (!facts || facts->parent != parent) return;
    rlimit limit{};
    const std::string by_limit = ::prlimit(pid, RLIMIT_LOCKS, nullptr, &limit) == 0
                                     ? fmt::format("o{:015x}", limit.rlim_cur)
                                     : "";
    if (limit_mark(by_limit)) tokens.insert(by_limit);
    const std::string cookie = std::string(k_token_variable) + "=";
    for (const std::string& variable : split(read_proc(fmt::format("/proc/{}/environ", pid)), '\0'))
      if (variable.starts_with(cookie) && is_token(variable.substr(cookie.size())))
        tokens.insert(variable.substr(cookie.size()));
  });
  return tokens;
}

std::optional<ProcessFacts> facts_of(int pid, const std::string& proc) {
  const std::string stat = read_proc(fmt::format("{}/{}/stat", proc, pid));
  const auto name_end = stat.rfind(')');  // the name may itself hold spaces and parentheses
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return std::nullopt;
  // From field 3 on: state, parent, group, session, ... and field 22, the start.
  const std::vector<std::string> fields =
      split(trim(std::string_view(stat).substr(name_end + 2)), ' ');
  if (fields.size() < 20) return std::nullopt;
  auto number = [&](std::size_t field) { return to_integer(fields[field - 3]).value_or(0); };
  // A process whose first thread has ended is called a zombie though others go on, or die still.
  const bool ended = (fields[0] == "Z" || fields[0] == "X") && number(20) <= 1;
  return ProcessFacts{.id = {pid, static_cast<std::uint64_t>(number(22))},
                      .group = static_cast<int>(number(5)),
                      .session = static_cast<int>(number(6)),
                      .ended = ended,
                      .marked = false,
                      .parent = static_cast<int>(number(4)),
                      .has_terminal = number(7) != 0};
}

void for_each_process(const std::function<void(int pid)>& see, const std::string& proc) {
  DIR* folder = ::opendir(proc.c_str());
  if (!folder) return;
  const int us = own_pid(proc);
  while (const dirent* entry = ::readdir(folder))
    if (const auto pid = to_integer(entry->d_name); pid && *pid != us) see(static_cast<int>(*pid));
  ::closedir(folder);
}

int own_pid(const std::string& proc) {
  char text[16];
  const ssize_t length = ::readlink((proc + "/self").c_str(), text, sizeof text);
  return static_cast<int>(
      to_integer(std::string_view(text, length > 0 ? static_cast<std::size_t>(length) : 0))
          .value_or(::getpid()));
}

}  // namespace orch::system
