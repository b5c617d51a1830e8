// A plan for people: points, stages, what it will take.
#pragma once

#include "cli/site.hpp"
#include "matrix/expand.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace orch::cli {

struct PlanSurroundings {
  const matrix::Expansion& expansion;
  const Prices& prices;
  std::string store;                        // folder
  std::optional<std::uint64_t> free_bytes;  // where the store is
};

// One line a point, counts per stage, then what the plan takes: time, disk, GPU-hours, money.
std::string plan_text(const plan::Plan& plan, const PlanSurroundings& around);

// "12 run, 3 reuse, 1 reject: ..." of the points.
std::string count_points(const plan::Plan& plan);

// Reasons of points with STATUS and how many have each, the most frequent first.
std::vector<std::pair<std::string, std::size_t>> reasons_of(const plan::Plan& plan,
                                                            plan::Status status);

}  // namespace orch::cli
