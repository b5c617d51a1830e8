#include "run/attempt/failure.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <regex>

#include <fmt/format.h>

namespace orch::attempt {

namespace {

using Class = FailureClass;

// The reason is near the end of a log. Lines are truncated, because std::regex recurses with their
// length.
constexpr std::size_t k_log_bytes = 64 << 10;
constexpr std::size_t k_line_bytes = 1000;
constexpr std::size_t k_quoted_bytes = 300;
constexpr double k_most_retry_after_s = 3600;
constexpr std::string_view k_out_of_memory =
    " after the kernel ran out of memory and killed a process";

struct Line {
  std::string_view text;
  std::string lower;
};

// A warning in glog's form, as tritonserver writes it: "W1121 09:29:38.843413 225 file.cc:273]
// ...". The program survived it: without a GPU, tritonserver warns that the CUDA driver is too old,
// and serves anyway.
bool is_warning(std::string_view line) {
  auto digit = [&](std::size_t at) { return line[at] >= '0' && line[at] <= '9'; };
  return line.size() > 8 && line[0] == 'W' && digit(1) && digit(2) && digit(3) && digit(4) &&
         line[5] == ' ' && digit(6) && digit(7) && line[8] == ':';
}

std::vector<Line> lines_of(std::string_view log) {
  if (log.size() > k_log_bytes) log.remove_prefix(log.size() - k_log_bytes);
  std::vector<Line> lines;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    const std::string_view cut = trim(line).substr(0, k_line_bytes);
    if (!cut.empty() && !is_warning(cut)) lines.push_back({cut, lower(cut)});
  }
  return lines;
}

const std::regex& compiled(const Cause& cause) {
  static const std::vector<std::regex> patterns = [] {
    std::vector<std::regex> all;
    for (const Cause& one : failure_causes())
      all.emplace_back(std::string(one.pattern), std::regex::ECMAScript | std::regex::optimize);
    return all;
  }();
  return patterns[static_cast<std::size_t>(&cause - failure_causes().data())];
}

bool matches(const Line& line, const Cause& cause, int code) {
  if (cause.by_engine && !is_of_engine(line.lower, code)) return false;
  if (!cause.text.empty() && line.lower.find(cause.text) == std::string::npos) return false;
  return cause.pattern.empty() || std::regex_search(line.lower, compiled(cause));
}

// The last line that matches, because the program may have survived earlier ones.
const Line* last_match(const std::vector<Line>& lines, const Cause& cause, int code) {
  const auto line = std::find_if(lines.rbegin(), lines.rend(),
                                 [&](const Line& one) { return matches(one, cause, code); });
  return line == lines.rend() ? nullptr : &*line;
}

bool matches_end(const execute::Ended& ended, const Cause& cause) {
  return (cause.code == k_any || cause.code == ended.code) &&
         (cause.signal == k_any || cause.signal == ended.signal) &&
         (!cause.oom_killed || ended.oom_killed) && (!cause.guardian_lost || ended.guardian_lost) &&
         (!cause.abandoned || ended.abandoned);
}

// Whether LINE may explain an end by KILL or TERM. A program that sent itself the signal wrote the
// reason just before; if the reason is further up, the program survived it, and another process
// sent the signal.
bool may_decide(const execute::Ended& ended, const Cause& cause, const Line& line,
                const std::vector<Line>& lines) {
  constexpr std::ptrdiff_t k_last_words = 5;
  const bool by_signal = ended.signal == SIGKILL || ended.signal == SIGTERM ||
                         ended.code == 128 + SIGKILL || ended.code == 128 + SIGTERM;
  if (!by_signal || ended.oom_killed || traits_of(cause.failure).kind == FailureKind::harness)
    return true;
  return &lines.back() - &line < k_last_words;
}

std::string how_it_ended(const execute::Ended& ended) {
  if (ended.abandoned)
    return "was ended by its guardian: no orchestrator came back within the grace period";
  if (ended.guardian_lost) return "lost its guardian; how it ended is unknown";
  std::string how = ended.signal ? fmt::format("was ended by signal {} ({})", ended.signal,
                                               ::strsignal(ended.signal))
                                 : fmt::format("ended with exit status {}", ended.code);
  if (ended.oom_killed) how += k_out_of_memory;
  return how;
}

// The seconds of "Retry-After: 120" or "retry after 2 minutes", at most an hour. A date is ignored:
// the server's clock may differ.
std::optional<double> retry_after(const std::vector<Line>& lines) {
  static const std::regex pattern(
      "(?:retry[- ]after|try again (?:in|after)|retry in)[\"']?\\s*[:=]?\\s*[\"']?"
      "(\\d{1,9})(\\.\\d{1,9})?(\\s*(?:m\\b|min))?");
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    std::smatch match;
    if (!std::regex_search(line->lower, match, pattern)) continue;
    const double number = to_real(match[1].str() + match[2].str()).value_or(0);
    return std::min(k_most_retry_after_s, match[3].matched ? 60 * number : number);
  }
  return std::nullopt;
}

Verdict verdict(const Cause& cause, const execute::Ended& ended, const Line* line,
                const std::vector<Line>& lines) {
  Verdict verdict{cause.failure, how_it_ended(ended)};
  if (line) verdict.message += ": " + printable(line->text.substr(0, k_quoted_bytes));
  // Only if the cause is a server's answer: in other logs these words have another meaning.
  if (cause.failure == Class::rate_limited || cause.failure == Class::server_error)
    verdict.retry_after_s = retry_after(lines);
  return verdict;
}

struct Row {
  int number;
  FailureClass failure;
};

constexpr Row k_rows[] = {
    {ENOSPC, Class::disk_full},
    {EDQUOT, Class::disk_quota},
    {EROFS, Class::read_only},
    {EFBIG, Class::file_size_limit},
    {EMFILE, Class::too_many_files},
    {ENFILE, Class::too_many_files},
    {EACCES, Class::no_access},
    {EPERM, Class::no_access},
    // EBADMSG: a wrong checksum in a file system.
    {EIO, Class::io_error},
    {EBADMSG, Class::io_error},
    {EUCLEAN, Class::io_error},
    {EREMOTEIO, Class::io_error},
    {ENODEV, Class::io_error},
    {ENXIO, Class::io_error},
    {ESTALE, Class::io_error},  // this and the next two are errors of a network file system
    {ETIMEDOUT, Class::io_error},
    {ENOTCONN, Class::io_error},
};

}  // namespace

bool holds(const Cause& cause, const execute::Ended& ended, std::string_view log) {
  const std::vector<Line> lines = lines_of(log);
  return matches_end(ended, cause) && (!cause.reads_log() || last_match(lines, cause, ended.code));
}

namespace {

Verdict by_table(const execute::Ended& ended, std::string_view log) {
  const std::vector<Line> lines = lines_of(log);
  for (const Cause& cause : failure_causes()) {
    if (!matches_end(ended, cause)) continue;
    if (!cause.reads_log()) return verdict(cause, ended, nullptr, lines);
    const Line* line = last_match(lines, cause, ended.code);
    if (line && may_decide(ended, cause, *line, lines)) return verdict(cause, ended, line, lines);
  }
  return verdict(Cause{.failure = ended.signal ? Class::crashed : Class::exit_status}, ended,
                 nullptr, lines);
}

// The verdict that follows from a cluster's report on the end of the job; nullopt if none does.
std::optional<Verdict> placed(const execute::Ended& ended) {
  if (!ended.refused.empty()) return Verdict{Class::not_placed, printable(ended.refused)};
  struct Meaning {
    std::string_view state;
    FailureClass failure;
  };
  constexpr Meaning k_meanings[] = {
      {"TIMEOUT", Class::job_time_limit}, {"DEADLINE", Class::job_time_limit},
      {"NODE_FAIL", Class::node_lost},    {"BOOT_FAIL", Class::node_lost},
      {"PREEMPTED", Class::node_lost},    {"CANCELLED", Class::job_cancelled},
      {"OUT_OF_MEMORY", Class::host_oom}};
  for (const Meaning& one : k_meanings)
    if (one.state == ended.job_state)
      return Verdict{one.failure, fmt::format("its job ended as {}{}", ended.job_state,
                                              ended.node.empty() ? "" : " on " + ended.node)};
  // After TERM, the way in which a program ends says nothing about the program.
  if (ended.stopped_by_slurm)
    return Verdict{Class::killed_externally,
                   fmt::format("Slurm told its job{} to stop, and did not say why",
                               ended.node.empty() ? "" : " on " + ended.node)};
  return std::nullopt;
}

}  // namespace

Verdict classify(const execute::Ended& ended, std::string_view log) {
  if (auto by_cluster = placed(ended)) return *std::move(by_cluster);
  Verdict found = by_table(ended, log);
  if (!traits_of(found.failure).vague) return found;
  if (auto machine = machine_failure(ended)) return *std::move(machine);
  return found;
}

std::optional<Verdict> machine_failure(const execute::Ended& ended) {
  if (ended.log_error != 0)
    return Verdict{class_of_number(ended.log_error, Class::io_error),
                   fmt::format("{}: bytes of its log were lost: {}", how_it_ended(ended),
                               std::strerror(ended.log_error))};
  if (!ended.full_disk.empty())
    return Verdict{Class::disk_full, fmt::format("{}: the file system of {} was full",
                                                 how_it_ended(ended), printable(ended.full_disk))};
  return std::nullopt;
}

bool is_outdated(const RecordedFailure& failure) {
  return failure.judged_by != failure_table_digest();
}

std::optional<FailureClass> harness_class_of(const RecordedFailure& failure, std::string_view log) {
  if (failure.failure_class == to_string(Class::output_missing))
    return class_of_message(failure.message);
  execute::Ended ended = failure.ended;
  // If the message differs, the scheduler had ended the attempt or blamed its server.
  if (!failure.message.starts_with(how_it_ended(ended))) return std::nullopt;
  if (failure.message.find(k_out_of_memory) != std::string_view::npos) ended.oom_killed = true;
  const FailureClass judged = classify(ended, log).failure;
  if (traits_of(judged).kind != FailureKind::harness) return std::nullopt;
  return judged;
}

double Backoff::delay_s(int failures, double random) const {
  // The bound leaves room for the jitter, so that the longest delays are spread as well.
  const double longest = most_s / (1 + jitter);
  const double delay = std::min(longest, first_s * std::pow(factor, std::max(0, failures - 1)));
  return delay * (1 + jitter * (2 * random - 1));
}

FailureClass class_of_number(int number, FailureClass otherwise) {
  const auto row =
      std::ranges::find_if(k_rows, [&](const Row& one) { return one.number == number; });
  return row == std::end(k_rows) ? otherwise : row->failure;
}

FailureClass class_of(const Error& error, FailureClass otherwise) {
  return class_of_number(error.number, otherwise);
}

std::optional<FailureClass> class_of_message(std::string_view message) {
  const std::string_view line = message.substr(0, message.find('\n'));
  if (!line.starts_with("cannot ")) return std::nullopt;
  const auto row = std::ranges::find_if(k_rows, [&](const Row& one) {
    return line.ends_with(std::string(": ") + std::strerror(one.number));
  });
  return row == std::end(k_rows) ? std::nullopt : std::optional(row->failure);
}

}  // namespace orch::attempt
