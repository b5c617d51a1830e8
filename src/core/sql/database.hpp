// A small RAII interface to SQLite: connection, statement and transaction. Errors carry SQLite's
// message and the failed statement.
#pragma once

#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

struct sqlite3;

namespace orch::sql {

enum class Access {
  read_only,   // the file must exist; the WAL is never checkpointed on close
  immutable,   // read_only for a file that cannot change: takes no lock, touches no other file
  read_write,  // the file must exist
  create,      // created when absent
};

struct OpenOptions {
  Access access = Access::create;
  int busy_timeout_ms = 5000;
};

// Bytes, as opposed to text.
struct Blob {
  std::string bytes;

  bool operator==(const Blob&) const = default;
};

// The value of one cell of a row; monostate is NULL.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;

inline bool is_null(const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }

// A prepared statement. Must not outlive its Database. Parameters are numbered from 1, columns from
// 0.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  Status bind(int index, std::nullptr_t);
  Status bind(int index, std::nullopt_t) { return bind(index, nullptr); }
  Status bind(int index, std::int64_t value);
  Status bind(int index, int value) { return bind(index, std::int64_t{value}); }
  Status bind(int index, bool value) { return bind(index, std::int64_t{value}); }
  Status bind(int index, std::size_t value) {
    return bind(index, static_cast<std::int64_t>(value));
  }
  Status bind(int index, double value);
  Status bind(int index, std::string_view value);  // copied
  Status bind(int index, const std::string& value) { return bind(index, std::string_view(value)); }
  Status bind(int index, const char* value) { return bind(index, std::string_view(value)); }
  Status bind_blob(int index, std::span<const std::byte> value);  // copied
  Status bind(int index, const Cell& cell);
  // Not copied: CELL must not change until INDEX is bound again or the statement is destroyed.
  Status bind_kept(int index, const Cell& cell);
  template <class T> Status bind(int index, const std::optional<T>& value) {
    return value ? bind(index, *value) : bind(index, nullptr);
  }
  // NAME includes its prefix, as in ":id". Error: the statement has no such parameter.
  template <class T> Status bind(std::string_view name, const T& value) {
    ORCH_ASSIGN(const int index, index_of(name));
    return bind(index, value);
  }
  // Binds 1, 2, ... in order; every parameter of the statement must get a value.
  template <class... Args> Status bind_all(const Args&... args) {
    ORCH_TRY(expect_parameters(static_cast<int>(sizeof...(args))));
    int index = 0;
    Status status;
    static_cast<void>(((status = bind(++index, args), status.ok()) && ...));
    return status;
  }

  // True: the columns hold a row. False: there are no more rows.
  Result<bool> step();
  // Steps once, ignores a row, and resets: for repeated INSERT, UPDATE and DELETE.
  Status run();
  // bind_all and run.
  template <class... Args> Status run_with(const Args&... args) {
    ORCH_TRY(bind_all(args...));
    return run();
  }
  // Makes the statement ready to step again; bindings stay.
  void reset();

  int column_count() const;
  std::string column_name(int column) const;
  bool column_null(int column) const;
  std::int64_t column_int(int column) const;  // NULL reads as 0
  double column_real(int column) const;       // NULL reads as 0
  std::string column_text(int column) const;  // NULL reads as ""
  std::string_view column_view(
      int column) const;  // valid until the next step, reset or read of another type
  std::string column_blob(int column) const;
  std::optional<std::string> column_optional_text(int column) const;
  std::optional<std::int64_t> column_optional_int(int column) const;
  std::optional<double> column_optional_real(int column) const;
  // The value with the type that SQLite stored, regardless of the declared type.
  Cell cell(int column) const;

  // Whether the statement leaves the database unchanged.
  bool read_only() const;

 private:
  friend class Database;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  Result<int> index_of(std::string_view name) const;
  Status expect_parameters(int given) const;
  Status check(int code) const;

  sqlite3_stmt* statement_ = nullptr;
};

// A connection. Owned and used by one thread at a time.
class Database {
 public:
  // Every connection has the SQL functions pack_text(TEXT), which compresses with orch::pack(), and
  // its inverse packed_text(BLOB). PATH ":memory:" is a private in-memory database. Foreign keys
  // are on; double-quoted strings are off.
  static Result<Database> open(const std::string& path, const OpenOptions& options = {});

  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  // Runs one or more statements without parameters; rows are discarded.
  Status execute(std::string_view sql);
  // Prepares exactly one statement. Only white space and comments may follow it.
  Result<Statement> prepare(std::string_view sql);

  // The first column of the first row of SQL. Without a row: ErrorKind::not_found.
  Result<std::int64_t> query_int(std::string_view sql);
  Result<std::string> query_text(std::string_view sql);

  std::int64_t last_insert_id() const;
  std::int64_t changes() const;
  bool in_transaction() const;

  // SQLite's handle, for .cpp files that need more of SQLite's interface.
  sqlite3* handle() const { return handle_; }

 private:
  explicit Database(sqlite3* handle) : handle_(handle) {}

  sqlite3* handle_ = nullptr;
};

// BEGIN IMMEDIATE; the destructor rolls back unless committed. The Database must outlive it and
// must not move.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);

  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  // On failure the transaction is rolled back.
  Status commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;  // null: ended
};

// NAME as an SQL identifier, in double quotes.
std::string quote_name(std::string_view name);
// TEXT as an SQL string literal, in single quotes.
std::string quote_text(std::string_view text);

// SQL functions that compress and decompress text.

// pack_text(TEXT) compresses with orch::pack(); packed_text(BLOB) is its inverse. Both return NULL
// for NULL; packed_text() fails for any other value.
void add_packed_functions(sqlite3* handle);

}  // namespace orch::sql
