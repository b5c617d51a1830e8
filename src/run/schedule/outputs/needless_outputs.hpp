// Decides which task outputs remain, according to the matrix's `keep`: an output is removed once no
// stage that is still to run needs it, in this run or in the next run of its matrix. Also decides
// which tasks may start if the disk cannot hold all outputs at once. Does not set the state of a
// stage.
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

  // Records the removal of outputs that nothing needs any longer; other threads remove their files
  // after the commit. Considers the needs of stages that have ended since the last call; the first
  // call considers all.
  void remove();
  // Whether TASK must wait: if it started, the first remaining measurement could lack room for its
  // inputs; or the disk lacks room for TASK while outputs are being removed.
  bool is_held_back(Index task) const;

 private:
  // Whether no work on STAGE is left, in this run or the next. A failure of the system under test
  // is final; a failure of the machine or the harness, a cancelled stage and an undecided stage are
  // not.
  bool is_settled(Index stage) const;
  // Whether all stages that read the output of TASK are settled.
  bool is_needless(Index task) const;
  void find_users();
  void find_chains();
  std::optional<Index> first_left() const;
  // The first remaining measurement and everything that it needs.
  const std::vector<Index>& first_chain() const;

  RunState& run_;
  const bool any_;  // whether any output of the plan may be removed
  struct User {
    Index stage;
    bool lasts;  // it uses its inputs for as long as its own output is used
  };
  // The users of each task's output, by direct needs and by names in texts.
  std::vector<std::vector<User>> users_;
  std::vector<bool> gone_;
  // The bytes that the most demanding measurement and its needs request.
  std::uint64_t most_bytes_ = 0;
  std::vector<Index> measurements_;  // in plan order
  std::size_t removing_ = 0;         // the number of outputs that are being removed now
  // State of first_left() and first_chain().
  mutable std::size_t first_ = 0;  // index in `measurements_`; earlier measurements are over
  mutable std::optional<Index> chain_of_;
  mutable std::vector<Index> chain_;
};

}  // namespace orch::schedule
