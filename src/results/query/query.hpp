// Runs a user's SQL over the store, and lists the views. Reads only; knows no command line.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"
#include "core/sql/query_guard.hpp"
#include "results/query/table.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orch::report {

// One read-only statement (SELECT, WITH, VALUES, EXPLAIN, PRAGMA), or the bare name of a view or
// table. An error is one line: SQLite's message and the closest known name, or the limit that was
// reached and how to raise it. Without LIMITS, sql::usual_limits() apply.
Result<Table> select(sql::Database& database, std::string_view query,
                     const std::optional<sql::QueryLimits>& limits = {});

struct QueryOutput {
  std::string text;  // in the requested format
  std::string note;  // for stderr; often ""
};

// Formats the result of select(). In table and markdown format, the bare name of a wide view
// (`results`) leaves out empty columns and all but the main figures, which the note reports, and
// prints values equal in all rows on a line above the table.
Result<QueryOutput> query_output(sql::Database& database, std::string_view query, Format format,
                                 const sql::QueryLimits& limits = {});

// query_output() without its note.
Result<std::string> run_query(sql::Database& database, std::string_view query, Format format);

// Lists every public view with a description and its columns. Format::table is for people; the
// other formats have the columns `view`, `what` and `columns`.
Result<std::string> list_views(sql::Database& database, Format format);

// The name that a query probably meant when SQLite knows no such table or column. Reads the schema
// only; does not run the query.

// What to append to MESSAGE, which SQLite wrote about SQL: the nearest column of the tables that
// SQL reads, the views that have the column, or the nearest view. "" if nothing is close.
std::string suggested_name(sql::Database& database, std::string_view sql, std::string_view message);

}  // namespace orch::report
