// Which task outputs remain, by the matrix's `keep`: an output is removed once nothing that is
// still to run needs it, in this run or in the next one of its matrix. Also which tasks may start
// if the disk cannot hold all outputs at once. Sets no stage's state.
#pragma once

#include "run/schedule/run_state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace orch::schedule {

class NeedlessOutputs {
 public:
  explicit NeedlessOutputs(RunState& run);

  // Notes the outputs that nothing needs any longer; other threads remove their files after the
  // commit. Looks at the stages that have ended since the last call; the first call looks at all.
  void remove();
  // Whether TASK must wait: if it started, the first remaining measurement could lack room for its
  // inputs; or the disk lacks room for TASK while outputs are being removed.
  bool is_held_back(Index task) const;

 private:
  // Whether no work on STAGE is left. A failure of the system under test is final; a failure of the
  // machine or the harness, a cancelled stage and an undecided one are not.
  bool is_settled(Index stage) const;
  // Whether all stages that read the output of TASK are settled.
  bool is_needless(Index task) const;
  void find_users();
  void find_chains();
  std::optional<Index> first_left() const;
  // The stages of the first remaining measurement.
  const std::vector<Index>& first_chain() const;

  RunState& run_;
  const bool any_;  // some output of the plan may be removed
  struct User {
    Index stage;
    bool lasts;  // it uses its inputs as long as its own output is used
  };
  std::vector<std::vector<User>> users_;  // of each task's output, by direct needs and by name
  std::vector<bool> gone_;
  // The bytes that the most demanding measurement requests, including everything that it needs.
  std::uint64_t most_bytes_ = 0;
  std::vector<Index> measurements_;  // in plan order
  std::size_t removing_ = 0;         // outputs being removed now
  // State of first_left() and first_chain().
  mutable std::size_t first_ = 0;  // index in `measurements_`: earlier ones are over
  mutable std::optional<Index> chain_of_;
  mutable std::vector<Index> chain_;
};

}  // namespace orch::schedule
