// The wide tables: one row per point with a column for every parameter, one row per measurement
// with a column for every metric and statistic. Columns are added when a name first appears; no
// migration is needed for them.
#pragma once

#include "base/result.hpp"
#include "tables/record.hpp"
#include "tables/statements.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace orch::tables {

struct WideColumn {
  std::string name;
  bool parameter = false;
  std::string metric;     // "" of a parameter
  std::string statistic;  // "" for the mean or the value
};

// "p99" of ttft_ms -> "ttft_ms_p99"; "" -> "ttft_ms".
std::string column_of(std::string_view metric, std::string_view statistic);

class Wide {
 public:
  explicit Wide(Statements& statements) : statements_(statements) {}

  // Reads the columns that the file has. Called at open, and again after a rollback.
  Status load();
  const std::map<std::string, WideColumn>& columns() const { return columns_; }
  // Have columns been added since the views were made? Cleared by views_made().
  bool changed() const { return changed_; }
  void views_made() { changed_ = false; }

  using Values = std::vector<std::pair<std::string, sql::Cell>>;

  // Inside a transaction. A parameter that has the name of a metric is an error.
  Status put_point(std::int64_t point_id, const Values& parameters);
  // Inside a transaction. Metrics that cannot have a column (a parameter or a column of the views
  // has their name, or the table is full) are left out and said in WARNINGS; their rows in `metric`
  // are not touched by this.
  Status put_metrics(std::int64_t measurement_id, const std::vector<Metric>& metrics,
                     std::vector<std::string>& warnings);
  // Inside a transaction. Makes the column for METRIC's value, which is kept elsewhere, if it can
  // be had, so that the views show it.
  Status have_metric(std::string_view metric);

 private:
  Status add(const WideColumn& column);
  // Makes the column if needed; false when it cannot be had.
  Result<bool> metric_column(const WideColumn& wanted);

  Statements& statements_;
  std::map<std::string, WideColumn> columns_;
  bool changed_ = false;
};

}  // namespace orch::tables
