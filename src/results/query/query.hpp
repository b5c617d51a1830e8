// Runs a user's SQL over the store, and lists the views. Only reads.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"
#include "core/sql/query_guard.hpp"
#include "results/query/table.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orch::report {

// QUERY is one read-only statement (SELECT, WITH, VALUES, EXPLAIN, PRAGMA), or the bare name of a
// view or table. An error is one line: SQLite's message and the closest known name, or the limit
// that was reached and how to raise it. Without LIMITS, sql::usual_limits() apply.
Result<Table> select(sql::Database& database, std::string_view query,
                     const std::optional<sql::QueryLimits>& limits = {});

struct QueryOutput {
  std::string text;       // in the requested format
  std::string note = {};  // for stderr; often ""
};

// Formats the result of select(). If QUERY is the bare name of a wide view (`results`), the formats
// table and markdown show only its main figures and no empty columns, as the note says, and values
// that are equal in all rows on a line above the table.
Result<QueryOutput> query_output(sql::Database& database, std::string_view query, Format format,
                                 const sql::QueryLimits& limits = {});

// The text of query_output(), without the note.
Result<std::string> run_query(sql::Database& database, std::string_view query, Format format);

// Lists the public views with their descriptions and columns. Format::table is for people; the
// other formats have the columns `view`, `what` and `columns`.
Result<std::string> list_views(sql::Database& database, Format format);

// Text to append to MESSAGE, SQLite's error about a name in SQL: the nearest column of the tables
// that SQL reads, the views that have the column, that the column has no value yet, or the nearest
// view or table. "" if no name is close. Does not run SQL.
std::string suggested_name(sql::Database& database, std::string_view sql, std::string_view message);

}  // namespace orch::report
