// An interval of which either side may be unbounded. Knows no method.
#pragma once

#include <optional>

namespace orch::statistics {

// Empty: the data allow no limit on this side.
struct Limits {
  std::optional<double> low{};
  std::optional<double> high{};

  bool operator==(const Limits&) const = default;
};

}  // namespace orch::statistics
