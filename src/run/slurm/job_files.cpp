#include "run/slurm/job_files.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "run/attempt/failure.hpp"
#include "run/execute/exit_record.hpp"
#include "run/execute/guardian_message.hpp"
#include "run/slurm/node_remains.hpp"
#include "run/slurm/server_ranks.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace orch::slurm {

namespace {

constexpr std::uint64_t k_most_bytes = 16 << 20;
constexpr const char* k_written_off = "given up";  // the claimant of a launch that was written off

// A launch, whether it chooses its containment itself, and the version of the program that wrote
// it.
struct LaunchFile {
  std::string start;  // a guardian message
  bool contained = false;
  std::string version;
};
constexpr auto fields_of(Tag<LaunchFile>) {
  return rows_of(required<&LaunchFile::start>("start"), field<&LaunchFile::contained>("contained"),
                 field<&LaunchFile::version>("version"));
}

// The program of a node is a file of that node, and may be another than the one of the run.
Status check_version(const std::string& of_run) {
  if (of_run == k_version) return {};
  return Error{
      ErrorKind::conflict,
      fmt::format("the run is of orchestrate {}, and its job started orchestrate {} on the "
                  "node; make the path of the program one version on every node",
                  of_run.empty() ? "of an unknown version" : of_run, k_version)};
}

// Agents of earlier versions do not write `start_s`.
struct HealthFile {
  bool ready = false;
  std::string why, failure;
  std::optional<double> start_s;
};
constexpr auto fields_of(Tag<HealthFile>) {
  return rows_of(required<&HealthFile::ready>("ready"), required<&HealthFile::why>("why"),
                 required<&HealthFile::failure>("failure"),
                 sparse<&HealthFile::start_s>("start_s"));
}

// Parses TEXT, which may come from another node, and which a user may have changed. nullopt if TEXT
// cannot be parsed.
template <class T> std::optional<T> read_text(const std::optional<std::string>& text) {
  return text ? from_json_text<T>(*text).to_optional() : std::nullopt;
}

template <class T> std::optional<T> read_file(system::Files& files, const std::string& path) {
  return read_text<T>(files.read_own(path, k_most_bytes).to_optional());
}

// Writes TEXT to PATH, readable only by this user: the file may contain secrets. Not durable: a
// file that a power cut has damaged does not parse.
Status write_private(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  (void)::unlink(fresh.c_str());
  const system::Descriptor file(
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const bool written =
      file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written || ::rename(fresh.c_str(), path.c_str()) != 0) return io_error("write", path, errno);
  return {};
}

// Defines `module` in a shell whose environment lacks it.
constexpr const char* k_find_module =
    "type module >/dev/null 2>&1 || for file in modules lmod z00_lmod; do\n"
    "  if [ -r /etc/profile.d/$file.sh ]; then . /etc/profile.d/$file.sh; break; fi\n"
    "done\n";

// The script contains the site's lines, but no values of the user's environment. The agent gets the
// environment from before these lines through a pipe, so that it is not in any file.
std::string script_of(const OrchestratorFiles::Batch& batch, const std::string& folder) {
  const std::string agent =
      fmt::format("exec {} guardian --job {} {} {}", shell_quote(batch.program),
                  shell_quote(folder), batch.ports.first, batch.ports.last);
  // Since Slurm 22.05, srun does not inherit the CPUs per task from the job.
  const std::string cpus =
      "[ -z \"$SLURM_CPUS_PER_TASK\" ] || export SRUN_CPUS_PER_TASK=\"$SLURM_CPUS_PER_TASK\"\n";
  if (batch.extra.empty()) return "#!/bin/sh\n" + cpus + agent + "\n";
  std::string script = "#!/bin/bash\n" + cpus + "exec {orchestrate_before}< <(env -0)\n";
  if (std::ranges::any_of(batch.extra,
                          [](const std::string& line) { return line.starts_with("module "); }))
    script += k_find_module;
  // Records what the site's lines do to the shell: see why_not_begun().
  script += fmt::format("orchestrate_lines={}.\"${{SLURM_ARRAY_TASK_ID:-0}}\"\n",
                        shell_quote(folder + "/lines")) +
            "echo begun >\"$orchestrate_lines\"\n"
            "trap 'echo \"status $?\" >\"$orchestrate_lines\"' EXIT\n";
  for (const std::string& line : batch.extra) script += line + "\n";
  script += "trap - EXIT\necho done >\"$orchestrate_lines\"\n";
  return script + agent + " \"$orchestrate_before\"\n";
}

std::vector<std::string> tokens_among(std::vector<std::string> words) {
  std::erase_if(words, [](const std::string& word) { return !system::is_token(word); });
  return words;
}

// Whether NAME is that of one node, and not a list such as "n[1-2]".
bool is_node(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

constexpr double k_beat_s = 2;

}  // namespace

std::string JobFiles::text_of(const std::string& path) {
  return files_.read_own(path, k_most_bytes).value_or("");
}

std::optional<std::string> JobFiles::read_listed(const std::string& token,
                                                 const std::string& name) {
  const auto names = files_.names(attempt(token));
  if (!names || !contains(*names, name)) return std::nullopt;
  return files_.read_own(attempt(token) + "/" + name, k_most_bytes).to_optional();
}

Status OrchestratorFiles::write_launch(const execute::Launch& launch, system::LogLevel level) {
  ORCH_TRY(files_.make_folder(attempt(launch.token)));
  const auto containment = launch.containment.value_or(system::Containment::session);
  const bool own = launch.containment.has_value();
  const std::string line = execute::to_line(execute::Start{launch, containment, level});
  return write_private(attempt(launch.token) + "/launch.json",
                       to_json_text(LaunchFile{line, own, k_version}) + "\n");
}

Result<AgentFiles::Asked> AgentFiles::read_launch(const std::string& token) {
  const std::string path = attempt(token) + "/launch.json";
  const auto file = read_file<LaunchFile>(files_, path);
  if (!file) return Error{ErrorKind::not_found, fmt::format("{} cannot be read", path)};
  if (const Status same = check_version(file->version); !same) {
    (void)files_.remove_tree(path).ok();
    return same.error();
  }
  const auto request = execute::parse_request(file->start);
  const auto* start = request ? std::get_if<execute::Start>(&*request) : nullptr;
  if (!start) return invalid(fmt::format("{} is not a launch", path));
  Asked asked{
      .launch = start->launch, .containment = start->containment, .level = start->log_level};
  if (!file->contained) asked.containment = system::strongest_containment();
  // The file may contain secrets.
  (void)files_.remove_tree(path).ok();
  return asked;
}

Status OrchestratorFiles::write_batch(const Batch& batch) {
  const std::string folder = batch_folder(batch.name);
  ORCH_TRY(files_.make_folder(folder));
  ORCH_TRY(files_.replace(folder + "/tokens", join(batch.tokens, "\n") + "\n"));
  // Private, because the site's lines may contain a secret.
  return write_private(folder + "/script.sh", script_of(batch, folder));
}

std::string OrchestratorFiles::why_not_begun(const JobPlace& place) {
  if (place.batch.empty()) return "";
  const std::string text =
      text_of(fmt::format("{}/lines.{}", batch_folder(place.batch), place.index));
  const std::string_view said = trim(text);
  if (said.empty() || said == "done") return "";
  const std::string what = said == "begun" ? "have replaced its shell, or ended it by a signal"
                                           : fmt::format("have ended its shell ({})", said);
  return fmt::format(
      "the job never ran orchestrate: the lines of the site file (slurm.lines, slurm.modules) "
      "{}; leave `exit` and `exec` out of them",
      what);
}

std::vector<std::string> OrchestratorFiles::batches() {
  return files_.names(store_ + "/slurm/batches").value_or({});
}

std::vector<std::string> JobFiles::tokens_of(const std::string& batch) {
  return tokens_among(split(text_of(batch_folder(batch) + "/tokens"), '\n'));
}

std::multimap<std::string, JobPlace> OrchestratorFiles::places(
    const std::vector<std::string>& batches) {
  std::multimap<std::string, JobPlace> places;
  for (const std::string& batch : batches) {
    int index = 0;
    for (const std::string& token : tokens_of(batch))
      places.emplace(token, JobPlace{batch, index++});
  }
  return places;
}

void OrchestratorFiles::forget_batch(const std::string& batch) {
  (void)files_.remove_tree(batch_folder(batch)).ok();
}

void OrchestratorFiles::beat(double wall_s) {
  (void)files_.replace(store_ + "/slurm/alive", fmt::format("{:.3f}\n", wall_s)).ok();
}

std::string AgentFiles::last_beat() { return text_of(store_ + "/slurm/alive"); }

void AgentFiles::pulse(const std::string& token, std::uint64_t beat) {
  (void)files_.replace(attempt(token) + "/pulse", std::to_string(beat) + "\n").ok();
}

std::string OrchestratorFiles::pulse_of(const std::string& token) {
  return read_listed(token, "pulse").value_or("");
}

Status OrchestratorFiles::signal(const std::string& token, int signal) {
  return files_.replace(attempt(token) + "/signal", std::to_string(signal) + "\n");
}

int AgentFiles::asked_signal(const std::string& token) {
  const auto text = read_listed(token, "signal");
  const auto number = text ? to_integer(trim(*text)) : std::nullopt;
  return number == SIGTERM || number == SIGKILL ? static_cast<int>(*number) : 0;
}

Status OrchestratorFiles::ask(const std::string& server, const std::string& token) {
  ORCH_TRY(files_.replace(attempt(token) + "/server", server + "\n"));
  const std::string folder = attempt(server) + "/asked";
  ORCH_TRY(files_.make_folder(folder));
  return files_.replace(folder + "/" + token, "\n");
}

std::vector<std::string> AgentFiles::asked_of(const std::string& server) {
  return tokens_among(files_.names(attempt(server) + "/asked").value_or({}));
}

std::string OrchestratorFiles::server_of(const std::string& token) {
  return std::string(trim(text_of(attempt(token) + "/server")));
}

bool AgentFiles::is_removed(const std::string& token) {
  return !is_claimed(token) && files_.stat(store_ + "/attempts").has_value();
}

Status OrchestratorFiles::write_probe(const std::string& token, const attempt::Probe& probe) {
  return write_private(attempt(token) + "/probe.json", to_json_text(probe) + "\n");
}

std::optional<attempt::Probe> AgentFiles::take_probe(const std::string& token) {
  const std::string path = attempt(token) + "/probe.json";
  if (!files_.stat(path)) return std::nullopt;
  auto probe = read_file<attempt::Probe>(files_, path);
  (void)files_.remove_tree(path).ok();
  return probe;
}

Status AgentFiles::write_health(const std::string& token, const attempt::HealthReport& health) {
  return files_.replace(attempt(token) + "/health.json",
                        to_json_text(HealthFile{.ready = health.health == attempt::Health::ready,
                                                .why = health.why,
                                                .failure = std::string(to_string(health.failure)),
                                                .start_s = health.start_s}) +
                            "\n");
}

std::optional<attempt::HealthReport> OrchestratorFiles::health(const std::string& token) {
  const auto file = read_text<HealthFile>(read_listed(token, "health.json"));
  if (!file) return std::nullopt;
  attempt::HealthReport report{
      .health = file->ready ? attempt::Health::ready : attempt::Health::failed,
      .why = file->why,
      .start_s = file->start_s};
  report.failure = parse_name<attempt::FailureClass>(file->failure).value_or(report.failure);
  return report;
}

std::vector<std::string> OrchestratorFiles::ended() {
  return tokens_among(files_.names(store_ + "/slurm/ended").value_or({}));
}

Status AgentFiles::write_ended(const execute::Ended& ended) {
  const std::string folder = store_ + "/slurm/ended";
  ORCH_TRY(files_.make_folder(folder));
  return files_.replace(folder + "/" + ended.token,
                        to_json_text(execute::ExitRecord{.ended = ended}) + "\n");
}

std::optional<execute::Ended> JobFiles::read_ended(const std::string& token) {
  const auto record = read_file<execute::ExitRecord>(files_, store_ + "/slurm/ended/" + token);
  if (!record || record->ended.token != token) return std::nullopt;
  return record->ended;
}

void OrchestratorFiles::forget_ended(const std::string& token) {
  (void)files_.remove_tree(store_ + "/slurm/ended/" + token).ok();
}

void OrchestratorFiles::note_unclean(const std::string& node) {
  const std::string folder = store_ + "/slurm/unclean";
  if (is_node(node) && files_.make_folder(folder)) (void)files_.replace(folder + "/" + node, "\n");
}

std::vector<std::string> OrchestratorFiles::unclean_nodes() {
  auto nodes = files_.names(store_ + "/slurm/unclean").value_or({});
  std::erase_if(nodes, [](const std::string& node) { return !is_node(node); });
  return nodes;
}

void JobFiles::forget_unclean(const std::string& node) {
  if (is_node(node)) (void)files_.remove_tree(store_ + "/slurm/unclean/" + node).ok();
}

Result<bool> JobFiles::claim(const std::string& token, const std::string& who) {
  const std::string path = attempt(token) + "/claim";
  // Making a link is atomic, even on network file systems.
  const Status made = files_.link(who, path);
  if (made.ok()) return true;
  // The link may be ours in spite of the error: an NFS client repeats a request whose answer is
  // lost.
  if (files_.is_link(path)) return claimant(token) == who;
  return made.error();
}

std::string JobFiles::claimant(const std::string& token) const {
  std::error_code ignored;
  return std::filesystem::read_symlink(attempt(token) + "/claim", ignored).string();
}

Status AgentFiles::write_remains(const execute::Launch& launch) {
  return files_.replace(attempt(launch.token) + "/remains.json", remains_text(launch));
}

execute::Launch AgentFiles::remains_of(const std::string& token) {
  return parse_remains(text_of(attempt(token) + "/remains.json"), token);
}

bool JobFiles::is_claimed(const std::string& token) {
  return files_.is_link(attempt(token) + "/claim");
}

bool OrchestratorFiles::write_off(const std::string& token) {
  if (!files_.stat(attempt(token))) return true;
  const auto claimed = claim(token, k_written_off);
  if (!claimed || !*claimed) return false;
  (void)files_.remove_tree(attempt(token) + "/launch.json").ok();  // it may contain secrets
  return true;
}

void AgentFiles::note_second_start(const std::string& token) {
  const std::string who = claimant(token);
  if (!who.empty() && who != k_written_off)
    (void)files_.replace(attempt(token) + "/second_start", "\n").ok();
}

bool OrchestratorFiles::has_second_start(const std::string& token) {
  return read_listed(token, "second_start").has_value();
}

bool AgentFiles::is_wanted(const std::string& token) {
  return files_.stat(attempt(token) + "/launch.json").has_value();
}

Status AgentFiles::write_started(const std::string& token, const Started& started) {
  return files_.replace(attempt(token) + "/started.json", to_json_text(started) + "\n");
}

std::optional<Started> OrchestratorFiles::read_started(const std::string& token) {
  return read_text<Started>(read_listed(token, "started.json"));
}

std::string job_variable(const std::map<std::string, std::string>& environment,
                         const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::string job_store(const std::string& folder) {
  return std::filesystem::path(folder).parent_path().parent_path().parent_path().string();
}

std::string job_attempt(const std::string& folder) {
  return std::filesystem::path(job_store(folder)).parent_path().string();
}

std::string job_token(JobFiles& files, const std::map<std::string, std::string>& environment,
                      const std::string& folder) {
  const auto index = environment.find("SLURM_ARRAY_TASK_ID");
  std::optional<std::int64_t> place =
      index == environment.end() ? std::optional<std::int64_t>(0) : to_integer(index->second);
  if (const auto rank = ServerRanks::rank_of(environment, folder)) place = *rank;
  const auto tokens = files.tokens_of(std::filesystem::path(folder).filename().string());
  if (!place || *place < 0 || static_cast<std::size_t>(*place) >= tokens.size()) return "";
  return tokens[static_cast<std::size_t>(*place)];
}

Heart::Heart(OrchestratorFiles files, system::Clock& clock)
    : files_(std::move(files)),
      clock_(clock),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this](const std::stop_token& stop) { beat(stop); }) {}

Heart::~Heart() {
  thread_.request_stop();
  ::eventfd_write(wake_.get(), 1);
}

void Heart::beat(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    files_.beat(clock_.wall_s());
    pollfd wait{wake_.get(), POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(k_beat_s * 1000));
  }
}

}  // namespace orch::slurm
