// Reads a report from the views of a store.
#pragma once

#include "analysis/page/page_columns.hpp"
#include "analysis/page/report.hpp"
#include "core/base/result.hpp"
#include "core/sql/database.hpp"
#include "results/query/table.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace orch::report {

struct PageQuestion {
  std::optional<std::int64_t> run{};  // only points that this run was the last to request
  std::string where{};                // a condition over the columns of `results`; "" is none
  std::string root{};                 // the store's folder, which commands name as STORE
  std::string version{};
  double now = 0;  // seconds since the epoch
  bool live = false;
};

struct PageAnswer {
  page::Report report;
  Table rows;  // the rows of the points, with every column of the view, in the order of the report
};

// If no point matches, the report has no rows. Errors are those of select().
Result<PageAnswer> read_page(sql::Database& database, const PageQuestion& question);

// Reads what a report has besides the figures of its points: stages, failures, single requests,
// times in the server, the run, and the host.

// Fills `stages` of REPORT and of its rows.
Status add_stages(sql::Database& database, page::Report& report, const std::string& root);
// Fills `latencies` and `model_times` of REPORT from the rows of the first group with the highest
// load.
Status add_requests(sql::Database& database, page::Report& report);
// Fills `failures`, `spans` and `trends` of REPORT. RUN is the run whose time is shown.
Status add_run(sql::Database& database, page::Report& report, std::int64_t run, double now);

}  // namespace orch::report
