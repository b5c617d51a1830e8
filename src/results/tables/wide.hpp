// The wide tables: one row per point with a column for every parameter, and one row per measurement
// and per result with a column for every metric and statistic. A column is added when a name first
// appears, without a migration.
#pragma once

#include "bench/record/record_reader.hpp"
#include "core/base/result.hpp"
#include "results/tables/statements.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::tables {

struct WideColumn {
  std::string name;
  bool parameter = false;
  std::string metric = {};     // "" for a parameter
  std::string statistic = {};  // "" for the mean or the value
};

// "p99" of ttft_ms -> "ttft_ms_p99"; "" -> "ttft_ms".
std::string column_of(std::string_view metric, std::string_view statistic);

class Wide {
 public:
  explicit Wide(Statements& statements);

  // Reads the columns that the database has. Called at open, and again after a rollback.
  Status load();
  // Adds the metric columns to a table that a migration has created without them. Runs inside the
  // caller's transaction.
  Status complete();
  const std::map<std::string, WideColumn>& columns() const { return columns_; }
  // Whether columns have been added since views_made().
  bool changed() const { return changed_; }
  void views_made() { changed_ = false; }

  using Values = std::vector<std::pair<std::string, sql::Cell>>;

  // Writes the row of a point inside the caller's transaction. A parameter with the name of a
  // metric is an error.
  Status put_point(std::int64_t point_id, const Values& parameters);
  // Writes the row of a measurement inside the caller's transaction. Leaves out, with a warning,
  // metrics that cannot have a column: a parameter or a column of the views has the name, or there
  // is no column left for metrics that are not ours. Their rows in `metric` are not affected.
  Status put_metrics(std::int64_t measurement_id, const std::vector<record::NamedMetric>& metrics,
                     std::vector<std::string>& warnings);
  // The same for a row of the table `point_result`. Leaves out names without a column silently,
  // because the measurements already have the warning.
  Status put_result(std::int64_t result_id, const std::vector<record::NamedMetric>& metrics);
  // Adds a column for METRIC if possible, so that the views show its value, which is in a different
  // table. Runs inside the caller's transaction.
  Status have_metric(std::string_view metric);

 private:
  Status add(const WideColumn& column);
  // Creates in the database the columns added since the last call.
  Status make_columns();
  Status make_columns(std::string_view table, const std::vector<std::string>& names);
  // Writes a row of TABLE, whose key KEY is ID. Returns the names of columns for which there is no
  // room, and adds to TAKEN those that cannot be columns.
  Result<std::vector<std::string>> put(std::string_view table, std::string_view key,
                                       std::int64_t id,
                                       const std::vector<record::NamedMetric>& metrics,
                                       std::vector<std::string>& taken);
  enum class Fit { fits, is_taken, no_room };
  // Adds the column if it is missing and possible; make_columns() creates it.
  Result<Fit> metric_column(const WideColumn& wanted);

  Statements& statements_;
  std::map<std::string, WideColumn> columns_;
  std::vector<std::string> new_parameters_, new_metrics_;  // columns not created yet
  std::size_t others_ = 0;                                 // columns of metrics that are not ours
  bool changed_ = false;
};

}  // namespace orch::tables
