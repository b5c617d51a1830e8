// A plan as rows: run, stages, points and who needs what. Written when a run begins, and again when facts arrive.
#pragma once

#include "plan/plan.hpp"
#include "store/run_journal.hpp"
#include "store/store.hpp"

namespace orch::store {

struct PlanRows {
  std::int64_t run_id = 0;
  RunJournal::StageRows stages;
};

// Both inside a transaction.
Result<PlanRows> write_plan(Core& core, const plan::Plan& plan, const RunInfo& info);
// The plan of a run that goes on, after facts have arrived: new stages and points are added, undecided stages that are in
// PLAN no more are gone, and what was begun stays.
Status amend_plan(Core& core, const plan::Plan& plan, PlanRows& rows, double at);

}  // namespace orch::store
