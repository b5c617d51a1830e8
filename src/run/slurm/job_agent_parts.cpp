#include "run/slurm/job_agent_parts.hpp"

#include <algorithm>
#include <csignal>

namespace orch::slurm {

namespace {

constexpr double k_again_s = 0.5;
constexpr double k_pulse_s = 2;
constexpr double k_record_s = 60;      // how long to retry a record that cannot be written
constexpr int k_removed_looks = 3;     // after so many checks a missing folder counts as removed
constexpr double k_ranks_end_s = 10;   // from KILL for the ranks to TERM for their starter
constexpr double k_ranks_gone_s = 20;  // from the end of their starter to that of the ranks

}  // namespace

void RunningLaunch::send(int signal, double now_s) {
  if (launch_->has_exited()) return;
  if (!ranks_) return launch_->signal(signal);
  ranks_->signal(signal);
  if (signal != SIGKILL) return;
  ranks_killed_s_ = std::min(ranks_killed_s_, now_s);
  if (now_s >= ranks_killed_s_ + 2 * k_ranks_end_s) launch_->signal(SIGKILL);
  // On TERM, srun ends its step.
  else if (now_s >= ranks_killed_s_ + k_ranks_end_s) launch_->signal(SIGTERM);
}

void RunningLaunch::terminate(double now_s) {
  send(SIGTERM, now_s);
  kill_at_s_ = std::min(kill_at_s_, now_s + launch_->launch().stop_s);
}

void RunningLaunch::abandon(double now_s) {
  is_abandoned_ = true;
  terminate(now_s);
}

void RunningLaunch::kill_when_due(double now_s) {
  if (now_s < kill_at_s_) return;
  send(SIGKILL, now_s);
  kill_at_s_ = now_s + k_again_s;
}

void RunningLaunch::obey(int signal, double now_s) {
  if (signal == std::exchange(asked_signal_, signal)) return;
  if (signal == SIGTERM) send(SIGTERM, now_s);
  if (signal == SIGKILL) kill();
}

void RunningLaunch::beat() {
  if (ranks_) ranks_->beat();
}

void RunningLaunch::note_folder(bool is_removed) {
  removed_looks_ = is_removed ? removed_looks_ + 1 : 0;
  if (removed_looks_ >= k_removed_looks) kill();
}

// Called once the starter of the ranks has exited. Kills the ranks, because a starter that was
// killed does not end them.
bool RunningLaunch::are_ranks_gone(double now_s) {
  if (!ranks_ || ranks_->have_ended()) return true;
  if (exited_s_ == k_not_due) ranks_->signal(SIGKILL);
  exited_s_ = std::min(exited_s_, now_s);
  return now_s >= exited_s_ + k_ranks_gone_s;
}

std::optional<execute::Ended> RunningLaunch::finish(double now_s) {
  return launch_->has_exited() && are_ranks_gone(now_s) ? launch_->finish(is_abandoned_)
                                                        : std::nullopt;
}

void RunningLaunch::complete(execute::Ended& ended, bool is_told) {
  if (ranks_) ranks_->add_to(ended, is_told || is_abandoned_ || asked_signal_ != 0);
}

void EndRecords::write(execute::Ended ended) {
  if (!files_.write_ended(ended)) unwritten_.push_back(std::move(ended));
}

void EndRecords::write_again() {
  std::erase_if(unwritten_, [this](const auto& ended) { return files_.write_ended(ended).ok(); });
}

void EndRecords::write_left(system::Clock& clock) {
  for (const double until_s = clock.now_s() + k_record_s;
       !unwritten_.empty() && clock.now_s() < until_s; write_again())
    clock.sleep_s(k_again_s);
}

bool Heartbeat::beat(double now_s) {
  if (now_s < next_s_) return false;
  next_s_ = now_s + k_pulse_s;
  files_.pulse(token_, ++beats_);
  if (std::string heard = files_.last_beat(); heard != heard_) {
    heard_ = std::move(heard);
    heard_at_s_ = now_s;
  }
  return true;
}

bool StopSignals::read(double wait_s) {
  const bool is_any = signals_.take(wait_s) > 0;
  if (is_any && !first_s_) first_s_ = clock_.now_s();
  return is_any;
}

bool ServerProbe::look(const std::string& token, const NodeFitter& node, double for_s) {
  if (is_reported_) return false;
  // A second probe, from a run that takes over the server, is removed but not used.
  if (auto probe = files_.take_probe(token); probe && !std::exchange(is_probed_, true)) {
    for (auto* urls : {&probe->get, &probe->smoke})
      for (std::string& url : *urls) url = node.with_numbers(url);
    probe->redact = [secrets = secrets_](std::string_view text) {
      return secret::redacted(*secrets, text);
    };
    readiness_.watch(token, *probe);
  }
  if (!is_probed_) return false;
  attempt::HealthReport report = readiness_.report(token);
  if (report.health == attempt::Health::pending) return false;
  report.start_s = for_s;
  is_reported_ = files_.write_health(token, report).ok();
  return is_reported_;
}

}  // namespace orch::slurm
