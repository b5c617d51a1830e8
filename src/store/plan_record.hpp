// A plan and a run as the store keeps them: as texts, from a plan or parsed from a run record.
// For src/store and src/keep.
#pragma once

#include "plan/plan.hpp"
#include "store/store.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::store {

// The content of a stage, which is the same in every run that plans it.
struct StageContent {
  std::string name, kind;
  std::string parameters;  // JSON object
  std::string components;  // JSON list
  std::string argv;        // JSON list
  std::string env;         // JSON object
  std::string rendered;    // JSON object
  std::int64_t repeat = 0;
};

struct StageRecord {
  plan::StageId id;
  std::optional<std::string> digest;
  std::string planned, why;
  std::map<std::string, plan::StageId> needs;
};

struct PointRecord {
  std::string name, status, why;
  std::string parameters;  // JSON object
  std::vector<plan::StageId> stages;
  std::vector<plan::StageId> checks = {};  // those of `stages` that are no results (plan::Stage)
};

struct PlanRecord {
  std::vector<StageRecord> stages;
  std::vector<PointRecord> points;
  // The content of the stage at an index of `stages`; called only for stages that the store lacks.
  std::function<Result<StageContent>(std::size_t)> content;
};

struct RunRecord {
  std::int64_t id = 0;  // 0: the database assigns it
  std::string uid;
  std::string experiment, runner;
  RunInfo info;
  int pid = 0;
};

// PLAN must outlive the result.
PlanRecord record_of(const plan::Plan& plan);

// As facts of a run record. MADE: the contents that the store did not have, by index.
std::string to_fact(const RunRecord& run);
std::string to_fact(const PlanRecord& plan, const std::map<std::size_t, StageContent>& made,
                    bool amended, double at);

Result<RunRecord> parse_run(const std::string& fact);

struct PlanFact {
  PlanRecord plan;
  bool amended = false;
  double at = 0;
};
Result<PlanFact> parse_plan(const std::string& fact);

}  // namespace orch::store
