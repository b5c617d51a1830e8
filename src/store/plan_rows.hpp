// A plan as rows: run, stages, points and who needs what. Written once, when a run begins.
#pragma once

#include "plan/plan.hpp"
#include "store/run_journal.hpp"
#include "store/store.hpp"

namespace orch::store {

struct PlanRows {
  std::int64_t run_id = 0;
  RunJournal::StageRows stages;
};

// Inside a transaction.
Result<PlanRows> write_plan(Core& core, const plan::Plan& plan, const RunInfo& info);

}  // namespace orch::store
