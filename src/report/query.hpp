// A user's SQL over the store, and the list of what can be asked. Reads only; knows no command
// line.
#pragma once

#include "base/result.hpp"
#include "report/table.hpp"
#include "sql/database.hpp"

#include <string>
#include <string_view>

namespace orch::report {

// One reading statement (SELECT, WITH, VALUES, EXPLAIN, PRAGMA), or the bare name of a view or
// table. Errors are one line: SQLite's message, and the name that was probably meant.
Result<Table> select(sql::Database& database, std::string_view query);

struct Answer {
  std::string text;  // in the format asked for
  std::string note;  // for a person, on stderr; often ""
};

// select() as text. The bare name of a view with many columns (`results`) is cut, in the formats
// for people, to the columns that hold something and no spread; the note says so.
Result<Answer> answer(sql::Database& database, std::string_view query, Format format);

// answer() without its note.
Result<std::string> run_query(sql::Database& database, std::string_view query, Format format);

// Every public view with one line and its columns. Format::table is for people, else columns
// `view`, `what`, `columns`.
Result<std::string> list_views(sql::Database& database, Format format);

}  // namespace orch::report
