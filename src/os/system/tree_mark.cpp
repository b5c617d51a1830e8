#include "os/system/tree_mark.hpp"

#include "core/base/text.hpp"
#include "os/system/proc.hpp"

#include <sys/resource.h>

#include <charconv>

namespace orch::system {

namespace {

// A limit that a user set is smaller; all but one in 65,536 tokens give a larger one.
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

// For a process of another user: prlimit() is refused there, /proc is not.
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

}  // namespace

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

}  // namespace orch::system
