// A plan as rows: run, stages, points and who needs what. Written when a run begins, and again when
// facts arrive.
#pragma once

#include "store/plan_record.hpp"
#include "store/run_journal.hpp"
#include "store/store.hpp"

namespace orch::store {

struct PlanRows {
  std::int64_t run_id = 0;
  RunJournal::StageRows stages{};
  std::map<std::size_t, StageContent>
      made{};  // what the records did not have, by its place in the plan written last
};

// All inside a transaction. Runs without an end have died, and nothing of theirs is under way any
// more.
Result<PlanRows> write_run(Core& core, const RunRecord& run);
Status write_plan(Core& core, const PlanRecord& plan, PlanRows& rows, double at);
// The plan of a run that goes on, after facts have arrived: new stages and points are added,
// undecided stages that are in PLAN no more are gone, and what was begun stays.
Status amend_plan(Core& core, const PlanRecord& plan, PlanRows& rows, double at);

}  // namespace orch::store
