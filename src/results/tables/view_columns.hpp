// What the columns of the views mean, one line each. Parameters and metrics, which are columns of
// `results` and `results_all` as well, are described by their runner and by the metric table.
#pragma once

#include <span>
#include <string_view>

namespace orch::tables {

struct ViewColumn {
  std::string_view name;
  std::string_view views;  // the views that have it with this meaning, separated by one space
  std::string_view what;
};

// Sorted by name.
std::span<const ViewColumn> view_columns();

}  // namespace orch::tables
