#include "run/slurm/slurm_executor.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>

namespace orch::slurm {

using execute::Ended;
using execute::Handle;
using execute::Launch;
using execute::Recovered;

namespace {

constexpr double k_gap_s = 60;  // after a longer gap between two checks, silence is ignored
// At the end of a run: how long and how often to check for jobs that outlive their launches,
// usually by a moment.
constexpr double k_leave_s = 10, k_leave_look_s = 0.2;
constexpr int k_leave_looks = 40, k_patient_looks = 10;
constexpr double k_clean_s = 20;  // how long to wait for the jobs that clean nodes
constexpr int k_clean_looks = 100;

Handle handle_of(const std::string& token) {
  return {.tree = {.token = token, .containment = {}}, .guardian = "slurm"};
}

}  // namespace

SlurmExecutor::SlurmExecutor(system::Files& files, system::Clock& clock,
                             std::unique_ptr<Slurm> slurm, SlurmOptions options)
    : clock_(clock),
      slurm_(std::move(slurm)),
      options_(std::move(options)),
      files_(files, options_.store),
      jobs_(*slurm_),
      leftovers_(files_, *slurm_, jobs_),
      submitter_(files_, *slurm_, clock, options_.submit),
      watcher_({.clock = clock_,
                .files = files_,
                .slurm = *slurm_,
                .jobs = jobs_,
                .leftovers = leftovers_,
                .submitter = submitter_,
                .options = options_},
               JobBoard(files, options_.store)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  (void)files.make_folder(options_.store + "/slurm/ended").ok();
  heart_.emplace(files_, clock);
}

Result<Handle> SlurmExecutor::start(const Launch& launch) {
  ORCH_TRY(files_.write_launch(launch, options_.log_level));
  LiveLaunch live;
  if (!launch.place.within.empty()) {
    ORCH_TRY(files_.ask(launch.place.within, launch.token));
    live.phase = Beside{launch.place.within};
  } else {
    live.words = place_words(launch.place, options_.gres, options_.submit.words);
    submitter_.add(launch.token, live.words);
  }
  watcher_.add(launch.token, std::move(live));
  return handle_of(launch.token);
}

// Ignores the silence of agents if this process was suspended or its file system did not answer:
// signs of life could not be seen then.
void SlurmExecutor::forgive_gap() {
  const double now_s = clock_.now_s();
  if (now_s >= last_poll_s_ + k_gap_s) watcher_.forgive_silence();
  last_poll_s_ = now_s;
}

std::vector<Ended> SlurmExecutor::poll(double wait_s) {
  const double until_s = clock_.now_s() + wait_s;
  while (true) {
    forgive_gap();
    watcher_.look();
    std::vector<Ended> ended = watcher_.take_ended();
    const double left_s = until_s - clock_.now_s();
    if (!ended.empty() || left_s <= 0) return ended;
    pollfd wait{wake_.get(), POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(std::min(left_s, options_.look_s) * 1000) + 1) > 0) {
      eventfd_t wakes = 0;
      ::eventfd_read(wake_.get(), &wakes);
      return {};
    }
  }
}

void SlurmExecutor::wake() { ::eventfd_write(wake_.get(), 1); }

void SlurmExecutor::terminate(const std::string& token) { watcher_.signal(token, SIGTERM); }

void SlurmExecutor::kill(const std::string& token) { watcher_.signal(token, SIGKILL); }

bool SlurmExecutor::waits(const std::string& token) { return watcher_.waits(token); }

std::string SlurmExecutor::whereabouts(const std::string& token) const {
  const LiveLaunch* live = watcher_.find(token);
  return live && live->has_job() ? live->shown.text() : "";
}

// Submits a job to each node where an agent was killed, to remove what the agent left. If the node
// is busy or down, the next job there does so.
void SlurmExecutor::clean_nodes() {
  std::vector<JobPlace> jobs;
  for (const std::string& node : files_.unclean_nodes())
    if (const auto place = submitter_.submit_cleanup(node)) jobs.push_back(*place);
  const auto is_done = [this](const JobPlace& place) {
    const JobState* job = jobs_.find(place);
    return !job || job->is_over() || job->reason.find("Node") != std::string::npos;
  };
  const double until_s = clock_.now_s() + k_clean_s;
  for (int look = 0; look < k_clean_looks && !jobs.empty() && clock_.now_s() < until_s; ++look) {
    clock_.sleep_s(k_leave_look_s);
    if (jobs_.ask() && std::ranges::all_of(jobs, is_done)) break;
  }
  for (const std::string& node : files_.unclean_nodes()) {
    options_.tell(fmt::format(
        "node {} may still have temporary files of stages whose processes were all killed; your "
        "next job there removes them",
        node));
    files_.forget_unclean(node);
  }
  for (const JobPlace& place : jobs) jobs_.has_ended(place);
}

// Cancels jobs that outlive their launches, such as those that the controller started a second time
// or put on hold.
void SlurmExecutor::leave() {
  clean_nodes();
  if (!jobs_.has_any_ended() && leftovers_.batches().empty()) return;
  const double until_s = clock_.now_s() + k_leave_s;
  for (int look = 0; look < k_leave_looks && clock_.now_s() < until_s; ++look) {
    if (look > 0) clock_.sleep_s(k_leave_look_s);
    if (!jobs_.ask()) continue;
    const std::vector<JobPlace> left = jobs_.left();
    if (left.empty() && watcher_.empty()) watcher_.remove_leftovers();
    if (left.empty()) return;
    if (look < k_patient_looks) continue;
    for (const JobPlace& place : left) jobs_.cancel(place);
  }
}

void SlurmExecutor::hold(const Launch& launch, const std::optional<Handle>&) {
  leftovers_.keep(launch.token);
}

Recovered SlurmExecutor::recover(const Launch& launch, const std::optional<Handle>&) {
  const std::string& token = launch.token;
  Recovered found{.fate = Recovered::Fate::running, .handle = handle_of(token)};
  if (!placed_) placed_ = files_.places(leftovers_.batches());
  const auto [first, last] = placed_->equal_range(token);
  if ((found.ended = files_.read_ended(token))) {
    found.fate = Recovered::Fate::ended;
    const bool has_reason =
        found.ended->stopped_by_slurm && first != last && watcher_.ask_for_recovery();
    const JobState* job = has_reason ? jobs_.find(first->second) : nullptr;
    if (job) explain_stop(*found.ended, job->state, files_.has_second_start(token));
    return found;
  }
  if (first == last && files_.write_off(token)) {
    found.fate = Recovered::Fate::lost;
    found.why = "it was not submitted, or its server had not begun it";
    return found;
  }
  LiveLaunch live;
  if (first == last) {
    live.phase = Beside{files_.server_of(token)};
    watcher_.add(token, std::move(live));
    return found;
  }
  live.hear(JobNews::submitted, clock_.now_s());
  live.place = first->second;
  const bool answered = watcher_.ask_for_recovery();
  const auto at = std::find_if(
      first, last, [&](const auto& one) { return answered && jobs_.find(one.second) != nullptr; });
  if (at != last) {
    live.place = at->second;
    watcher_.see(token, live, jobs_.find(at->second));
  } else if (answered && files_.write_off(token)) {
    found.fate = Recovered::Fate::lost;
    found.why = "the controller does not know its job";
    return found;
  }
  // Adopted: if the controller does not answer, or the record of the end is on its way, later polls
  // handle that.
  watcher_.add(token, std::move(live));
  return found;
}

}  // namespace orch::slurm
