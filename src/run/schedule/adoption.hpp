// Takes over the processes that a dead run left (recover.hpp found them): from then on they are
// processes of this run. Ends nothing.
#pragma once

#include "run/schedule/adopted.hpp"
#include "run/schedule/endings.hpp"
#include "run/schedule/run_state.hpp"

#include <string>
#include <vector>

namespace orch::schedule {

class Adoption {
 public:
  // ADOPTED must outlive this. Processes that this run's plan does not run stay in it, for a later
  // plan.
  Adoption(RunState& run, Endings& endings, std::vector<Adopted>& adopted)
      : run_(run), endings_(endings), adopted_(adopted) {}

  // Takes over everything in ADOPTED that the plan runs, and removes it from there.
  void take_over_all();
  // Keeps ENDED for a later plan, when it ends a process that stayed in ADOPTED.
  void keep_end(const execute::Ended& ended);

 private:
  bool is_wanted(const Adopted& one) const;
  void take_over(const Adopted& one);
  // Fills in the members, and moves their stages to `starting` or `running`.
  void hold(ActiveProcess& process, const Unfinished& first);
  void add_members(ActiveProcess& process, const Adopted& one);
  void resume_service(ActiveProcess& process, const Unfinished& server);

  RunState& run_;
  Endings& endings_;
  std::vector<Adopted>& adopted_;
};

}  // namespace orch::schedule
