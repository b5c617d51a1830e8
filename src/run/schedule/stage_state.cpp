#include "run/schedule/stage_state.hpp"

#include <cassert>

namespace orch::schedule {

namespace {

struct Move {
  State from, to;
};

// A comment states when a move occurs, if the states do not imply it.
constexpr Move k_moves[] = {
    {State::planned, State::ready},   // all its needs are usable
    {State::planned, State::reused},  // the store has its result
    {State::planned, State::skipped},
    {State::planned, State::cancelled},
    {State::planned, State::starting},  // a service adopted from a dead run
    {State::planned, State::running},   // a task or measurement adopted from a dead run
    {State::ready, State::starting},    // adopted, as in the two moves above
    {State::ready, State::running},
    {State::ready, State::planned},   // a measurement whose server ended and will be restarted
    {State::planned, State::failed},  // pruned: known to run out of memory
    {State::ready, State::failed},
    {State::waiting, State::failed},
    {State::ready, State::intent},
    // A service, all of whose measurements were adopted and are done.
    {State::ready, State::reused},
    {State::ready, State::skipped},    // its server failed, or no stage needs this service
    {State::ready, State::cancelled},  // the run drains
    {State::intent, State::starting},  // a service was spawned
    {State::intent, State::running},   // a task or measurement was spawned
    // There is no process: its outputs are rendered files or are in the cache.
    {State::intent, State::produced},
    {State::intent, State::failed},     // it could not be spawned
    {State::intent, State::waiting},    // it could not be spawned, and may be retried
    {State::intent, State::cancelled},  // interrupted while its folders were laid out
    {State::starting, State::waiting},  // failure of the harness, retry budget left
    {State::running, State::waiting},
    {State::stopping, State::waiting},  // as above, or measurements still need the service
    {State::produced, State::waiting},
    {State::waiting, State::ready},    // its retry is due
    {State::waiting, State::planned},  // its retry is due, but its server is down
    {State::waiting, State::skipped},
    {State::waiting, State::cancelled},
    {State::starting, State::running},   // the readiness probe passed
    {State::starting, State::stopping},  // the probe failed, or no measurement needs it any longer
    {State::starting, State::failed},
    {State::running, State::produced},
    // A service that is not needed, has failed, or is interrupted.
    {State::running, State::stopping},
    {State::running, State::failed},
    {State::running, State::cancelled},
    {State::stopping, State::done},  // it was stopped because it was no longer needed
    {State::stopping, State::failed},
    {State::stopping, State::cancelled},
    {State::produced, State::done},
    {State::produced, State::ready},  // an invalid measurement is repeated
    {State::produced, State::failed},
    {State::produced, State::cancelled},  // interrupted while its outputs were checked
};

}  // namespace

bool is_allowed(State from, State to) {
  return std::ranges::any_of(k_moves,
                             [&](const Move& move) { return move.from == from && move.to == to; });
}

bool is_final(State state) {
  return std::ranges::none_of(k_moves, [&](const Move& move) { return move.from == state; });
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
