#include "run/schedule/commit_log.hpp"

namespace orch::schedule {

namespace {

constexpr double k_commit_s = 0.05;  // the longest that an event stays uncommitted

}  // namespace

void CommitLog::note(const Event& event) {
  journal_.append(event);
  if (!std::exchange(uncommitted_, true)) commit_due_s_ = clock_.now_s() + k_commit_s;
  for (Observer* observer : observers_) observer->on_event(event);
}

Status CommitLog::commit() {
  if (std::exchange(uncommitted_, false)) ORCH_TRY(journal_.commit());
  commit_due_s_ = k_never;
  for (const Effect& effect : std::exchange(effects_, {})) effect();
  return {};
}

}  // namespace orch::schedule
