#include "cluster/slurm_executor.hpp"

#include "base/text.hpp"
#include "system/kill_point.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <map>
#include <set>
#include <thread>

namespace orch::cluster {

using execute::Ended;
using execute::Handle;
using execute::Launch;
using execute::Recovered;

namespace {

constexpr double k_not_yet = std::numeric_limits<double>::infinity();
constexpr double k_beat_s = 2;
constexpr double k_longest_states_s = 60;
constexpr double k_record_s = 10;   // from the end of a job to its record, on a slow file system
constexpr double k_silent_s = 20;   // without a sign of life of its agent, a job is over
constexpr double k_soon_s = 0.5;    // between two questions about a job that is about to end
constexpr double k_recover_s = 30;  // for a controller that does not answer at once

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
        states_s_(options_.states_s) {
    (void)files.make_folder(options_.store + "/slurm/ended").ok();
    found_batches_ = files_.batches();
    found_ended_ = files_.ended();
    heart_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
  }
  ~Impl() {
    heart_.request_stop();
    ::eventfd_write(heart_wake_.get(), 1);
  }

  Result<Handle> start(const Launch& launch);
  std::vector<Ended> poll(double wait_s);
  void wake() { ::eventfd_write(wake_.get(), 1); }
  void signal(const std::string& token, int signal);
  Recovered recover(const Launch& launch);
  void hold(const std::string& token) { held_.insert(token); }

 private:
  // A launch whose end was not reported.
  struct Live {
    bool inside = false;  // in the job of a server
    std::string batch;    // "" while it is queued
    int index = 0;        // in its batch of `tasks`
    std::size_t tasks = 1;
    std::string job;  // its id; "" while it is not known
    std::string state;
    double state_s = -k_not_yet;        // when the controller said so
    double record_s = k_not_yet;        // when its record was first seen
    double over_since_s = k_not_yet;    // since when its job has ended without a record
    double absent_since_s = k_not_yet;  // since when the controller does not know it
    double cancel_at_s = k_not_yet;
    bool is_given_up = false;
    double claimed_since_s = k_not_yet;  // found claimed when it was to be given up
    int asked = 0;                       // the signal that was asked for
    std::string server;                  // in whose job it is
    std::string pulse;                   // of the agent
    double pulse_s = 0;                  // when it last changed
  };
  struct Queued {
    std::string token;
    std::vector<std::string> words;
  };
  // A batch whose submission got no answer.
  struct Unsure {
    Submission submission;
    double since_s = 0;
  };

  void beat(const std::stop_token& stop);
  void submit_queued();
  void submit(const std::vector<std::string>& words, const std::vector<std::string>& tokens);
  void refuse(const std::vector<std::string>& tokens, const Error& why);
  void accept(const std::string& batch, const std::string& id);
  void take_ended();
  bool knows_why(Live& live);
  void tidy(const std::vector<JobState>& jobs);
  void ask_for_states();
  void settle_unsure(const std::vector<JobState>& jobs);
  void see(const std::string& token, Live& live, const JobState* job);
  bool is_silent(const std::string& token, Live& live);
  void lose_silent();
  void lose(const std::string& token);
  void cancel_due();
  static std::string id_of(const Live& live);
  std::string batch_of(const std::string& token);

  system::Clock& clock_;
  std::unique_ptr<Slurm> slurm_;
  SlurmOptions options_;
  JobFiles files_;
  std::map<std::string, Live> live_;  // by token
  std::vector<Queued> queue_;
  std::map<std::string, Unsure> unsure_;  // by batch
  std::vector<Ended> ended_;              // not yet reported
  std::set<std::string> reported_;        // to this run, which may not have recorded them yet
  std::set<std::string> held_;            // of attempts that nothing is known of yet
  // What was there at the start. Later ones may be those of a successor, while this was stopped.
  std::vector<std::string> found_batches_, found_ended_;
  bool is_tidy_ = false;
  std::map<std::string, std::pair<std::string, int>> placed_;  // token -> batch and index
  bool knows_batches_ = false;
  double states_s_ = 0, next_states_s_ = 0;
  const system::Descriptor wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      heart_wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::jthread heart_;
};

// Agents of servers give their allocation back where this stops for longer than the grace period.
void SlurmExecutor::Impl::beat(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    files_.beat(clock_.wall_s());
    pollfd wait{heart_wake_.get(), POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(k_beat_s * 1000));
  }
}

Result<Handle> SlurmExecutor::Impl::start(const Launch& launch) {
  ORCH_TRY(files_.write_launch(launch, options_.log_level));
  Live& live = live_[launch.token];
  live = {};
  if (!launch.place.within.empty()) {
    live.inside = true;
    live.server = launch.place.within;
    const Status asked = files_.ask(launch.place.within, launch.token);
    if (!asked) {
      live_.erase(launch.token);
      return asked.error();
    }
    return handle_of(launch.token);
  }
  queue_.push_back({launch.token, place_words(launch.place, options_.gres)});
  return handle_of(launch.token);
}

void SlurmExecutor::Impl::submit_queued() {
  std::map<std::vector<std::string>, std::vector<std::string>> groups;
  for (Queued& one : queue_) groups[one.words].push_back(std::move(one.token));
  queue_.clear();
  for (const auto& [words, tokens] : groups)
    for (std::size_t from = 0; from < tokens.size(); from += options_.most_in_array) {
      const std::size_t to = std::min(tokens.size(), from + options_.most_in_array);
      submit(words, {tokens.begin() + static_cast<std::ptrdiff_t>(from),
                     tokens.begin() + static_cast<std::ptrdiff_t>(to)});
    }
}

void SlurmExecutor::Impl::submit(const std::vector<std::string>& words,
                                 const std::vector<std::string>& tokens) {
  const std::string batch = system::new_token();
  const Status written = files_.write_batch({.name = batch,
                                             .tokens = tokens,
                                             .extra = options_.extra,
                                             .program = options_.program,
                                             .ports = options_.ports});
  if (!written) return refuse(tokens, written.error());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    live_[tokens[i]].batch = batch;
    live_[tokens[i]].index = static_cast<int>(i);
    live_[tokens[i]].tasks = tokens.size();
  }
  const std::string folder = files_.batch_folder(batch);
  Submission submission{.script = folder + "/script.sh",
                        .comment = batch,
                        .name = "orchestrate",
                        .output = folder + (tokens.size() > 1 ? "/said.%a" : "/said"),
                        .tasks = tokens.size(),
                        .options = options_.words};
  submission.options.insert(submission.options.end(), words.begin(), words.end());
  system::kill_point("slurm-before-submit");
  const auto id = slurm_->submit(submission);
  system::kill_point("slurm-after-submit");
  if (id) return accept(batch, *id);
  if (id.error().kind != ErrorKind::unavailable) return refuse(tokens, id.error());
  unsure_[batch] = {.submission = std::move(submission), .since_s = clock_.now_s()};
}

void SlurmExecutor::Impl::refuse(const std::vector<std::string>& tokens, const Error& why) {
  for (const std::string& token : tokens) {
    live_.erase(token);
    ended_.push_back({.token = token, .code = -1, .refused = why.message});
  }
}

void SlurmExecutor::Impl::accept(const std::string& batch, const std::string& id) {
  (void)files_.note_job(batch, id).ok();
  unsure_.erase(batch);
  for (auto& [token, live] : live_)
    if (live.batch == batch) live.job = id;
}

// The records that agents have written since the last look.
void SlurmExecutor::Impl::take_ended() {
  for (const std::string& token : files_.ended()) {
    const auto live = live_.find(token);
    if (live == live_.end()) continue;
    auto ended = files_.read_ended(token);
    if (!ended) continue;
    if (ended->stopped_by_slurm && live->second.asked == 0) {
      if (!knows_why(live->second)) continue;
      ended->job_state = live->second.state;
    }
    // A job that was put back into the queue would find its launch claimed.
    if (ended->job_state == "PENDING") {
      ended->job_state = "PREEMPTED";
      (void)slurm_->cancel({id_of(live->second)}).ok();
    }
    live_.erase(live);
    reported_.insert(token);
    ended_.push_back(*ended);
  }
}

// Why Slurm has told the job of LIVE to stop is known only to Slurm, and some time later.
bool SlurmExecutor::Impl::knows_why(Live& live) {
  const double now_s = clock_.now_s();
  live.record_s = std::min(live.record_s, now_s);
  if (live.inside || now_s >= live.record_s + k_record_s) return true;
  if (live.state_s >= live.record_s && live.state != "RUNNING" && live.state != "COMPLETING")
    return true;
  next_states_s_ = std::min(next_states_s_, std::max(live.state_s, live.record_s) + k_soon_s);
  return false;
}

// What earlier runs have left: records that they have read, batches whose jobs are over, and jobs
// that nobody waits for, which an unsettled controller may have put on hold.
void SlurmExecutor::Impl::tidy(const std::vector<JobState>& jobs) {
  std::set<std::string> wanted = held_, stale;
  for (const auto& [token, live] : live_) wanted.insert(token);
  for (const std::string& token : found_ended_)
    if (!wanted.contains(token) && !reported_.contains(token)) files_.forget_ended(token);
  for (const std::string& batch : found_batches_) {
    const std::vector<std::string> tokens = files_.tokens_of(batch);
    if (std::none_of(tokens.begin(), tokens.end(),
                     [&](const std::string& token) { return wanted.contains(token); }))
      stale.insert(batch);
  }
  std::vector<std::string> ids;
  for (const JobState& job : jobs)
    if (!job.is_over() && stale.contains(job.batch)) ids.push_back(job.id);
  if (!ids.empty() && !slurm_->cancel(ids)) return;
  for (const std::string& batch : stale) files_.forget_batch(batch);
  is_tidy_ = true;
}

std::string SlurmExecutor::Impl::id_of(const Live& live) {
  if (live.job.empty()) return "";
  return live.tasks > 1 ? fmt::format("{}_{}", live.job, live.index) : live.job;
}

void SlurmExecutor::Impl::ask_for_states() {
  const double now_s = clock_.now_s();
  const bool any = std::any_of(live_.begin(), live_.end(),
                               [](const auto& entry) { return !entry.second.batch.empty(); });
  if (now_s < next_states_s_ || (!any && unsure_.empty() && is_tidy_)) return;
  const auto jobs = slurm_->jobs();
  next_states_s_ = clock_.now_s() + states_s_;
  states_s_ = std::min(states_s_ * 1.25, k_longest_states_s);
  if (!jobs) return;
  if (!is_tidy_) tidy(*jobs);
  settle_unsure(*jobs);
  std::map<std::pair<std::string, int>, const JobState*> by_place;
  for (const JobState& job : *jobs) by_place[{job.batch, job.index.value_or(0)}] = &job;
  for (auto& [token, live] : live_) {
    if (live.inside || live.batch.empty() || unsure_.contains(live.batch)) continue;
    const auto job = by_place.find({live.batch, live.index});
    see(token, live, job == by_place.end() ? nullptr : job->second);
  }
}

// Whether the agent of TOKEN has stopped giving signs of life. What Slurm says of its job is not
// enough: a controller that forgets, or a node that it does not reach, leaves jobs that run.
bool SlurmExecutor::Impl::is_silent(const std::string& token, Live& live) {
  const double now_s = clock_.now_s();
  std::string pulse = files_.pulse_of(live.inside ? live.server : token);
  if (pulse != live.pulse) {
    live.pulse = std::move(pulse);
    live.pulse_s = now_s;
  }
  return live.pulse.empty() || now_s >= live.pulse_s + k_silent_s;
}

// Launches whose job is over and that left no record.
void SlurmExecutor::Impl::lose_silent() {
  const double now_s = clock_.now_s();
  std::vector<std::string> lost;
  for (auto& [token, live] : live_) {
    if (live.inside && !live_.contains(live.server))
      live.over_since_s = std::min(live.over_since_s, now_s);
    if (now_s < std::min(live.over_since_s, live.absent_since_s) + k_record_s) continue;
    if (files_.read_ended(token) || !is_silent(token, live)) continue;
    // Between the last look and this one, a job may have begun.
    if (live.pulse.empty() && !live.is_given_up && !live.inside) {
      live.is_given_up = files_.give_up(token);
      if (!live.is_given_up && live.claimed_since_s == k_not_yet) live.claimed_since_s = now_s;
      if (!live.is_given_up && now_s < live.claimed_since_s + k_silent_s) continue;
    }
    lost.push_back(token);
  }
  for (const std::string& token : lost) lose(token);
}

// Batches that were submitted without an answer: those that the controller has are ours, and those
// that it still does not have once it has settled are submitted again.
void SlurmExecutor::Impl::settle_unsure(const std::vector<JobState>& jobs) {
  for (const JobState& job : jobs)
    if (unsure_.contains(job.batch)) accept(job.batch, job.id.substr(0, job.id.find('_')));
  std::vector<std::pair<std::string, std::string>> accepted;
  for (auto& [batch, unsure] : unsure_) {
    if (clock_.now_s() < unsure.since_s + options_.settles_s) continue;
    unsure.since_s = clock_.now_s();
    if (auto id = slurm_->submit(unsure.submission)) accepted.emplace_back(batch, std::move(*id));
  }
  for (const auto& [batch, id] : accepted) accept(batch, id);
}

void SlurmExecutor::Impl::see(const std::string& token, Live& live, const JobState* job) {
  const double now_s = clock_.now_s();
  if (!job) {
    live.absent_since_s = std::min(live.absent_since_s, now_s);
    return;
  }
  live.absent_since_s = k_not_yet;
  if (live.state != job->state) states_s_ = options_.states_s;
  live.state = job->state;
  live.state_s = now_s;
  if (live.job.empty()) live.job = job->id.substr(0, job->id.find('_'));
  if (job->is_over()) live.over_since_s = std::min(live.over_since_s, now_s);
  // A launch that an unsettled controller began a second time, and put on hold: the first one runs,
  // or is lost.
  if (job->is_held() && files_.is_claimed(token)) (void)slurm_->cancel({job->id}).ok();
}

void SlurmExecutor::Impl::lose(const std::string& token) {
  // An agent that comes back after all ends its tree.
  (void)files_.signal(token, SIGKILL).ok();
  const Live live = live_[token];
  live_.erase(token);
  Ended ended{.token = token, .code = -1, .signal = live.asked};
  ended.guardian_lost = live.asked == 0;
  if (live.asked == 0) ended.job_state = live.state;
  if (const auto started = files_.read_started(token)) {
    ended.node = started->node;
    ended.job = started->job;
  }
  ended_.push_back(std::move(ended));
}

void SlurmExecutor::Impl::signal(const std::string& token, int signal) {
  const auto queued = std::find_if(queue_.begin(), queue_.end(),
                                   [&](const Queued& one) { return one.token == token; });
  if (queued != queue_.end()) {
    queue_.erase(queued);
    live_.erase(token);
    ended_.push_back({.token = token, .code = -1, .signal = signal});
    return;
  }
  const auto live = live_.find(token);
  if (live == live_.end()) return;
  system::kill_point(signal == SIGTERM ? "slurm-before-terminate" : "slurm-before-kill");
  live->second.asked = signal;
  (void)files_.signal(token, signal).ok();
  const bool waits = !live->second.inside && !files_.is_claimed(token);
  if (waits) live->second.cancel_at_s = clock_.now_s();
  else if (signal == SIGKILL)
    live->second.cancel_at_s =
        std::min(live->second.cancel_at_s, clock_.now_s() + options_.hangs_s);
}

// Jobs that were to end, and that wait or do not obey.
void SlurmExecutor::Impl::cancel_due() {
  std::vector<std::string> ids;
  for (auto& [token, live] : live_) {
    if (clock_.now_s() < live.cancel_at_s) continue;
    live.cancel_at_s = k_not_yet;
    if (std::string id = id_of(live); !id.empty()) ids.push_back(std::move(id));
  }
  if (ids.empty()) return;
  (void)slurm_->cancel(ids).ok();
  next_states_s_ = 0;
  states_s_ = options_.states_s / 10;
}

std::vector<Ended> SlurmExecutor::Impl::poll(double wait_s) {
  if (!queue_.empty()) submit_queued();
  const double until_s = clock_.now_s() + wait_s;
  while (true) {
    take_ended();
    cancel_due();
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

std::string SlurmExecutor::Impl::batch_of(const std::string& token) {
  if (!std::exchange(knows_batches_, true))
    for (const std::string& batch : found_batches_) {
      int index = 0;
      for (const std::string& one : files_.tokens_of(batch)) placed_[one] = {batch, index++};
    }
  const auto found = placed_.find(token);
  return found == placed_.end() ? "" : found->second.first;
}

Recovered SlurmExecutor::Impl::recover(const Launch& launch) {
  const std::string& token = launch.token;
  Recovered found{
      .fate = Recovered::Fate::running, .handle = handle_of(token), .ended = {}, .why = {}};
  if (const auto ended = files_.read_ended(token)) {
    found.fate = Recovered::Fate::ended;
    found.ended = *ended;
    return found;
  }
  const std::string batch = batch_of(token);
  if (batch.empty() && files_.give_up(token)) {
    found.fate = Recovered::Fate::lost;
    found.why = "it was not submitted, or its server had not begun it";
    return found;
  }
  Live& live = live_[token];
  live.inside = batch.empty();
  live.server = launch.place.within;
  live.batch = batch;
  if (live.inside) return found;
  live.index = placed_.at(token).second;
  live.tasks = files_.tokens_of(batch).size();
  live.job = files_.job_of(batch);
  auto jobs = slurm_->jobs();
  for (const double until_s = clock_.now_s() + k_recover_s; !jobs && clock_.now_s() < until_s;
       jobs = slurm_->jobs())
    clock_.sleep_s(1);
  if (!jobs) return found;  // later polls will know
  const auto job = std::find_if(jobs->begin(), jobs->end(), [&](const JobState& one) {
    return one.batch == batch && one.index.value_or(0) == live.index;
  });
  if (job != jobs->end()) {
    see(token, live, &*job);
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
void SlurmExecutor::hold(const Launch& launch, const std::optional<Handle>&) {
  impl_->hold(launch.token);
}
Recovered SlurmExecutor::recover(const Launch& launch, const std::optional<Handle>&) {
  return impl_->recover(launch);
}

}  // namespace orch::cluster
