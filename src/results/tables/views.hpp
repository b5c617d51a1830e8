// The views of results.db, the stable interface for users, scripts and other programs. Their SQL is
// generated from the wide columns, and a view is replaced when its SQL changes.
#pragma once

#include "core/base/result.hpp"
#include "results/tables/statements.hpp"
#include "results/tables/wide.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::tables {

struct View {
  std::string_view name;
  std::string_view what;            // one line
  std::string (*sql)(const Wide&);  // the SELECT
};

// In display order.
std::span<const View> public_views();
std::vector<std::string> names_of_views();

// Creates missing views and replaces those that differ, inside the caller's transaction.
Status refresh_views(Statements& statements, Wide& wide);

// The meanings of the views' columns, one line each. Parameters and metrics, which are also columns
// of `results` and `results_all`, are described by their runner and by the metric table.

inline constexpr std::string_view k_every_view = "*";

struct ViewColumn {
  std::string_view name;
  // The views that have the column with this meaning, separated by one space, or k_every_view.
  std::string_view views;
  std::string_view what;

  std::vector<std::string> of_views() const;
  bool is_of(std::string_view view) const;
};

// Sorted by name.
std::span<const ViewColumn> view_columns();

// The views, as SQL, of what servers report and consume while they are measured.

// Each reads two tables, one of them measurement_point.
std::string server_metrics_sql(const Wide& wide);
std::string model_times_sql(const Wide& wide);
std::string gpus_sql(const Wide& wide);
std::string_view node_migration();

// The view `side_by_side`: measurements by several tools at points that do not differ otherwise, as
// SQL.

// Reads tables, not views.
std::string side_by_side_sql(const Wide& wide);

// Views with the columns of published tables, for scripts that read those tables: `llm_perf` and
// `lmdeploy`, as SQL.

// Both read the view results_by_tool. A figure that a tool reports under its own name is used as it
// is; others are computed from the columns of results_by_tool.
std::string llm_perf_sql(const Wide& wide);
std::string lmdeploy_sql(const Wide& wide);

}  // namespace orch::tables
