// What remains of the outputs of tasks, by `keep` of the matrix: an output goes once nothing that
// is still to run needs it, in this run or in the next one of its matrix. Also what may start where
// all outputs at once do not fit on the disk. Makes no stage's state.
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

  // Notes the outputs that nothing needs any more; their files go after the commit, by other
  // threads. Looks at the stages that have ended since the last call, the first time at all.
  void remove();
  // Whether TASK must wait although the disk has room for it: the first measurement that is left
  // could then lack room for what it is made from. Or it has none while outputs are being removed.
  bool is_held_back(Index task) const;

 private:
  // Whether nothing of STAGE is left to do. What the system under test failed at is done; what the
  // machine or the harness failed at, what was cancelled and what is not decided is not.
  bool is_settled(Index stage) const;
  // Whether what reads the output of TASK is settled.
  bool is_needless(Index task) const;
  void find_users();
  void find_chains();
  std::optional<Index> first_left() const;
  // The stages of the first measurement that is left.
  const std::vector<Index>& first_chain() const;

  RunState& run_;
  const bool any_;  // some output of the plan may go
  struct User {
    Index stage;
    bool lasts;  // it uses what it names as long as its own output is used
  };
  std::vector<std::vector<User>> users_;  // of each task's output, by direct needs and by name
  std::vector<bool> gone_;
  // The bytes that the most demanding measurement asks for with all that it needs.
  std::uint64_t most_bytes_ = 0;
  std::vector<Index> measurements_;  // in the order of the plan
  std::size_t removing_ = 0;         // outputs, at this moment
  // Of first_left() and first_chain().
  mutable std::size_t first_ = 0;  // in `measurements_`: those before are over
  mutable std::optional<Index> chain_of_;
  mutable std::vector<Index> chain_;
};

}  // namespace orch::schedule
