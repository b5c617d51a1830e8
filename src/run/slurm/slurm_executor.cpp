#include "run/slurm/slurm_executor.hpp"

#include "run/slurm/job_files.hpp"
#include "run/slurm/job_board.hpp"
#include "run/slurm/live_launch.hpp"
#include "run/slurm/accounting.hpp"
#include "run/slurm/slurm.hpp"
#include "run/slurm/submitter.hpp"
#include "os/system/kill_point.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <map>

namespace orch::slurm {

using execute::Ended;
using execute::Handle;
using execute::Launch;
using execute::Recovered;

namespace {

constexpr double k_never = std::numeric_limits<double>::infinity();
constexpr double k_longest_states_s = 60;
constexpr double k_late_record_s =
    10;                                // from the end of a job to its record, on a slow file system
constexpr double k_silent_s = 20;      // without a sign of life of its agent, a job is over
constexpr double k_dead_s = 600;       // likewise, though the controller says that it runs
constexpr double k_gap_s = 60;         // between two looks for signs of life, which counts for none
constexpr double k_soon_s = 0.5;       // between two questions about a job that is about to end
constexpr double k_recover_s = 30;     // for a controller that does not answer at once
constexpr double k_fresh_s = 2;        // what it said so long ago still counts
constexpr int k_most_submissions = 5;  // of one launch, where controllers forget it
// At the end of a run: looks for jobs that have outlived their launches, which they do for a
// moment.
constexpr double k_leave_s = 10, k_leave_look_s = 0.2;
constexpr int k_leave_looks = 40, k_patient_looks = 10;

Handle handle_of(const std::string& token) {
  return {.tree = {.token = token, .leader = {}, .boot_id = {}, .containment = {}, .cgroup = {}},
          .guardian = "slurm",
          .guardian_process = {}};
}

}  // namespace

class SlurmExecutor::Impl {
 public:
  Impl(system::Files& files, system::Clock& clock, std::unique_ptr<Slurm> slurm,
       SlurmOptions options)
      : clock_(clock),
        slurm_(std::move(slurm)),
        options_(std::move(options)),
        files_(files, options_.store),
        jobs_(*slurm_),
        submitter_(files_, *slurm_, clock, options_.submit),
        notices_(options_.tell),
        board_(files, options_.store),
        accounting_(options_.accounted, files_, board_.read()),
        leftovers_(files_, *slurm_, jobs_),
        states_s_(options_.states_s) {
    (void)files.make_folder(options_.store + "/slurm/ended").ok();
    heart_.emplace(files_, clock);
  }

  Result<Handle> start(const Launch& launch);
  std::vector<Ended> poll(double wait_s);
  void wake() { ::eventfd_write(wake_.get(), 1); }
  void signal(const std::string& token, int signal);
  bool waits(const std::string& token);
  void leave();
  Recovered recover(const Launch& launch);
  std::string whereabouts(const std::string& token) const;
  void hold(const std::string& token) { leftovers_.keep(token); }

 private:
  using Live = LiveLaunch;

  void submit_queued();
  void place(const std::vector<Submitter::Placed>& placed);
  bool has_begun(const std::string& token, Live& live);
  void take_ended();
  bool knows_why(Live& live);
  void ask_for_states();
  void see(const std::string& token, Live& live, const JobState* job);
  double silent_s(const std::string& token, Live& live) {
    return live.pulse.silent_s(files_.pulse_of(live.job_of(token)), clock_.now_s());
  }
  void lose_silent();
  bool may_be_lost(const std::string& token, Live& live);
  void submit_again(const std::string& token, Live& live);
  void lose(const std::string& token);
  void finish(const std::string& token, Ended ended);
  void end_hanging();
  void forgive_gap();
  void show_jobs();
  bool ask_for_recovery();

  system::Clock& clock_;
  std::unique_ptr<Slurm> slurm_;
  SlurmOptions options_;
  JobFiles files_;
  OwnJobs jobs_;
  Submitter submitter_;
  Notices notices_;
  JobBoard board_;
  Accounting accounting_;
  Leftovers leftovers_;
  std::map<std::string, Live> live_;                            // by token
  std::vector<Ended> ended_;                                    // not yet reported
  std::optional<std::multimap<std::string, JobPlace>> placed_;  // of earlier runs, by token
  double states_s_ = 0, next_states_s_ = 0;
  double answer_s_ = -k_never, recover_until_s_ = -k_never, last_poll_s_ = k_never;
  const system::Descriptor wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::optional<Heart> heart_;
};

Result<Handle> SlurmExecutor::Impl::start(const Launch& launch) {
  ORCH_TRY(files_.write_launch(launch, options_.log_level));
  Live& live = live_[launch.token];
  live = {};
  if (!launch.place.within.empty()) {
    live.phase = Beside{launch.place.within};
    const Status asked = files_.ask(launch.place.within, launch.token);
    if (!asked) {
      live_.erase(launch.token);
      return asked.error();
    }
    return handle_of(launch.token);
  }
  live.words = place_words(launch.place, options_.gres, options_.submit.words);
  submitter_.add(launch.token, live.words);
  return handle_of(launch.token);
}

void SlurmExecutor::Impl::submit_queued() {
  if (submitter_.empty() || submitter_.is_gathering()) return;
  place(submitter_.submit());
  next_states_s_ = std::min(next_states_s_, clock_.now_s() + options_.states_s);
  show_jobs();
}

void SlurmExecutor::Impl::place(const std::vector<Submitter::Placed>& placed) {
  for (const Submitter::Placed& one : placed) {
    const auto live = live_.find(one.token);
    if (live == live_.end()) continue;
    if (one.refused.empty()) {
      live->second.hear(JobNews::submitted, clock_.now_s());
      live->second.place = one.place;
      live->second.shown.id = one.id;
      ++live->second.submissions;
      continue;
    }
    (void)files_.give_up(one.token);
    live_.erase(live);
    ended_.push_back({.token = one.token, .code = -1, .refused = one.refused});
  }
}

bool SlurmExecutor::Impl::has_begun(const std::string& token, Live& live) {
  live.is_claimed = live.is_claimed || live.server() || files_.is_claimed(token);
  return live.is_claimed;
}

bool SlurmExecutor::Impl::waits(const std::string& token) {
  const auto live = live_.find(token);
  return live != live_.end() && !has_begun(token, live->second);
}

// ENDED is all that is known of the launch of TOKEN. A job of it that still waits would start it
// again.
void SlurmExecutor::Impl::finish(const std::string& token, Ended ended) {
  const auto live = live_.find(token);
  if (live->second.has_job()) jobs_.has_ended(live->second.place);
  live_.erase(live);
  ended_.push_back(std::move(ended));
}

// The records that agents have written since the last look.
void SlurmExecutor::Impl::take_ended() {
  for (const std::string& token : files_.ended()) {
    const auto found = live_.find(token);
    if (found == live_.end()) continue;
    Live& live = found->second;
    auto ended = files_.read_ended(token);
    if (!ended) continue;
    ended->stopped_by_slurm = ended->stopped_by_slurm && live.told() == 0;
    if (ended->stopped_by_slurm) {
      if (!knows_why(live)) continue;
      if (live.is_dead) ended->job_state = "NODE_FAIL";
      else explain_stop(*ended, live.shown.state, files_.has_second_start(token));
      // A job that is put back into the queue would find its launch claimed.
      if (live.shown.state == "PENDING") {
        jobs_.cancel(live.place);
        next_states_s_ = 0;
      }
    }
    leftovers_.keep_record(token);
    finish(token, *std::move(ended));
  }
}

// Why Slurm has told the job of LIVE to stop is known only to Slurm, and some time later. Its
// server has the reason of a measurement.
bool SlurmExecutor::Impl::knows_why(Live& live) {
  if (const std::string* server = live.server()) return !live_.contains(*server);
  const double now_s = clock_.now_s();
  if (!live.record_s) live.record_s = now_s;
  if (now_s >= *live.record_s + k_late_record_s) return true;
  const double said_s = live.said_s.value_or(-k_never);
  if (said_s >= *live.record_s && live.shown.state != "RUNNING" && live.shown.state != "COMPLETING")
    return true;
  next_states_s_ = std::min(next_states_s_, std::max(said_s, *live.record_s) + k_soon_s);
  return false;
}

void SlurmExecutor::Impl::ask_for_states() {
  const double now_s = clock_.now_s();
  const bool any =
      std::ranges::any_of(live_, [](const auto& entry) { return entry.second.has_job(); });
  const bool is_asked =
      any || submitter_.has_unsure() || !leftovers_.are_removed() || jobs_.has_any_to_cancel();
  if (now_s < next_states_s_ || !is_asked) return;
  const bool answered = jobs_.ask();
  next_states_s_ = clock_.now_s() + states_s_;
  states_s_ = std::min(states_s_ * 1.25, k_longest_states_s);
  notices_.answered(answered, clock_.now_s());
  if (!answered) return;
  answer_s_ = clock_.now_s();
  if (!leftovers_.are_removed()) leftovers_.remove(live_);
  place(submitter_.settle(jobs_, [this](const std::string& batch) {
    return std::ranges::any_of(
        live_, [&](const auto& entry) { return entry.second.place.first == batch; });
  }));
  std::vector<JobState> waiting;
  for (auto& [token, live] : live_) {
    if (!live.has_job() || submitter_.is_unsure(live.place.first)) continue;
    const JobState* job = jobs_.find(live.place);
    see(token, live, job);
    if (job && job->waits() && !live.is_claimed) waiting.push_back(*job);
  }
  notices_.look(waiting);
  show_jobs();
}

void SlurmExecutor::Impl::show_jobs() {
  ShownJobs jobs;
  for (const auto& [token, live] : live_)
    if (live.has_job()) jobs.emplace(token, live.shown);
  board_.show(std::move(jobs));
}

std::string SlurmExecutor::Impl::whereabouts(const std::string& token) const {
  const auto live = live_.find(token);
  if (live == live_.end() || !live->second.has_job()) return {};
  return live->second.shown.text();
}

void SlurmExecutor::Impl::see(const std::string& token, Live& live, const JobState* job) {
  const double now_s = clock_.now_s();
  if (!job) return live.hear(JobNews::missing, now_s);
  if (live.shown.state != job->state) states_s_ = options_.states_s;
  live.see(*job, job->waits() && has_begun(token, live), now_s);
  const bool is_dead =
      job->state == "RUNNING" && has_begun(token, live) && silent_s(token, live) >= k_dead_s;
  if (is_dead) {
    jobs_.cancel(live.place);
    next_states_s_ = std::min(next_states_s_, now_s + k_soon_s);
  }
  live.is_dead = live.is_dead || is_dead;
}

// Launches whose job is over and that left no record.
void SlurmExecutor::Impl::lose_silent() {
  std::vector<std::string> lost;
  for (auto& [token, live] : live_)
    if (may_be_lost(token, live)) lost.push_back(token);
  accounting_.explain(live_, lost, clock_.now_s());
  for (const std::string& token : lost) lose(token);
}

bool SlurmExecutor::Impl::may_be_lost(const std::string& token, Live& live) {
  const double now_s = clock_.now_s();
  if (const std::string* server = live.server())
    live.hear(live_.contains(*server) ? JobNews::lives : JobNews::over, now_s);
  Doubt* doubt = live.doubt();
  if (!doubt || now_s < doubt->since_s + k_late_record_s || files_.read_ended(token)) return false;
  const double silent = silent_s(token, live);
  if (live.pulse.was_heard()) return silent >= k_silent_s;
  if (live.server()) return true;
  if (std::holds_alternative<Missing>(live.phase) && !live.words.empty() && live.told() == 0 &&
      live.submissions < k_most_submissions && !has_begun(token, live)) {
    submit_again(token, live);
    return false;
  }
  // Between the last look and this one, a job may have begun.
  if (files_.give_up(token)) return true;
  if (!doubt->claimed_s) doubt->claimed_s = now_s;
  return now_s >= *doubt->claimed_s + k_silent_s;
}

// The controller has forgotten the job of TOKEN. Should it come back, only one of the two gets the
// launch.
void SlurmExecutor::Impl::submit_again(const std::string& token, Live& live) {
  jobs_.has_ended(live.place);
  live.place = {};
  live.hear(JobNews::requeued_here, clock_.now_s());
  submitter_.add(token, live.words);
}

void SlurmExecutor::Impl::lose(const std::string& token) {
  // An agent that comes back after all ends its tree.
  (void)files_.signal(token, SIGKILL).ok();
  Ended ended = live_[token].lost(token);
  if (const auto started = files_.read_started(token)) {
    ended.node = started->node;
    ended.job = started->job;
  } else if (ended.guardian_lost && !says_why(live_[token].shown.state)) {
    ended.refused = files_.why_not_begun(live_[token].place.first, live_[token].place.second);
  }
  finish(token, std::move(ended));
}

void SlurmExecutor::Impl::signal(const std::string& token, int signal) {
  const auto live = live_.find(token);
  if (live == live_.end()) return;
  system::kill_point(signal == SIGTERM ? "slurm-before-terminate" : "slurm-before-kill");
  live->second.tell(signal, clock_.now_s() + options_.hangs_s);
  // What waits does not begin any more.
  if (submitter_.remove(token) || (!live->second.server() && files_.give_up(token))) {
    if (live->second.has_job()) jobs_.cancel(live->second.place);
    next_states_s_ = 0;
    return finish(token, {.token = token, .code = -1, .signal = signal});
  }
  (void)files_.signal(token, signal).ok();
}

// Launches that were to end and do not: that of a silent agent counts as ended, and the job of any
// other is cancelled.
void SlurmExecutor::Impl::end_hanging() {
  const double now_s = clock_.now_s();
  std::vector<std::string> lost;
  for (auto& [token, live] : live_) {
    auto* killed = std::get_if<Killed>(&live.stop);
    if (!killed) continue;
    const bool is_silent = silent_s(token, live) >= k_silent_s;
    if (now_s < killed->hangs_at_s) continue;
    next_states_s_ = 0;
    states_s_ = options_.states_s / 10;
    // Its job may have been suspended since the controller was last asked.
    killed->was_asked_about = !killed->was_asked_about;
    if (killed->was_asked_about) continue;
    const auto job = live_.find(live.job_of(token));
    if (job != live_.end() && job->second.is_suspended()) {  // it ends when it is resumed
      killed->hangs_at_s = now_s + options_.hangs_s;
      live.pulse.forgive(now_s);
      continue;
    }
    killed->hangs_at_s = now_s + k_silent_s;
    if (job != live_.end()) {
      job->second.is_dead = job->second.is_dead || is_silent;
      jobs_.cancel(job->second.place);
    }
    if (!is_silent) continue;
    // The next measurement must not run beside this one, should the agent come back.
    if (live.server()) (void)files_.signal(*live.server(), SIGKILL).ok();
    lost.push_back(token);
  }
  for (const std::string& token : lost) lose(token);
}

// While this process was stopped, or its file system did not answer, it saw no sign of life of
// anybody.
void SlurmExecutor::Impl::forgive_gap() {
  const double now_s = clock_.now_s();
  if (now_s >= last_poll_s_ + k_gap_s)
    for (auto& [token, live] : live_) live.pulse.forgive(now_s);
  last_poll_s_ = now_s;
}

std::vector<Ended> SlurmExecutor::Impl::poll(double wait_s) {
  const double until_s = clock_.now_s() + wait_s;
  while (true) {
    forgive_gap();
    submit_queued();
    take_ended();
    end_hanging();
    ask_for_states();
    lose_silent();
    const double left_s = until_s - clock_.now_s();
    if (!ended_.empty() || left_s <= 0) return std::exchange(ended_, {});
    pollfd wait{wake_.get(), POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(std::min(left_s, options_.look_s) * 1000) + 1) > 0) {
      eventfd_t wakes = 0;
      ::eventfd_read(wake_.get(), &wakes);
      return std::exchange(ended_, {});
    }
  }
}

// A job that a controller started a second time, or put on hold, outlives its launch.
void SlurmExecutor::Impl::leave() {
  if (!jobs_.has_any_ended() && leftovers_.batches().empty()) return;
  const double until_s = clock_.now_s() + k_leave_s;
  for (int look = 0; look < k_leave_looks && clock_.now_s() < until_s; ++look) {
    if (look > 0) clock_.sleep_s(k_leave_look_s);
    if (!jobs_.ask()) continue;
    const std::vector<JobPlace> left = jobs_.left();
    if (left.empty() && !leftovers_.are_removed() && live_.empty()) leftovers_.remove(live_);
    if (left.empty()) return;
    if (look < k_patient_looks) continue;
    for (const JobPlace& place : left) jobs_.cancel(place);
  }
}

// A run may have thousands of jobs to take over: one answer serves them all, and all of them wait
// once for a controller that does not answer.
bool SlurmExecutor::Impl::ask_for_recovery() {
  if (clock_.now_s() < answer_s_ + k_fresh_s) return true;
  bool answered = jobs_.ask();
  if (recover_until_s_ < 0) recover_until_s_ = clock_.now_s() + k_recover_s;
  for (int i = 0; i < k_recover_s && !answered && clock_.now_s() < recover_until_s_; ++i) {
    clock_.sleep_s(1);
    answered = jobs_.ask();
  }
  if (answered) answer_s_ = clock_.now_s();
  return answered;
}

Recovered SlurmExecutor::Impl::recover(const Launch& launch) {
  const std::string& token = launch.token;
  Recovered found{
      .fate = Recovered::Fate::running, .handle = handle_of(token), .ended = {}, .why = {}};
  if (!placed_) placed_ = files_.places(leftovers_.batches());
  const auto [first, last] = placed_->equal_range(token);
  if ((found.ended = files_.read_ended(token))) {
    found.fate = Recovered::Fate::ended;
    const bool has_reason = found.ended->stopped_by_slurm && first != last && ask_for_recovery();
    const JobState* job = has_reason ? jobs_.find(first->second) : nullptr;
    if (job) explain_stop(*found.ended, job->state, files_.has_second_start(token));
    return found;
  }
  if (first == last && files_.give_up(token)) {
    found.fate = Recovered::Fate::lost;
    found.why = "it was not submitted, or its server had not begun it";
    return found;
  }
  Live& live = live_[token];
  if (first == last) {
    live.phase = Beside{files_.server_of(token)};
    return found;
  }
  live.hear(JobNews::submitted, clock_.now_s());
  live.place = first->second;
  if (!ask_for_recovery()) return found;  // later polls will know
  for (auto at = first; at != last; ++at)
    if (const JobState* job = jobs_.find(at->second)) {
      live.place = at->second;
      see(token, live, job);
      return found;
    }
  if (!files_.give_up(token)) return found;  // its record is on its way, or it is lost: see poll()
  live_.erase(token);
  found.fate = Recovered::Fate::lost;
  found.why = "the controller does not know its job";
  return found;
}

SlurmExecutor::SlurmExecutor(system::Files& files, system::Clock& clock,
                             std::unique_ptr<Slurm> slurm, SlurmOptions options)
    : impl_(std::make_unique<Impl>(files, clock, std::move(slurm), std::move(options))) {}
SlurmExecutor::~SlurmExecutor() = default;
Result<Handle> SlurmExecutor::start(const Launch& launch) { return impl_->start(launch); }
std::vector<Ended> SlurmExecutor::poll(double wait_s) { return impl_->poll(wait_s); }
void SlurmExecutor::wake() { impl_->wake(); }
void SlurmExecutor::terminate(const std::string& token) { impl_->signal(token, SIGTERM); }
void SlurmExecutor::kill(const std::string& token) { impl_->signal(token, SIGKILL); }
bool SlurmExecutor::waits(const std::string& token) { return impl_->waits(token); }
void SlurmExecutor::leave() { impl_->leave(); }
void SlurmExecutor::hold(const Launch& launch, const std::optional<Handle>&) {
  impl_->hold(launch.token);
}
Recovered SlurmExecutor::recover(const Launch& launch, const std::optional<Handle>&) {
  return impl_->recover(launch);
}
std::string SlurmExecutor::whereabouts(const std::string& token) const {
  return impl_->whereabouts(token);
}

}  // namespace orch::slurm
