// Limits of the time and the memory that a query may take.
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
  std::uint64_t bytes = 0;  // of SQLite and of the rows that are kept; 0: no limit
  std::uint64_t rows = 0;   // that are kept; further ones are left out; 0: no limit
};

// While it lives, statements of DATABASE that reach a limit end with an error. One at a time in a
// process, because the memory is that of all connections.
class QueryGuard {
 public:
  QueryGuard(Database& database, const QueryLimits& limits);
  ~QueryGuard();
  QueryGuard(const QueryGuard&) = delete;
  QueryGuard& operator=(const QueryGuard&) = delete;

  // Counts BYTES of a row that is kept. False: there is no memory for it.
  bool keep(std::uint64_t bytes);
  // Which limit ended a statement with ERROR.
  bool is_out_of_time(const Error& error) const;
  static bool is_out_of_memory(const Error& error);

 private:
  static int has_ended(void* guard);

  Database& database_;
  const QueryLimits limits_;
  const std::chrono::steady_clock::time_point end_;
  std::int64_t heap_before_ = 0;
  std::uint64_t kept_ = 0;
  bool late_ = false;
};

// While it lives, a statement of DATABASE that takes longer than LIMITS say, each for itself, ends
// with an error that names the limit and the remedy: SQL of a user may have no end. The memory is
// that of all connections. Must not outlive DATABASE; a QueryGuard of the same connection takes its
// place.
class StatementBound {
 public:
  StatementBound(Database& database, const QueryLimits& limits);
  ~StatementBound();
  StatementBound(const StatementBound&) = delete;
  StatementBound& operator=(const StatementBound&) = delete;

  // Again, after a QueryGuard of the connection.
  void watch();

 private:
  static int has_begun(unsigned what, void* bound, void*, void*);
  static int has_ended(void* bound);

  Database& database_;
  const QueryLimits limits_;
  std::chrono::steady_clock::time_point end_;
  std::int64_t heap_before_ = 0;
};

// The limits of statements with a user's SQL in commands that have no option for them: 60 s, or as
// $ORCHESTRATE_SQL_TIMEOUT says, and 512 MiB.
QueryLimits usual_limits();

// Why SQLite ended a statement with CODE, when a StatementBound of this thread did; else "".
std::string why_bounded(int code);

// Whether a statement reads a certain column of a table or view. Runs nothing.

// Whether SQL, outside the views that it reads, reads COLUMN of TABLE; a `*` reads every column.
// False for a statement that cannot be prepared.
bool reads_column(Database& database, std::string_view sql, std::string_view table,
                  std::string_view column);

// Whether WORD stands in SQL as an identifier, outside strings and comments, in any case.
bool names_identifier(std::string_view sql, std::string_view word);

// The words of SQL outside strings and comments, in lower case: keywords and identifiers, quoted
// ones without their quotes.
std::vector<std::string> words_of(std::string_view sql);

}  // namespace orch::sql
