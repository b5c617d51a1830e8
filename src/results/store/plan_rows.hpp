// Writes a plan as rows: run, stages, points and dependencies. Called when a run begins, and
// again when facts arrive.
#pragma once

#include "results/store/plan_record.hpp"
#include "results/store/run_journal.hpp"
#include "results/store/store.hpp"

namespace orch::store {

struct PlanRows {
  std::int64_t run_id = 0;
  RunJournal::StageRows stages{};
  std::map<std::size_t, StageContent>
      made{};  // contents that no run record had, by index in the plan written last
};

// All three run inside the caller's transaction. write_run() marks runs without an outcome as died
// and cancels their unfinished stages.
Result<PlanRows> write_run(Core& core, const RunRecord& run);
Status write_plan(Core& core, const PlanRecord& plan, PlanRows& rows, double at);
// Replaces the plan of a run in progress after facts have arrived: adds new stages and points,
// removes undecided stages that PLAN no longer has, and keeps every stage that has started.
Status amend_plan(Core& core, const PlanRecord& plan, PlanRows& rows, double at);

}  // namespace orch::store
