// Limits the time and memory of a query.
#pragma once

#include "core/sql/database.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orch::sql {

struct QueryLimits {
  double seconds = 0;       // 0: no limit
  std::uint64_t bytes = 0;  // used by SQLite and by the rows that are kept; 0: no limit
  std::uint64_t rows = 0;   // kept rows; more are dropped; 0: no limit
};

// While it exists, statements of DATABASE that exceed the time or the memory fail. One per process
// at a time, because SQLite's memory is counted over all connections.
class QueryGuard {
 public:
  QueryGuard(Database& database, const QueryLimits& limits);
  ~QueryGuard();
  QueryGuard(const QueryGuard&) = delete;
  QueryGuard& operator=(const QueryGuard&) = delete;

  // Counts BYTES for a row that is kept. False if that exceeds the memory limit.
  bool keep(std::uint64_t bytes);
  // Whether the time limit, or the memory limit, ended a statement with ERROR.
  bool is_out_of_time(const Error& error) const;
  static bool is_out_of_memory(const Error& error);
  // ERROR, of a statement under usual_limits(). If a limit ended the statement, names it and the
  // remedy.
  Error explained(Error error) const;

 private:
  static int has_ended(void* guard);

  Database& database_;
  const QueryLimits limits_;
  const std::chrono::steady_clock::time_point end_;
  std::int64_t heap_before_ = 0;
  std::uint64_t kept_ = 0;
  bool late_ = false;
};

// The limits for a user's SQL, which may run forever, in commands without options for them: 60 s,
// or $ORCHESTRATE_SQL_TIMEOUT, and 512 MiB.
QueryLimits usual_limits();

// Whether a statement reads a certain column of a table or view. Executes nothing.

// Whether SQL itself, not only a view that it reads, reads COLUMN of TABLE; a `*` reads every
// column. False if SQL cannot be prepared.
bool reads_column(Database& database, std::string_view sql, std::string_view table,
                  std::string_view column);

// Whether SQL has WORD, in upper or lower case, outside strings and comments. WORD must be in lower
// case.
bool names_identifier(std::string_view sql, std::string_view word);

// The words of SQL outside strings and comments, in lower case: keywords and identifiers, without
// quotes.
std::vector<std::string> words_of(std::string_view sql);

}  // namespace orch::sql
