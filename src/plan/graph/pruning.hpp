// Which points are known to fail because another one ran out of memory. Pure.
#pragma once

#include "plan/graph/plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::plan {

// KLASS: a class of run/attempt/failure_table.cpp.
bool is_out_of_memory(std::string_view klass);

// The points of PLAN that need at least as much memory as POINT, which ran out of it: they are of
// the same runner, have at least as much of each parameter of Plan::prune_by and more of one, and
// are equal in every other parameter that the matrix varies. Values that are no numbers must be
// equal.
std::vector<std::size_t> pruned_by(const Plan& plan, std::size_t point);

// "pruned: NAME ran out of memory (cuda_oom) with concurrency 64".
std::string pruned_why(const Plan& plan, std::size_t point, std::string_view klass);

}  // namespace orch::plan
