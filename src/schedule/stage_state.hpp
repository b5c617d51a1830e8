// The state of every stage of a run, with one writer: set() checks the move, keeps the counts and
// says it happened.
#pragma once

#include "schedule/journal.hpp"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace orch::schedule {

inline constexpr std::size_t k_state_count = static_cast<std::size_t>(State::cancelled) + 1;

struct Move {
  State from, to;
};

// Every move that is allowed; tests walk all pairs.
std::span<const Move> allowed_moves();
bool is_allowed(State from, State to);
// done, reused, failed, skipped, cancelled: nothing follows.
bool is_final(State state);

class StageStates {
 public:
  using Moved =
      std::function<void(std::size_t stage, State from, State to, const std::string& why)>;

  // COUNT stages, all `planned`. MOVED hears of every move.
  StageStates(std::size_t count, Moved moved);

  State get(std::size_t stage) const { return states_[stage]; }
  // The only writer. A move that is not in the table is a bug and asserts.
  void set(std::size_t stage, State to, const std::string& why = {});
  std::size_t count(State state) const { return counts_[static_cast<std::size_t>(state)]; }

 private:
  std::vector<State> states_;
  std::array<std::size_t, k_state_count> counts_{};
  Moved moved_;
};

}  // namespace orch::schedule
