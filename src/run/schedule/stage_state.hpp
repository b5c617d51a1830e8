// The state of every stage of a run, with one writer: set() checks the move, updates the counts and
// reports the move.
#pragma once

#include "run/schedule/journal.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace orch::schedule {

inline constexpr std::size_t k_state_count = static_cast<std::size_t>(State::cancelled) + 1;

// stage_state.cpp has the table of allowed moves.
bool is_allowed(State from, State to);
// Whether no move leads out of STATE: done, reused, failed, skipped, cancelled.
bool is_final(State state);

class StageStates {
 public:
  using Moved =
      std::function<void(std::size_t stage, State from, State to, const std::string& why)>;

  // Begins with COUNT stages, all `planned`. MOVED is called after every move.
  StageStates(std::size_t count, Moved moved);

  State get(std::size_t stage) const { return states_[stage]; }
  // Asserts that the move is allowed.
  void set(std::size_t stage, State to, const std::string& why = {});
  std::size_t count(State state) const { return counts_[static_cast<std::size_t>(state)]; }

 private:
  std::vector<State> states_;
  std::array<std::size_t, k_state_count> counts_{};
  Moved moved_;
};

}  // namespace orch::schedule
