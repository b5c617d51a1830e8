// Decides which stages of a graph run, which are reused and which wait for facts, and why. Works
// backwards from the measurements: a stage that no stage to run needs stays idle.
#pragma once

#include "plan/graph/plan.hpp"

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::plan {

// Sets status and why of every stage and point. Error: a runner lacks the stage of --until.
void decide(Plan& plan, std::span<const Inputs> all, Errors& errors);

// Estimates the time and disk space of stages: the median over EARLIER attempts of the same stage,
// else of the stages of its name that share the most parameter values with it. Without such
// attempts, the time is that of the first of TIMES that has the stage's name and agrees with its
// first point in every parameter, else the middle of the range that its manifest expects, else its
// lower bound; nullopt if there is none of these. A time is never less than the bound, unless the
// stage itself was measured.
void estimate(Plan& plan, const std::vector<Earlier>& earlier, const std::vector<StageTime>& times);

// Orders the stages of a plan. Makes points that share a build or a server adjacent, at every level
// of the servers' needs, and puts the group with the cheapest point first. If stages may run
// concurrently (Plan::isolation), the cheapest point comes first, then the stages that lead to the
// most GPUs and work. Without known times, and if points are measured again, keeps the order of the
// axes. The servers of several runners take turns, and every server has its first session
// (repeats.serve) before any has its second. Moves only the stages of PLAN; every stage follows its
// needs.
void order(Plan& plan, std::span<const Inputs> all);

// FAILURE_CLASS: a class of run/attempt/failure_table.cpp.
bool is_out_of_memory(std::string_view failure_class);

// The points of PLAN that need at least as much memory as POINT, which ran out of it: they have the
// same runner, at least as much of each parameter of Plan::prune_by and more of one, and are equal
// in every other parameter that the matrix varies. Values that are not numbers must be equal.
std::vector<std::size_t> pruned_by(const Plan& plan, std::size_t point);

// "pruned: NAME ran out of memory (cuda_oom) with concurrency 64".
std::string pruned_why(const Plan& plan, std::size_t point, std::string_view failure_class);

// The stage that reports facts of models, and everything that it needs. These stages run for points
// that wait for such facts. Empty if no stage reports any.
std::set<std::string> fact_stages(const runner::Manifest& manifest);

bool waits_for_model(const matrix::Point& point);

// "rule 'kv-heads' waits for model_kv_heads of qwen2-7b: known after download". UNKNOWN: what the
// digests of the point's stages lack.
std::string undecided_why(const runner::Manifest& manifest, const matrix::Point& point,
                          const std::vector<std::string>& unknown);

// Why STAGE, needed only by undecided points, is undecided.
std::string unknown_why(const runner::Manifest& manifest, const Stage& stage);

}  // namespace orch::plan
