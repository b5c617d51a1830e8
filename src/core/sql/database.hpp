// A small RAII interface to SQLite: connection, statement and transaction. Errors carry SQLite's
// message and the failed statement.
#pragma once

#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

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

// The current row of a statement. Columns are numbered from 0.
class Row {
 public:
  int column_count() const;
  std::string column_name(int column) const;
  bool column_null(int column) const;
  std::int64_t column_int(int column) const;  // NULL reads as 0
  double column_real(int column) const;       // NULL reads as 0
  std::string column_text(int column) const;  // NULL reads as ""
  std::string column_blob(int column) const;
  std::optional<std::string> column_optional_text(int column) const;
  std::optional<std::int64_t> column_optional_int(int column) const;
  std::optional<double> column_optional_real(int column) const;
  // The value with the type that SQLite stored, regardless of the declared type.
  Cell cell(int column) const;

 protected:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  sqlite3_stmt* statement_;
};

// A prepared statement. Must not outlive its Database. Parameters are numbered from 1.
class Statement : public Row {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // VALUE: an integer, a real, text, a Blob, a Cell, or nullptr for NULL. Text and blobs are
  // copied.
  template <class T> Status bind(int index, const T& value) {
    constexpr bool is_null = std::is_same_v<T, std::nullptr_t> ||
                             std::is_same_v<T, std::nullopt_t> || std::is_same_v<T, std::monostate>;
    if constexpr (is_null) return bind_null(index);
    else if constexpr (std::is_integral_v<T>)
      return bind_integer(index, static_cast<std::int64_t>(value));
    else if constexpr (std::is_floating_point_v<T>) return bind_real(index, value);
    else if constexpr (std::is_same_v<T, Cell>)
      return std::visit([&](const auto& one) { return bind(index, one); }, value);
    else if constexpr (std::is_same_v<T, Blob>)
      return bind_blob(index, std::as_bytes(std::span(value.bytes)));
    else return bind_text(index, value);
  }
  template <class T> Status bind(int index, const std::optional<T>& value) {
    return value ? bind(index, *value) : bind_null(index);
  }
  Status bind_blob(int index, std::span<const std::byte> value);
  // Not copied: CELL must not change until INDEX is bound again or the statement is destroyed.
  Status bind_kept(int index, const Cell& cell);
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

  // Whether the statement leaves the database unchanged.
  bool read_only() const;

 private:
  friend class Database;
  using Row::Row;
  Status bind_null(int index);
  Status bind_integer(int index, std::int64_t value);
  Status bind_real(int index, double value);
  Status bind_text(int index, std::string_view value);
  Status expect_parameters(int given) const;
  Status check(int code) const;
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
  Result<Statement> first_row(std::string_view sql);

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
// for NULL; packed_text() fails if BLOB is not packed text.
void add_packed_functions(sqlite3* handle);

}  // namespace orch::sql
