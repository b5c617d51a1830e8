#include "run/slurm/job_agent.hpp"

#include "os/system/kill_point.hpp"
#include "run/slurm/slurm.hpp"

#include <algorithm>
#include <csignal>
#include <utility>
#include <vector>

#include <poll.h>

namespace orch::slurm {

using execute::GuardianLaunch;

namespace {

constexpr double k_look_s = 0.2;  // between two checks of the orchestrator's files
// How long a signal of Slurm may come after the end that it causes.
constexpr double k_signal_s = 0.5;
// Allowance for delays such as that between the start of a job and of its agent.
constexpr double k_slack_s = 5;

// Removes what killed agents have left on this node.
void clear_node(const AgentHost& host, AgentFiles& files) {
  if (host.remains.clear(host.host))
    files.forget_unclean(job_variable(host.environment, "SLURMD_NODENAME"));
}

}  // namespace

JobAgent::JobAgent(const AgentHost& host, const AgentFiles& files, const std::string& token,
                   bool is_rank)
    : host_(host),
      files_(files),
      token_(token),
      is_rank_(is_rank),
      node_(host, files, token, is_rank),
      records_(files),
      heartbeat_(files, token),
      stops_(host.host.clock) {}

int JobAgent::serve() {
  const int status = run();
  records_.write_left(host_.host.clock);
  return status;
}

int JobAgent::run() {
  // Writing to srun, which receives a rank's output, must not kill the agent if srun is dead.
  if (is_rank_) std::signal(SIGPIPE, SIG_IGN);
  auto asked = files_.read_launch(token_);
  if (!asked) {
    lose(token_, asked.error());
    return 1;
  }
  const execute::Place& place = asked->launch.place;
  if (place.is_server)
    server_.emplace(Server{
        .probe = {host_.readiness, files_, secret::JsonSecrets(asked->launch.secrets).in_strings},
        .grace_s = place.grace_s});
  const TimeLimit limit = time_limit_of(place);
  if (limit.minutes > 0) stops_.set_limit(now_s() + limit.minutes * 60 - limit.ahead_s - k_slack_s);
  if (!start(std::move(*asked))) return 1;
  for (double next_look_s = 0; !running_.empty();) {
    wait();
    obey_slurm();
    reap();
    if (now_s() < next_look_s) continue;
    next_look_s = now_s() + k_look_s;
    beat();
    look_at_files();
    check_deadlines();
    records_.write_again();
  }
  return is_rank_ ? status_ : 0;
}

// For a launch that cannot be read: if its files were destroyed by a power cut, it is restarted
// like other lost launches.
void JobAgent::lose(const std::string& token, const Error& why) {
  if (why.kind == ErrorKind::conflict)
    records_.write({.token = token, .code = -1, .refused = why.message});
  else records_.write({.token = token, .code = -1, .guardian_lost = true});
}

// Starts a launch; if it cannot be started, writes a record with the reason.
Status JobAgent::start(AgentFiles::Asked asked) {
  const std::string token = asked.launch.token;
  const auto refuse = [&](const Error& why) {
    records_.write({.token = token, .code = -1, .refused = why.message});
    return why;
  };
  auto division = node_.fit(asked);
  if (!division) return refuse(division.error());
  if (division->keepers) {
    const std::string keepers = division->keepers->launch().token;
    running_.emplace(keepers, RunningLaunch(std::move(division->keepers), std::nullopt, true));
  }
  auto started =
      GuardianLaunch::spawn(host_.host, std::move(asked.launch), asked.containment, asked.level);
  if (!started) return refuse(started.error());
  running_.emplace(token, RunningLaunch(std::move(*started), std::move(division->ranks), false));
  if (server_ && token == token_) server_->started_s = server_->idle_since_s = now_s();
  system::kill_point("job-spawned");
  (void)files_.write_started(token, node_.place()).ok();
  return {};
}

void JobAgent::claim_measurements() {
  for (const std::string& token : files_.asked_of(token_)) {
    if (server_->seen.contains(token)) continue;
    const auto claimed = files_.claim(token, host_.who);
    if (!claimed) continue;  // tried again at the next check
    server_->seen.insert(token);
    if (!*claimed) continue;
    auto asked = files_.read_launch(token);
    if (asked) (void)start(std::move(*asked)).ok();
    else lose(token, asked.error());
  }
}

void JobAgent::beat() {
  if (!heartbeat_.beat(now_s())) return;
  for (auto& [token, one] : running_) {
    one.beat();
    if (!one.is_of_keepers()) one.note_folder(files_.is_removed(token));
  }
}

void JobAgent::obey_slurm() {
  if (stops_.read()) end_all();
}

// Slurm will soon kill this job. A rank kills its launch, because its server has ended anyway;
// other launches get TERM.
void JobAgent::end_all() {
  for (auto& [token, one] : running_)
    if (!one.is_of_keepers()) is_rank_ ? one.kill() : one.terminate(now_s());
}

void JobAgent::wait() {
  std::vector<pollfd> waits = {{stops_.descriptor(), POLLIN, 0}, {host_.children, POLLIN, 0}};
  for (const auto& [token, one] : running_)
    if (const int log = one.launch().log().read_end(); log >= 0) waits.push_back({log, POLLIN, 0});
  ::poll(waits.data(), waits.size(), static_cast<int>(k_look_s * 1000));
}

void JobAgent::reap() {
  const std::vector<system::Exit> exits = host_.host.processes.wait(0);
  for (auto at = running_.begin(); at != running_.end();) {
    RunningLaunch& one = at->second;
    one.launch().log().drain();
    for (const system::Exit& exit : exits)
      if (one.launch().is_leader(exit)) one.launch().record_exit(exit);
    auto ended = one.finish(now_s());
    if (!ended) {
      ++at;
      continue;
    }
    // Slurm signals all processes of a job, and this process may be the last to receive the signal.
    if (one.asked_signal() == 0 && (ended->signal != 0 || ended->code > 128) &&
        stops_.read(k_signal_s))
      end_all();
    one.complete(*ended, stops_.have_come());
    const bool is_of_keepers = one.is_of_keepers(), was_asked = one.asked_signal() != 0;
    const std::string token = at->first;
    at = running_.erase(at);
    if (!is_of_keepers) report(token, std::move(*ended), was_asked);
  }
}

void JobAgent::report(const std::string& token, execute::Ended ended, bool was_asked) {
  const bool is_told = stops_.have_come() || ended.abandoned || was_asked;
  const int status = ended.code >= 0 ? ended.code : 128 + ended.signal;
  const Started place = node_.place();
  ended.node = place.node;
  ended.job = place.job;
  ended.stopped_by_slurm = stops_.have_come();
  // Slurm does not report TIMEOUT for a job that ends before its limit, after the warning signal.
  if (token == token_ && stops_.are_of_limit()) ended.job_state = "TIMEOUT";
  system::kill_point("job-before-ended");
  records_.write(std::move(ended));
  host_.remains.forget(token);
  if (server_) server_->idle_since_s = now_s();
  if (token != token_) return;
  status_ = is_told ? 0 : status;
  // A server's measurements cannot outlive it.
  for (auto& [other, one] : running_) one.kill();
}

void JobAgent::look_at_files() {
  for (auto& [token, one] : running_)
    if (!one.is_of_keepers()) one.obey(files_.asked_signal(token), now_s());
  if (!server_ || !running_.contains(token_)) return;
  if (server_->probe.look(token_, node_, now_s() - server_->started_s))
    server_->idle_since_s = now_s();
  claim_measurements();
}

void JobAgent::check_deadlines() {
  for (auto& [token, one] : running_) one.kill_when_due(now_s());
  // An idle server is ended after its grace period if its orchestrator is gone, so that its
  // allocation is released.
  const auto own = running_.find(token_);
  if (!server_ || own == running_.end() || own->second.is_abandoned()) return;
  const auto is_launch = [](const auto& one) { return !one.second.is_of_keepers(); };
  if (std::ranges::count_if(running_, is_launch) > 1) server_->idle_since_s = now_s();
  if (now_s() >= std::max(server_->idle_since_s, heartbeat_.heard_at_s()) + server_->grace_s)
    own->second.abandon(now_s());
}

int serve_as_job(const AgentHost& host, const std::string& folder) {
  if (ServerRanks::is_of_keepers(folder))
    return ServerRanks::keep(host.host, host.environment, job_attempt(folder));
  AgentFiles files(host.host.files, job_store(folder));
  const std::string token = job_token(files, host.environment, folder);
  system::kill_point("job-began");
  if (token.empty()) {  // a job of Submitter::submit_cleanup()
    clear_node(host, files);
    return 0;
  }
  const auto claimed = files.is_wanted(token) ? files.claim(token, host.who) : Result<bool>(false);
  if (!claimed) {
    fmt::print(stderr, "orchestrate: {}\n", claimed.error().text());
    return 1;
  }
  if (!*claimed) files.note_second_start(token);
  if (!*claimed) return 0;
  system::kill_point("job-claimed");
  clear_node(host, files);
  const bool is_rank = ServerRanks::rank_of(host.environment, folder).has_value();
  return JobAgent(host, files, token, is_rank).serve();
}

}  // namespace orch::slurm
