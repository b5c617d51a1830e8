// Decides which stages of a graph run, which are reused and which wait for facts, and why. Goes
// from the measurements backwards: a stage that no other waits for stays idle.
#pragma once

#include "plan/graph/plan.hpp"

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::plan {

// Sets status and why of every stage and point. An unknown name in the options is an error.
void decide(Plan& plan, std::span<const Inputs> all, Errors& errors);

// Estimates the time and the disk space that stages will take from those of earlier attempts.

// The median over attempts of the same stage, else over attempts of those stages of its name that
// share the most parameters with it. Of a stage that none is like: the first of TIMES that has its
// name and agrees with its first point in every parameter, else the middle of what its manifest
// expects, or its bound. Never less than the bound, unless the stage itself was measured. Without
// any of these an estimate stays empty.
void estimate(Plan& plan, const std::vector<Earlier>& earlier, const std::vector<StageTime>& times);

// Orders the stages of a plan. Knows their estimates and nothing of their content.

// Points that share a build or a server are adjacent, at every level of the servers' needs, and the
// group with the cheapest point comes first. Without known times, and where points are measured
// again, the order of the axes stays. The servers of several runners take turns, and every server
// has its first session (repeats.serve) before any has its second. Moves the stages of PLAN only;
// every stage follows those that it needs.
void order(Plan& plan, std::span<const Inputs> all);

// Which points are known to fail because another one ran out of memory. Pure.

// KLASS: a class of run/attempt/failure_table.cpp.
bool is_out_of_memory(std::string_view failure_class);

// The points of PLAN that need at least as much memory as POINT, which ran out of it: they are of
// the same runner, have at least as much of each parameter of Plan::prune_by and more of one, and
// are equal in every other parameter that the matrix varies. Values that are no numbers must be
// equal.
std::vector<std::size_t> pruned_by(const Plan& plan, std::size_t point);

// "pruned: NAME ran out of memory (cuda_oom) with concurrency 64".
std::string pruned_why(const Plan& plan, std::size_t point, std::string_view failure_class);

// Which stages report facts, and the messages about points and stages that wait for unknown ones.

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
