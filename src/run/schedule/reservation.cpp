#include "run/schedule/reservation.hpp"

#include <algorithm>

namespace orch::schedule {

namespace {

// So many stages may pass one that waits, by their expected durations; from then on none may that
// could make it wait.
constexpr std::size_t k_most_passed = 64;

// A stage that waits may be delayed by this share of its wait.
constexpr double k_tolerated = 0.02;

// What STAGE takes until it gives back what it holds; negative while that is unknown.
double expected_with_measurements(const RunState& run, Index stage) {
  const double own_s = run.expected_s(stage);
  if (run.kind(stage) != runner::Kind::service || own_s < 0) return own_s;
  const double measuring_s = run.measuring_s(stage);
  return measuring_s < 0 ? -1 : own_s + measuring_s;
}

// What is left of STAGE after FOR_S; one that takes longer than expected is not believed to end
// at once.
double left_s(double expected_s, double for_s) {
  return std::max(expected_s - for_s, expected_s / 10);
}

}  // namespace

double expected_end_s(const RunState& run, const ActiveProcess& process) {
  const double now_s = run.now(), for_s = now_s - process.started_s;
  const double own_s = run.expected_s(process.stage());
  if (own_s < 0) return k_never;
  if (process.kind != runner::Kind::service)
    return now_s + left_s(own_s * static_cast<double>(process.members.size()), for_s);
  const double measuring_s = run.measuring_s(process.stage());
  if (measuring_s < 0) return k_never;
  return now_s + measuring_s / static_cast<double>(run.servers_of(process.stage())) +
         (process.up ? 0 : left_s(own_s, for_s));
}

Reservation::Reservation(const RunState& run, resources::Request request)
    : run_(run), request_(std::move(request)), then_(run.host.ledger()), at_s_(k_never) {
  std::vector<std::pair<double, const ActiveProcess*>> ends;
  for (const auto& [token, process] : run.processes)
    ends.emplace_back(expected_end_s(run, process), &process);
  std::ranges::sort(ends);
  for (const auto& [end_s, process] : ends) {
    then_.give_back(process->holder);
    at_s_ = end_s;
    if (then_.find(request_)) return;
  }
  at_s_ = k_never;
}

bool Reservation::is_delayed_by(Index other, const resources::Request& wanted,
                                const resources::Grant& grant, std::size_t passed) const {
  const double expected_s = expected_with_measurements(run_, other);
  const bool ends_before = expected_s >= 0 && at_s_ != k_never &&
                           run_.now() + expected_s <= at_s_ + k_tolerated * (at_s_ - run_.now());
  if (ends_before && passed < k_most_passed) return false;
  resources::Ledger ledger = then_;
  ledger.take("other", wanted, grant);
  return !ledger.find(request_);
}

}  // namespace orch::schedule
