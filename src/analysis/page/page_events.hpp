// What a report says beside the figures of its points: stages, failures, single requests, times in
// the server, the run, and the host. Reads the store.
#pragma once

#include "core/base/result.hpp"
#include "analysis/page/report.hpp"
#include "analysis/page/page_columns.hpp"
#include "analysis/page/page_reading.hpp"

namespace orch::report {

// Fills stages of REPORT and of its rows.
Status add_stages(sql::Database& database, page::Report& report, const std::string& root);
// Fills latencies and model_times, of the rows of the first group with the highest load.
Status add_requests(sql::Database& database, page::Report& report);
// Fills failures, spans and trends. RUN is the run whose time is shown.
Status add_run(sql::Database& database, page::Report& report, std::int64_t run, double now);

}  // namespace orch::report
