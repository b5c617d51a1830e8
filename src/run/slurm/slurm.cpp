#include "run/slurm/slurm.hpp"

#include "core/base/text.hpp"
#include "os/system/run_to_end.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace orch::slurm {

namespace {

constexpr double k_command_s = 60;
constexpr std::size_t k_most_listed_bytes = 64 << 20;  // 100,000 jobs and more
constexpr std::size_t k_most_ids = 500;                // on one command line

bool says_no_answer(const std::string& text) {
  for (const char* words : {"Unable to contact", "Connection refused", "Connection timed out",
                            "Socket timed out", "Zero Bytes were transmitted", "Connection reset",
                            "temporarily un", "missing socket", "standby mode", "authentication"})
    if (text.find(words) != std::string::npos) return true;
  return false;
}

// The limit on jobs in the queue that TEXT names, such as "AssocMaxSubmitJobLimit"; "" for none.
// Slurm's own sentence behind it stands for other limits as well, which stay.
std::string submit_limit(const std::string& text) {
  constexpr std::string_view k_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const std::size_t at = text.find("SubmitJob");
  if (at == std::string::npos) return "";
  const std::size_t before = text.find_last_not_of(k_letters, at);
  const std::size_t from = before == std::string::npos ? 0 : before + 1;
  return text.substr(from, text.find_first_not_of(k_letters, at) - from);
}

// Slurm refuses a job with two of a kind.
constexpr std::string_view k_cpu_options[] = {"--cpus-per-task", "-c", "--cpus-per-gpu"};
constexpr std::string_view k_memory_options[] = {"--mem", "--mem-per-cpu", "--mem-per-gpu"};

// Whether one of WORDS is an option in OPTIONS, whose value may be a word of its own. That of a
// short one may follow at once.
bool requests_one_of(const std::vector<std::string>& words,
                     std::span<const std::string_view> options) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::any_of(options, [&](std::string_view option) {
      return option.starts_with("--") ? word.substr(0, word.find('=')) == option
                                      : word.starts_with(option);
    });
  });
}

// Time to end a tree and to write how it ended.
double signal_ahead_s(const execute::Place& place) { return std::ceil(place.stop_s) + 10; }

// Options of sbatch that are ours to set, and what one of a site would do.
constexpr std::string_view k_not_found = "jobs could not be submitted and found again";
constexpr std::string_view k_not_run = "sbatch would submit nothing";
constexpr std::string_view k_not_begun = "jobs would wait, and the run with them";
constexpr std::string_view k_not_read = "what a job says would not be found";
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
    {"--no-requeue", "", "it is there already"},
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
    {":", "", "a job would have components"},
};

}  // namespace

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
  constexpr double k_early_s = 60;  // Slurm's signals come up to a minute early
  const double ahead_s = signal_ahead_s(place) + k_early_s;
  // The time of a server is the site's own.
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
    words.push_back(place.alone ? "--mem=0"  // all that the node has
                                : fmt::format("--mem={:.0f}M",
                                              std::ceil(place.memory_gib * 1024 / place.nodes)));
  if (const TimeLimit limit = time_limit_of(place); limit.minutes > 0)
    words.push_back(fmt::format("--time={}", limit.minutes));
  words.push_back(fmt::format("--signal=B:TERM@{:.0f}", signal_ahead_s(place)));
  return words;
}

Result<std::string> RealSlurm::run(const std::vector<std::string>& argv) const {
  ORCH_ASSIGN(const system::CommandResult ran,
              system::run_to_end(processes_, clock_,
                                 {.argv = argv,
                                  .env = environment_,
                                  .timeout_s = k_command_s,
                                  .most_output_bytes = k_most_listed_bytes}));
  // What it asked for may have been done.
  if (ran.end != system::CommandResult::End::exited || ran.signal != 0)
    return Error{ErrorKind::unavailable,
                 ran.signal != 0
                     ? fmt::format("{} was ended by signal {}", argv.front(), ran.signal)
                     : fmt::format("{} did not end within {:g} s", argv.front(), k_command_s),
                 {}};
  if (ran.code == 0) return ran.output;
  if (const std::string limit = submit_limit(ran.errors); !limit.empty())
    return Error{ErrorKind::conflict, printable(limit), {}};
  return Error{says_no_answer(ran.errors) ? ErrorKind::unavailable : ErrorKind::io,
               fmt::format("{}: {}", argv.front(), printable(ran.reason())),
               {}};
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
  ORCH_ASSIGN(const std::string said, run(argv));
  if (std::string id = parse_submitted(said); !id.empty()) return id;
  return Error{ErrorKind::unavailable,
               fmt::format("sbatch prints {} in place of a job id", quoted(trim(said))),
               {}};
}

Result<std::vector<JobState>> RealSlurm::jobs() {
  ORCH_ASSIGN(const std::string said, run(squeue_words()));
  return parse_jobs(said);
}

Status RealSlurm::cancel(const std::vector<std::string>& ids) {
  for (std::size_t from = 0; from < ids.size(); from += k_most_ids) {
    std::vector<std::string> argv = {"scancel", "--quiet"};
    argv.insert(argv.end(), ids.begin() + static_cast<std::ptrdiff_t>(from),
                ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), from + k_most_ids)));
    ORCH_TRY(run(argv));
  }
  return {};
}

// Long options may be shortened, and a value may follow a short one at once.
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

}  // namespace orch::slurm
