// A plan and a run as the store keeps them: texts only, whether they come from a plan or from a
// record. Private to src/store.
#pragma once

#include "plan/plan.hpp"
#include "store/store.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::store {

// What a stage is, whoever plans it. JSON where it says so.
struct StageContent {
  std::string name, kind;
  std::string parameters;  // object
  std::string components;  // list
  std::string argv;        // list
  std::string env;         // object
  std::string rendered;    // object
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
};

struct PlanRecord {
  std::vector<StageRecord> stages;
  std::vector<PointRecord> points;
  // Of the stage at that place; asked only for stages that the store does not have.
  std::function<Result<StageContent>(std::size_t)> content;
};

struct RunRecord {
  std::int64_t id = 0;  // 0: the next
  std::string uid;
  std::string experiment, runner;
  RunInfo info;
  int pid = 0;
};

// PLAN must outlive what is returned.
PlanRecord record_of(const plan::Plan& plan);

// As facts of a record. NEW: what the store did not have, by place.
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
