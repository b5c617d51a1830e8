#include "analysis/report/disturbance.hpp"

#include <algorithm>

namespace orch::report {

namespace {

// How such warnings begin.
constexpr std::string_view k_disturbances[] = {"other programs used", "another client used"};

}  // namespace

bool tells_disturbance(std::string_view warnings) {
  return std::ranges::any_of(k_disturbances, [warnings](std::string_view text) {
    return warnings.find(text) != std::string_view::npos;
  });
}

bool tells_bursts(std::string_view warnings) {
  return warnings.find("the stream arrived in bursts") != std::string_view::npos;
}

}  // namespace orch::report
