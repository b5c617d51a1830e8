// What waits for facts that nobody knows yet, and the words for it.
#pragma once

#include "plan/plan.hpp"

namespace orch::plan {

// What is made for points that wait: the stage that tells facts of models, and all that it needs.
std::set<std::string> fact_stages(const runner::Manifest& manifest);

bool waits_for_model(const matrix::Point& point);

// "rule 'kv-heads' waits for model_kv_heads of qwen2-7b: known after download"
// UNKNOWN is what its stages' digests lack.
std::string undecided_why(const runner::Manifest& manifest, const matrix::Point& point,
                          const std::vector<std::string>& unknown);

// Of a stage that only undecided points want.
std::string unknown_why(const runner::Manifest& manifest, const Stage& stage);

}  // namespace orch::plan
