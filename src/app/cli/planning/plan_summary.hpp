// What a plan of many points is on one screen: its points by status and reason, and what stands
// out.
#pragma once

#include "plan/forecast/cost.hpp"
#include "plan/graph/plan.hpp"
#include "spec/runner/manifest.hpp"

#include <optional>
#include <span>
#include <string>

namespace orch::cli {

// "1 h 10 min to 1 h 30 min", or "about 1 h 10 min" where the ends are equal.
std::string range_text(const forecast::Expected& seconds);

// A line per status and reason, with the number of its points: reasons that differ only in numbers
// of a point are one, with the words of its first point.
std::string grouped_points_text(const plan::Plan& plan);

// Lines below a plan: stages that could be one, the longest measurement, and time limits that
// stages are expected to reach. SERVER_S: that of servers as jobs of a cluster; empty: they have
// none.
std::string notable_text(const plan::Plan& plan, std::span<const runner::Manifest* const> manifests,
                         std::optional<double> server_s);

}  // namespace orch::cli
