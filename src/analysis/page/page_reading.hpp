// Reads a report from the views of a store. Writes nothing and knows no HTML.
#pragma once

#include "core/base/result.hpp"
#include "analysis/page/report.hpp"
#include "results/query/table.hpp"
#include "core/sql/database.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace orch::report {

struct PageQuestion {
  std::optional<std::int64_t> run{};  // the points that this run requested last
  std::string where{};                // a condition over the columns of `results`; "" is none
  std::string root{};                 // the store's folder, which commands name as STORE
  std::string version{};
  double now = 0;  // seconds since the epoch
  bool live = false;
};

struct PageAnswer {
  page::Report report;
  Table rows;  // of the points, with every column of the view, in the order of the report
};

// A store without a point that is asked for gives a report without rows. Errors are those of
// select().
Result<PageAnswer> read_page(sql::Database& database, const PageQuestion& question);

}  // namespace orch::report
