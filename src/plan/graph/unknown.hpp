// Which stages report facts, and the messages about points and stages that wait for unknown ones.
#pragma once

#include "plan/graph/plan.hpp"

namespace orch::plan {

// The stage that reports facts of models, with every stage that it needs. They run for points that
// wait.
std::set<std::string> fact_stages(const runner::Manifest& manifest);

bool waits_for_model(const matrix::Point& point);

// "rule 'kv-heads' waits for model_kv_heads of qwen2-7b: known after download"
// UNKNOWN is what its stages' digests lack.
std::string undecided_why(const runner::Manifest& manifest, const matrix::Point& point,
                          const std::vector<std::string>& unknown);

// What a POINT to run still waits for, by its `why`; "" for every other point.
std::string waits_of(const PlannedPoint& point);

// Why STAGE, which only undecided points need, is undecided.
std::string unknown_why(const runner::Manifest& manifest, const Stage& stage);

}  // namespace orch::plan
