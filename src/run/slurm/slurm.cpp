#include "run/slurm/slurm.hpp"

#include "core/base/text.hpp"
#include "os/system/run_to_end.hpp"
#include "os/system/topology/cpus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include <fmt/format.h>

namespace orch::slurm {

namespace {

// The reason comes last, because it may contain any character; the names of our jobs do not contain
// the separator.
constexpr std::string_view k_format = "%F|%K|%T|%N|%j|%r";
constexpr std::size_t k_fields = 6;

// The prefix of the batch in a job's name. A job's comment is not used instead: some sites charge
// by it, and the accounting of few sites keeps it.
constexpr std::string_view k_job_name = "orchestrate-";

constexpr std::string_view k_over[] = {"COMPLETED", "FAILED",        "CANCELLED",   "TIMEOUT",
                                       "NODE_FAIL", "PREEMPTED",     "BOOT_FAIL",   "DEADLINE",
                                       "REVOKED",   "OUT_OF_MEMORY", "SPECIAL_EXIT"};

std::optional<JobState> parse_job(std::string_view line) {
  std::array<std::string, k_fields> fields;
  for (std::size_t i = 0; i < k_fields; ++i) {
    const std::size_t end = i + 1 < k_fields ? line.find('|') : std::string_view::npos;
    if (i + 1 < k_fields && end == std::string_view::npos) return std::nullopt;
    fields[i] = std::string(line.substr(0, end));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  if (!fields[4].starts_with(k_job_name)) return std::nullopt;
  JobState job{.id = fields[0],
               .batch = fields[4].substr(k_job_name.size()),
               .state = fields[2],
               .nodes = fields[3],
               .reason = fields[5] == "None" ? "" : fields[5]};
  if (const auto index = to_integer(fields[1])) {
    job.index = static_cast<int>(*index);
    job.id += "_" + fields[1];
  }
  return job;
}

constexpr double k_command_s = 60, k_sacct_s = 30;
constexpr std::size_t k_most_listed_bytes = 64 << 20;  // 100,000 jobs and more
constexpr std::size_t k_most_ids = 500;                // on one command line

// IDS in parts that fit on a command line.
std::vector<std::vector<std::string>> parts_of(const std::vector<std::string>& ids) {
  std::vector<std::vector<std::string>> parts;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i % k_most_ids == 0) parts.emplace_back();
    parts.back().push_back(ids[i]);
  }
  return parts;
}

bool says_no_answer(const std::string& text) {
  for (const char* words : {"Unable to contact", "Connection refused", "Connection timed out",
                            "Socket timed out", "Zero Bytes were transmitted", "Connection reset",
                            "temporarily un", "missing socket", "standby mode", "authentication"})
    if (text.find(words) != std::string::npos) return true;
  return false;
}

// The limit on queued jobs that TEXT names, such as "AssocMaxSubmitJobLimit"; "" if it names none.
// The sentence that Slurm prints after the name is not used: it also covers limits that do not go
// away.
std::string submit_limit(const std::string& text) {
  constexpr std::string_view k_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const std::size_t at = text.find("SubmitJob");
  if (at == std::string::npos) return "";
  const std::size_t before = text.find_last_not_of(k_letters, at);
  const std::size_t from = before == std::string::npos ? 0 : before + 1;
  return text.substr(from, text.find_first_not_of(k_letters, at) - from);
}

// Slurm refuses a job with two options of the same kind.
constexpr std::string_view k_cpu_options[] = {"--cpus-per-task", "-c", "--cpus-per-gpu"};
constexpr std::string_view k_memory_options[] = {"--mem", "--mem-per-cpu", "--mem-per-gpu"};

// Whether one of WORDS is an option in OPTIONS, whose value may be the next argument. The value of
// a short option may follow it directly.
bool requests_one_of(const std::vector<std::string>& words,
                     std::span<const std::string_view> options) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::any_of(options, [&](std::string_view option) {
      return option.starts_with("--") ? word.substr(0, word.find('=')) == option
                                      : word.starts_with(option);
    });
  });
}

// The seconds that an agent needs to end a tree and to record how it ended.
double signal_ahead_s(const execute::Place& place) { return std::ceil(place.stop_s) + 10; }

// The harm that the reserved sbatch options would do if a site set them.
constexpr std::string_view k_not_found = "jobs could not be submitted and found again";
constexpr std::string_view k_not_run = "sbatch would submit nothing";
constexpr std::string_view k_not_begun = "jobs would wait, and the run with them";
constexpr std::string_view k_not_read = "the output of a job would not be found";
constexpr std::string_view k_not_ours = "a job would be another user's, or without its variables";
constexpr OwnOption k_own_options[] = {
    {"--array", "-a", k_not_found},
    {"--clusters", "-M", k_not_found},
    {"--cluster", "", k_not_found},
    {"--job-name", "-J", k_not_found},
    {"--parsable", "", k_not_found},
    {"--quiet", "-Q", k_not_found},
    {"--wait", "-W", k_not_found},
    {"--wrap", "", k_not_found},
    {"--requeue", "", "a job would run twice"},
    {"--no-requeue", "", "the option would be given twice"},
    {"--test-only", "", k_not_run},
    {"--help", "-h", k_not_run},
    {"--usage", "", k_not_run},
    {"--version", "-V", k_not_run},
    {"--hold", "-H", k_not_begun},
    {"--begin", "-b", k_not_begun},
    {"--dependency", "-d", k_not_begun},
    {"--output", "-o", k_not_read},
    {"--error", "-e", k_not_read},
    {"--open-mode", "", k_not_read},
    {"--input", "-i", k_not_read},
    {"--chdir", "-D", k_not_read},
    {"--uid", "", k_not_ours},
    {"--gid", "", k_not_ours},
    {"--export", "", k_not_ours},
    {"--export-file", "", k_not_ours},
    {"--get-user-env", "", k_not_ours},
    {":", "", "a job would be heterogeneous"},
};

constexpr double k_silence_s = 20;

std::string array_of(const JobState& job) { return job.id.substr(0, job.id.find('_')); }

// "12_[0-3,7]", quoted for a shell: to Slurm, "12" alone means the whole array.
std::string element_ids(const std::vector<const JobState*>& jobs) {
  system::CpuSet elements;  // formatted like a list of cores
  for (const JobState* job : jobs) elements.insert(job->index.value_or(0));
  return fmt::format("'{}_[{}]'", array_of(*jobs.front()), system::cpu_list(elements));
}

// JOBS are one job, or several of an array that are held for the same reason.
std::string held_text(const std::vector<const JobState*>& jobs) {
  const JobState& first = *jobs.front();
  const bool one = jobs.size() == 1;
  const std::string ids = one ? first.id : element_ids(jobs);
  const std::string they =
      one ? fmt::format("job {} of Slurm is", first.id)
          : fmt::format("{} jobs of array {} of Slurm are", jobs.size(), array_of(first));
  const std::string_view them = one ? "it" : "them";
  if (!first.can_be_released())
    return fmt::format(
        "{} waiting ({}) and will not start: no node offers what {}; correct `slurm:` of the site "
        "file or `resources` of the stage, `scancel {}` ends {}",
        they, first.reason, one ? "it requests" : "they request", ids, them);
  return fmt::format(
      "{} held ({}) and will not start: `scontrol release {}` lets {} start, `scancel {}` ends {}",
      they, first.reason, ids, them, ids, them);
}

}  // namespace

std::string job_name(const std::string& batch) { return std::string(k_job_name) + batch; }

bool JobState::is_over() const { return contains(k_over, state); }

bool JobState::is_held() const {
  constexpr std::string_view k_impossible[] = {"DependencyNeverSatisfied", "PartitionNodeLimit",
                                               "BadConstraints"};
  return can_be_released() || (waits() && std::ranges::any_of(k_impossible, [&](auto word) {
                                 return reason.find(word) != std::string::npos;
                               }));
}

bool JobState::can_be_released() const {
  return waits() &&
         (reason.find("held") != std::string::npos || reason.find("Held") != std::string::npos);
}

bool says_why(std::string_view state) {
  return contains(k_over, state) && state != "COMPLETED" && state != "FAILED";
}

std::vector<std::string> squeue_words() {
  return {"squeue",  "--me",     "--noheader",         "--states=all",
          "--array", "--format", std::string(k_format)};
}

std::vector<JobState> parse_jobs(std::string_view text) {
  std::vector<JobState> jobs;
  for (const std::string& line : split(text, '\n'))
    if (auto job = parse_job(line)) jobs.push_back(std::move(*job));
  return jobs;
}

std::vector<std::string> sacct_words(const std::vector<std::string>& ids) {
  return {"sacct",  "--noheader",   "--parsable2", "--allocations",
          "--jobs", join(ids, ","), "--format",    "JobID,State,NodeList,JobName"};
}

std::vector<JobState> parse_accounted(std::string_view text) {
  std::vector<JobState> jobs;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> fields = split(line, '|');
    if (fields.size() != 4 || !fields[3].starts_with(k_job_name)) continue;
    JobState job{.id = fields[0],
                 .batch = fields[3].substr(k_job_name.size()),
                 .state = fields[1].substr(0, fields[1].find(' ')),  // "CANCELLED by 1000"
                 .nodes = fields[2] == "None assigned" ? "" : fields[2]};
    if (const std::size_t at = job.id.find('_'); at != std::string::npos) {
      const auto index = to_integer(std::string_view(job.id).substr(at + 1));
      if (!index) continue;  // "34_[2-5]": several that never began
      job.index = static_cast<int>(*index);
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::string parse_submitted(std::string_view text) {
  std::string found;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view id = trim(std::string_view(line).substr(0, line.find(';')));
    if (!id.empty() && std::ranges::all_of(id, [](char c) { return is_digit(c); })) found = id;
  }
  return found;
}

std::map<std::string, std::string> slurm_environment(
    const std::map<std::string, std::string>& environment) {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : environment)
    if (name == "PATH" || name == "HOME" || name == "USER" || name == "LANG" ||
        name == "SLURM_CONF" || name.starts_with("ORCHESTRATE_KILL") || name == "SLURM_CLUSTERS" ||
        name == "LD_LIBRARY_PATH")
      out[name] = value;
  return out;
}

TimeLimit time_limit_of(const execute::Place& place) {
  if (place.seconds <= 0) return {};
  constexpr double k_early_s = 60;  // Slurm may send its signals up to a minute early
  const double ahead_s = signal_ahead_s(place) + k_early_s;
  // Adds nothing for a server: its time limit is set by the site.
  const double seconds = place.seconds + (place.is_server ? 0 : ahead_s);
  return {.minutes = static_cast<int>(std::ceil(seconds / 60)), .ahead_s = ahead_s};
}

std::vector<std::string> place_words(const execute::Place& place, const std::string& gres,
                                     const std::vector<std::string>& site) {
  std::vector<std::string> words = {
      fmt::format("--nodes={}", place.nodes),
      place.ranks > 1 ? fmt::format("--ntasks-per-node={}", place.ranks / place.nodes)
                      : "--ntasks=1"};
  if (place.gpus > 0) words.push_back(fmt::format("--gres={}:{}", gres, place.gpus / place.nodes));
  if (place.cores > 0 && !requests_one_of(site, k_cpu_options))
    words.push_back(
        fmt::format("--cpus-per-task={}", (place.cores + place.ranks - 1) / place.ranks));
  if (place.alone) words.emplace_back("--exclusive");
  if ((place.memory_gib > 0 || place.alone) && !requests_one_of(site, k_memory_options))
    words.push_back(place.alone ? "--mem=0"  // all of the node's memory
                                : fmt::format("--mem={:.0f}M",
                                              std::ceil(place.memory_gib * 1024 / place.nodes)));
  if (const TimeLimit limit = time_limit_of(place); limit.minutes > 0)
    words.push_back(fmt::format("--time={}", limit.minutes));
  words.push_back(fmt::format("--signal=B:TERM@{:.0f}", signal_ahead_s(place)));
  return words;
}

Result<std::string> RealSlurm::run(const std::vector<std::string>& argv, double within_s) const {
  ORCH_ASSIGN(const system::CommandResult ran,
              system::run_to_end(processes_, clock_,
                                 {.argv = argv,
                                  .env = environment_,
                                  .timeout_s = within_s,
                                  .most_output_bytes = k_most_listed_bytes}));
  // It is unknown whether the request was carried out.
  if (ran.end != system::CommandResult::End::exited || ran.signal != 0)
    return Error{ErrorKind::unavailable,
                 ran.signal != 0
                     ? fmt::format("{} was ended by signal {}", argv.front(), ran.signal)
                     : fmt::format("{} did not end within {:g} s", argv.front(), within_s)};
  if (ran.code == 0) return ran.output;
  if (const std::string limit = submit_limit(ran.errors); !limit.empty())
    return Error{ErrorKind::conflict, printable(limit)};
  return Error{says_no_answer(ran.errors) ? ErrorKind::unavailable : ErrorKind::io,
               fmt::format("{}: {}", argv.front(), printable(ran.reason()))};
}

Result<std::string> RealSlurm::submit(const Submission& submission) {
  std::vector<std::string> argv = {"sbatch",
                                   "--parsable",
                                   "--export=ALL",
                                   "--no-requeue",
                                   "--open-mode=append",
                                   "--job-name=" + submission.name,
                                   "--comment=" + submission.comment,
                                   "--output=" + submission.output};
  if (submission.tasks > 1) argv.push_back(fmt::format("--array=0-{}", submission.tasks - 1));
  argv.insert(argv.end(), submission.options.begin(), submission.options.end());
  argv.push_back(submission.script);
  ORCH_ASSIGN(const std::string said, run(argv, k_command_s));
  if (std::string id = parse_submitted(said); !id.empty()) return id;
  return Error{ErrorKind::unavailable,
               fmt::format("sbatch printed {} instead of a job id", quoted(trim(said)))};
}

Result<std::vector<JobState>> RealSlurm::jobs() {
  ORCH_ASSIGN(const std::string said, run(squeue_words(), k_command_s));
  return parse_jobs(said);
}

Status RealSlurm::cancel(const std::vector<std::string>& ids) {
  for (std::vector<std::string>& argv : parts_of(ids)) {
    argv.insert(argv.begin(), {"scancel", "--quiet"});
    ORCH_TRY(run(argv, k_command_s));
  }
  return {};
}

Result<std::vector<JobState>> RealSlurm::accounted(const std::vector<std::string>& ids) {
  std::vector<JobState> jobs;
  for (const std::vector<std::string>& some : parts_of(ids)) {
    ORCH_ASSIGN(const std::string said, run(sacct_words(some), k_sacct_s));
    for (JobState& job : parse_accounted(said)) jobs.push_back(std::move(job));
  }
  return jobs;
}

// Long options may be abbreviated, and a value may directly follow a short one.
const OwnOption* own_option(std::string_view word) {
  constexpr std::size_t k_least = 4;
  const std::string_view name = word.substr(0, word.find('='));
  for (const OwnOption& own : k_own_options)
    if (own.name == name ||
        (name.size() >= k_least && name.starts_with("--") && own.name.starts_with(name)) ||
        (!own.letter.empty() && word.starts_with(own.letter)))
      return &own;
  return nullptr;
}

void Notices::look(const std::vector<JobState>& waiting) {
  std::map<std::string, std::string> held;
  std::map<std::pair<std::string, std::string>, std::vector<const JobState*>> news;
  for (const JobState& job : waiting) {
    if (!job.is_held()) continue;
    held[job.id] = job.reason;
    const auto known = held_.find(job.id);
    if (known == held_.end() || known->second != job.reason)
      news[{array_of(job), job.reason}].push_back(&job);
  }
  held_ = std::move(held);
  for (const auto& [array_and_reason, jobs] : news) tell_(held_text(jobs));
}

void Notices::answered(bool is_answer, double now_s) {
  if (!is_answer) silent_since_s_ = std::min(silent_since_s_, now_s);
  if (is_answer) {
    if (std::exchange(told_silent_, false)) tell_("the controller of Slurm answers again");
    silent_since_s_ = std::numeric_limits<double>::infinity();
  } else if (!told_silent_ && now_s >= silent_since_s_ + k_silence_s) {
    told_silent_ = true;
    tell_(
        fmt::format("the controller of Slurm has not answered for {:.0f} s; running jobs go on, "
                    "but nothing new starts until it does",
                    now_s - silent_since_s_));
  }
}

}  // namespace orch::slurm
