// Stages that could be one if some of their parameters were as large as the largest of them:
// engines for several lengths, say. Knows no parameter: manifests say which of them a larger value
// covers.
#pragma once

#include "plan/graph/plan.hpp"
#include "spec/runner/manifest.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orch::forecast {

struct Widening {
  std::vector<std::pair<std::string, std::string>> set;  // parameter -> the largest value; by name
  std::size_t stages = 0;                                // that remain
  std::uint64_t bytes = 0;                               // of outputs that are not written
};

struct WiderStages {
  std::string stage;       // in the manifest
  std::size_t stages = 0;  // that are to run
  // With all parameters that matter, then with all but one of them, as far as that saves a stage.
  std::vector<Widening> ways;
};

// MANIFESTS: those of the plan's runners. Considers the stages to run of each kind whose manifest
// says for provided outputs that a larger value is enough (runner::Agree::at_least).
std::vector<WiderStages> wider_stages(const plan::Plan& plan,
                                      std::span<const runner::Manifest* const> manifests);

}  // namespace orch::forecast
