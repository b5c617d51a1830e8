#include "run/slurm/launch_watcher.hpp"

#include "os/system/kill_point.hpp"

#include <csignal>

namespace orch::slurm {

using execute::Ended;

namespace {

constexpr double k_longest_pause_s = 60;  // between two queries to the controller
constexpr double k_late_record_s =
    10;  // from the end of a job to its record, on a slow file system
// After so long without a sign of life, the agent of an ended job counts as dead.
constexpr double k_silent_s = 20;
constexpr double k_dead_s = 600;  // the same for a job that the controller reports as running
constexpr double k_soon_s = 0.5;  // between two queries about a job that is about to end
// How long recovery waits for a controller that does not answer.
constexpr double k_recover_s = 30;
constexpr double k_fresh_s = 2;        // how long the controller's last answer counts as current
constexpr int k_most_submissions = 5;  // of one launch, if the controller forgets its jobs

}  // namespace

void AskingPace::has_asked(double now_s) {
  next_s_ = now_s + between_s_;
  between_s_ = std::min(between_s_ * 1.25, k_longest_pause_s);
}

LaunchWatcher::LaunchWatcher(const With& with, JobBoard board)
    : with_(with),
      pace_(with.options.states_s),
      notices_(with.options.tell),
      board_(std::move(board)),
      accounting_(with.slurm, with.files, board_.read()) {}

const LiveLaunch* LaunchWatcher::find(const std::string& token) const {
  const auto live = live_.find(token);
  return live == live_.end() ? nullptr : &live->second;
}

bool LaunchWatcher::waits(const std::string& token) {
  const auto live = live_.find(token);
  return live != live_.end() && !has_begun(token, live->second);
}

void LaunchWatcher::look() {
  submit_queued();
  read_records();
  end_hanging();
  ask_for_states();
  lose_silent();
}

void LaunchWatcher::forgive_silence() {
  for (auto& [token, live] : live_) live.pulse.forgive(with_.clock.now_s());
}

void LaunchWatcher::remove_leftovers() {
  if (!with_.leftovers.are_removed()) with_.leftovers.remove(live_);
}

void LaunchWatcher::submit_queued() {
  if (with_.submitter.empty() || with_.submitter.is_gathering()) return;
  note(with_.submitter.submit());
  pace_.ask_by(with_.clock.now_s() + with_.options.states_s);
  show_jobs();
}

void LaunchWatcher::note(const std::vector<Submitter::Placed>& placed) {
  for (const Submitter::Placed& one : placed) {
    const auto live = live_.find(one.token);
    if (live == live_.end()) continue;
    if (one.refused.empty()) {
      live->second.hear(JobNews::submitted, with_.clock.now_s());
      live->second.place = one.place;
      live->second.shown.id = one.id;
      ++live->second.submissions;
      continue;
    }
    (void)with_.files.write_off(one.token);
    live_.erase(live);
    ended_.push_back({.token = one.token, .code = -1, .refused = one.refused});
  }
}

bool LaunchWatcher::has_begun(const std::string& token, LiveLaunch& live) {
  live.is_claimed = live.is_claimed || live.server() || with_.files.is_claimed(token);
  return live.is_claimed;
}

// Reports ENDED as the end of the launch TOKEN. A job that still waits is no longer wanted: it
// would start the launch again.
void LaunchWatcher::finish(const std::string& token, Ended ended) {
  const auto live = live_.find(token);
  if (live->second.has_job()) with_.jobs.has_ended(live->second.place);
  live_.erase(live);
  ended_.push_back(std::move(ended));
}

// Reads the records that agents have written since the last look.
void LaunchWatcher::read_records() {
  for (const std::string& token : with_.files.ended()) {
    const auto found = live_.find(token);
    if (found == live_.end()) continue;
    LiveLaunch& live = found->second;
    auto ended = with_.files.read_ended(token);
    if (!ended) continue;
    ended->stopped_by_slurm = ended->stopped_by_slurm && live.told() == 0;
    if (ended->stopped_by_slurm) {
      if (!knows_why(live)) continue;
      if (live.is_dead) ended->job_state = "NODE_FAIL";
      else explain_stop(*ended, live.shown.state, with_.files.has_second_start(token));
      // A requeued job is useless: it would find its launch claimed.
      if (live.shown.state == "PENDING") {
        with_.jobs.cancel(live.place);
        pace_.ask_now();
      }
    }
    with_.leftovers.keep_record(token);
    finish(token, *std::move(ended));
  }
}

// Whether it is known why Slurm told the job of LIVE to stop, or the reason is no longer awaited:
// Slurm reports the reason only some time later. A measurement ends for the reason of its server.
bool LaunchWatcher::knows_why(LiveLaunch& live) {
  if (const std::string* server = live.server()) return !live_.contains(*server);
  const double now_s = with_.clock.now_s();
  if (!live.record_s) live.record_s = now_s;
  if (now_s >= *live.record_s + k_late_record_s) return true;
  const double said_s = live.said_s.value_or(-std::numeric_limits<double>::infinity());
  if (said_s >= *live.record_s && live.shown.state != "RUNNING" && live.shown.state != "COMPLETING")
    return true;
  pace_.ask_by(std::max(said_s, *live.record_s) + k_soon_s);
  return false;
}

void LaunchWatcher::ask_for_states() {
  const double now_s = with_.clock.now_s();
  const bool any =
      std::ranges::any_of(live_, [](const auto& entry) { return entry.second.has_job(); });
  const bool is_asked = any || with_.submitter.has_unsure() || !with_.leftovers.are_removed() ||
                        with_.jobs.has_any_to_cancel();
  if (!pace_.is_due(now_s) || !is_asked) return;
  const bool answered = with_.jobs.ask();
  pace_.has_asked(with_.clock.now_s());
  notices_.answered(answered, with_.clock.now_s());
  if (!answered) return;
  answer_s_ = with_.clock.now_s();
  remove_leftovers();
  note(with_.submitter.settle(with_.jobs, [this](const std::string& batch) {
    return std::ranges::any_of(
        live_, [&](const auto& entry) { return entry.second.place.batch == batch; });
  }));
  std::vector<JobState> waiting;
  for (auto& [token, live] : live_) {
    if (!live.has_job() || with_.submitter.is_unsure(live.place.batch)) continue;
    const JobState* job = with_.jobs.find(live.place);
    see(token, live, job);
    if (job && job->waits() && !live.is_claimed) waiting.push_back(*job);
  }
  notices_.look(waiting);
  show_jobs();
}

void LaunchWatcher::show_jobs() {
  ShownJobs jobs;
  for (const auto& [token, live] : live_)
    if (live.has_job()) jobs.emplace(token, live.shown);
  board_.show(std::move(jobs));
}

void LaunchWatcher::see(const std::string& token, LiveLaunch& live, const JobState* job) {
  const double now_s = with_.clock.now_s();
  if (!job) return live.hear(JobNews::missing, now_s);
  if (live.shown.state != job->state) pace_.begin_again();
  live.see(*job, job->waits() && has_begun(token, live), now_s);
  const bool is_dead =
      job->state == "RUNNING" && has_begun(token, live) && silent_s(token, live) >= k_dead_s;
  if (is_dead) {
    with_.jobs.cancel(live.place);
    pace_.ask_by(now_s + k_soon_s);
  }
  live.is_dead = live.is_dead || is_dead;
}

// Gives up launches that left no record and whose job, or whose server, is over.
void LaunchWatcher::lose_silent() {
  std::vector<std::string> lost;
  for (auto& [token, live] : live_)
    if (may_be_lost(token, live)) lost.push_back(token);
  accounting_.explain(live_, lost, with_.clock.now_s());
  for (const std::string& token : lost) lose(token);
}

bool LaunchWatcher::may_be_lost(const std::string& token, LiveLaunch& live) {
  const double now_s = with_.clock.now_s();
  if (const std::string* server = live.server())
    live.hear(live_.contains(*server) ? JobNews::lives : JobNews::over, now_s);
  Doubt* doubt = live.doubt();
  if (!doubt || now_s < doubt->since_s + k_late_record_s || with_.files.read_ended(token))
    return false;
  const double silent = silent_s(token, live);
  if (live.pulse.was_heard()) return silent >= k_silent_s;
  if (live.server()) return true;
  if (std::holds_alternative<Missing>(live.phase) && !live.words.empty() && live.told() == 0 &&
      live.submissions < k_most_submissions && !has_begun(token, live)) {
    // The controller has forgotten the job: submits another one. If the first comes back, only one
    // of the two can claim the launch.
    with_.jobs.has_ended(std::exchange(live.place, {}));
    live.hear(JobNews::requeued_here, now_s);
    with_.submitter.add(token, live.words);
    return false;
  }
  // Fails if a job has begun since the last look.
  if (with_.files.write_off(token)) return true;
  if (!doubt->claimed_s) doubt->claimed_s = now_s;
  return now_s >= *doubt->claimed_s + k_silent_s;
}

void LaunchWatcher::lose(const std::string& token) {
  // If the launch's agent comes back after all, this makes it end the launch's process tree.
  (void)with_.files.signal(token, SIGKILL).ok();
  const LiveLaunch& live = live_[token];
  Ended ended = live.lost(token);
  const auto started = with_.files.read_started(token);
  if (started || live.is_claimed)
    with_.files.note_unclean(started ? started->node : live.shown.node);
  if (started) {
    ended.node = started->node;
    ended.job = started->job;
  } else if (ended.guardian_lost && !says_why(live.shown.state)) {
    ended.refused = with_.files.why_not_begun(live.place);
  }
  finish(token, std::move(ended));
}

void LaunchWatcher::signal(const std::string& token, int signal) {
  const auto live = live_.find(token);
  if (live == live_.end()) return;
  system::kill_point(signal == SIGTERM ? "slurm-before-terminate" : "slurm-before-kill");
  live->second.tell(signal, with_.clock.now_s() + with_.options.hangs_s);
  // A launch that has not begun is cancelled.
  if (with_.submitter.remove(token) || (!live->second.server() && with_.files.write_off(token))) {
    if (live->second.has_job()) with_.jobs.cancel(live->second.place);
    pace_.ask_now();
    return finish(token, {.token = token, .code = -1, .signal = signal});
  }
  (void)with_.files.signal(token, signal).ok();
}

// Handles launches that were killed and have not ended: cancels their jobs, and counts a launch
// with a silent agent as lost.
void LaunchWatcher::end_hanging() {
  const double now_s = with_.clock.now_s();
  std::vector<std::string> lost;
  for (auto& [token, live] : live_) {
    auto* killed = std::get_if<Killed>(&live.stop);
    if (!killed) continue;
    const bool is_silent = silent_s(token, live) >= k_silent_s;
    if (now_s < killed->hangs_at_s) continue;
    pace_.ask_now();
    pace_.begin_again(0.1);
    // First has the controller queried: the job may have been suspended since the last query.
    killed->was_asked_about = !killed->was_asked_about;
    if (killed->was_asked_about) continue;
    const auto job = live_.find(live.job_of(token));
    if (job != live_.end() && job->second.is_suspended()) {  // it will end when its job is resumed
      killed->hangs_at_s = now_s + with_.options.hangs_s;
      live.pulse.forgive(now_s);
      continue;
    }
    killed->hangs_at_s = now_s + k_silent_s;
    if (job != live_.end()) {
      job->second.is_dead = job->second.is_dead || is_silent;
      with_.jobs.cancel(job->second.place);
    }
    if (!is_silent) continue;
    // Also kills the server: if the agent came back, the next measurement would run concurrently
    // with this one.
    if (live.server()) (void)with_.files.signal(*live.server(), SIGKILL).ok();
    lost.push_back(token);
  }
  for (const std::string& token : lost) lose(token);
}

bool LaunchWatcher::ask_for_recovery() {
  if (with_.clock.now_s() < answer_s_ + k_fresh_s) return true;
  bool answered = with_.jobs.ask();
  if (recover_until_s_ < 0) recover_until_s_ = with_.clock.now_s() + k_recover_s;
  for (int i = 0; i < k_recover_s && !answered && with_.clock.now_s() < recover_until_s_; ++i) {
    with_.clock.sleep_s(1);
    answered = with_.jobs.ask();
  }
  if (answered) answer_s_ = with_.clock.now_s();
  return answered;
}

}  // namespace orch::slurm
