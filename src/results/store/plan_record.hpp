// A plan and a run in their stored form, as texts: created from a plan or parsed from a run record.
// For src/results/store and src/results/keep.
#pragma once

#include "plan/graph/plan.hpp"
#include "results/store/store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace orch::store {

// PARAMETERS as a JSON object of names and typed values.
template <class Values> Object parameters_of(const Values& parameters) {
  Object object;
  for (const auto& [name, value] : parameters)
    object.emplace_back(
        name, std::visit([](const auto& typed) { return Value(typed); }, matrix::typed(value)));
  return object;
}

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
constexpr auto fields_of(Tag<StageContent>) {
  using C = StageContent;
  return rows_of(required<&C::name>("name"), required<&C::kind>("kind"),
                 required<&C::parameters>("parameters"), required<&C::components>("components"),
                 required<&C::argv>("argv"), required<&C::env>("env"),
                 required<&C::rendered>("rendered"), required<&C::repeat>("repeat"));
}
std::true_type is_list(Tag<StageContent>);

// The names and values in TEXT, StageContent::components; skips what is not a pair of texts.
std::vector<std::pair<std::string, std::string>> components_in(std::string_view text);

struct StageRecord {
  plan::StageId id;
  std::optional<std::string> digest;
  std::string planned, why;
  std::map<std::string, plan::StageId> needs = {};
};
constexpr auto fields_of(Tag<StageRecord>) {
  using S = StageRecord;
  return rows_of(required<&S::id>("id"), required<&S::digest>("digest"),
                 required<&S::planned>("planned"), required<&S::why>("why"),
                 required<&S::needs>("needs"));
}
std::true_type is_list(Tag<StageRecord>);

struct PointRecord {
  std::string name, status, why = {};
  std::string parameters;  // JSON object
  std::vector<plan::StageId> stages = {};
  // Those of `stages` that are not results: see plan::Stage::is_check.
  std::vector<plan::StageId> checks = {};
};
constexpr auto fields_of(Tag<PointRecord>) {
  using P = PointRecord;
  return rows_of(required<&P::name>("name"), required<&P::status>("status"),
                 required<&P::why>("why"), required<&P::parameters>("parameters"),
                 required<&P::stages>("stages"), field<&P::checks>("checks"));
}
std::true_type is_list(Tag<PointRecord>);

struct PlanRecord {
  std::vector<StageRecord> stages;
  std::vector<PointRecord> points;
  // Returns the content of the stage at an index of `stages`; called only for stages that the store
  // does not have.
  std::function<Result<StageContent>(std::size_t)> content;
};

struct RunRecord {
  std::int64_t id = 0;  // 0: the database assigns it
  std::string uid = {};
  std::string experiment, runner;
  RunInfo info;
  int pid = 0;

  // The name of the run record.
  std::string file() const { return uid + ".jsonl"; }
};
constexpr auto fields_of(Tag<RunRecord>) {
  using R = RunRecord;
  using I = RunInfo;
  return rows_of(
      required<&R::id>("id"), required<&R::uid>("uid"), required<&R::experiment>("experiment"),
      required<&R::runner>("runner"), required<&R::info, &I::matrix_file>("matrix_file"),
      required<&R::info, &I::matrix_text>("matrix_text"),
      required<&R::info, &I::command>("command"), field<&R::info, &I::folder>("folder"),
      required<&R::info, &I::version>("version"), required<&R::info, &I::machine>("machine"),
      required<&R::pid>("pid"), required<&R::info, &I::started_at>("started_at"),
      field<&R::info, &I::goodput>("goodput"), field<&R::info, &I::runners>("runners"));
}

// PLAN must outlive the result.
PlanRecord record_of(const plan::Plan& plan);

// RUN and PLAN as facts of a run record. MADE are the contents that the store did not have, by
// index.
std::string to_fact(const RunRecord& run);
std::string to_fact(const PlanRecord& plan, const std::map<std::size_t, StageContent>& made,
                    bool amended, double at);

Result<RunRecord> parse_run(const Value& fact);

struct PlanFact {
  PlanRecord plan = {};
  bool amended = false;
  double at = 0;
};
Result<PlanFact> parse_plan(const Value& fact);

}  // namespace orch::store
