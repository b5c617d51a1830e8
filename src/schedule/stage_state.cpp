#include "schedule/stage_state.hpp"

#include <cassert>

namespace orch::schedule {

namespace {

constexpr Move k_moves[] = {
    {State::planned, State::ready},   // all it needs is there
    {State::planned, State::reused},  // the store holds it
    {State::planned, State::skipped},
    {State::planned, State::cancelled},
    {State::planned, State::starting},  // taken over from a run that died
    {State::planned, State::running},
    {State::ready, State::starting},
    {State::ready, State::running},
    {State::ready, State::planned},  // its server is started again
    {State::ready, State::intent},
    {State::ready,
     State::reused},  // a server that nobody needs: its measurements came from a run that died
    {State::ready, State::skipped},  // its server died before it was its turn
    {State::ready, State::cancelled},
    {State::intent, State::starting},  // services
    {State::intent, State::running},
    {State::intent, State::produced},  // nothing to start: files only
    {State::intent, State::failed},    // could not be started
    {State::intent, State::waiting},
    {State::starting, State::waiting},  // failed for a reason that may pass
    {State::running, State::waiting},
    {State::stopping, State::waiting},
    {State::produced, State::waiting},
    {State::waiting, State::ready},
    {State::waiting, State::planned},  // meanwhile its server ended
    {State::waiting, State::skipped},
    {State::waiting, State::cancelled},
    {State::starting, State::running},   // ready
    {State::starting, State::stopping},  // gave up on it
    {State::starting, State::failed},    // died
    {State::running, State::produced},
    {State::running, State::stopping},  // nobody needs the service any more
    {State::running, State::failed},
    {State::running, State::cancelled},
    {State::stopping, State::done},
    {State::stopping, State::failed},
    {State::stopping, State::cancelled},
    {State::produced, State::done},
    {State::produced, State::ready},  // an invalid measurement is made again
    {State::produced, State::failed},
};

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::planned: return "planned";
    case State::ready: return "ready";
    case State::waiting: return "waiting";
    case State::intent: return "intent";
    case State::starting: return "starting";
    case State::running: return "running";
    case State::stopping: return "stopping";
    case State::produced: return "produced";
    case State::done: return "done";
    case State::reused: return "reused";
    case State::failed: return "failed";
    case State::skipped: return "skipped";
    case State::cancelled: return "cancelled";
  }
  return "";
}

std::span<const Move> allowed_moves() { return k_moves; }

bool is_allowed(State from, State to) {
  return std::any_of(std::begin(k_moves), std::end(k_moves),
                     [&](const Move& move) { return move.from == from && move.to == to; });
}

bool is_final(State state) {
  return std::none_of(std::begin(k_moves), std::end(k_moves),
                      [&](const Move& move) { return move.from == state; });
}

StageStates::StageStates(std::size_t count, Moved moved)
    : states_(count, State::planned), moved_(std::move(moved)) {
  counts_[static_cast<std::size_t>(State::planned)] = count;
}

void StageStates::set(std::size_t stage, State to, const std::string& why) {
  const State from = states_[stage];
  assert(is_allowed(from, to));
  states_[stage] = to;
  --counts_[static_cast<std::size_t>(from)];
  ++counts_[static_cast<std::size_t>(to)];
  moved_(stage, from, to, why);
}

}  // namespace orch::schedule
