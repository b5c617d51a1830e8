// Differences, besides the runner itself, between points of the runners that a matrix compares:
// they affect the results as well. Pure.
#pragma once

#include "plan/graph/plan.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace orch::plan {

// A parameter whose values are not the same for all runners.
struct Difference {
  std::string parameter;
  // By runner of the plan: its distinct values, in the order of its points. None for a runner
  // without the parameter or without points, "" for a point without a value.
  std::vector<std::vector<std::string>> values;
  std::size_t groups = 0;    // of points, with exactly these values
  bool is_compared = false;  // matrix::Parameter::is_compared
};

struct Comparison {
  // Groups of points that agree in `by` and come from at least two runners.
  std::size_t groups = 0;
  std::vector<std::string> by;  // varied parameters that are not set together with `runner`
  // Compared parameters (matrix::Parameter::is_compared) that are equal in every group.
  std::vector<std::string> equal;
  // Compared parameters that do not differ as far as known: some points have no value, or a value
  // that waits for a fact.
  std::vector<std::string> unknown;
  std::vector<Difference> differences;  // by name; compared parameters first
};

// Compares the points of PLAN that are not rejected, in the parameters that at least two of their
// runners declare. PARAMETERS: by runner of the plan. The result is empty if the plan has one
// runner.
Comparison compare_runners(const Plan& plan, const matrix::Matrix& matrix,
                           const std::vector<std::span<const matrix::Parameter>>& parameters);

// The text of `plan --json`.
std::string to_json(const Plan& plan, const Comparison& comparison = {});

}  // namespace orch::plan
