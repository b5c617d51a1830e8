// A cache of prepared statements of one connection, keyed by their text.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orch::tables {

// DATABASE must outlive this and must not move.
class Statements {
 public:
  explicit Statements(sql::Database& database) : database_(database) {}

  sql::Database& database() { return database_; }

  // The prepared statement for SQL, ready to be bound; the caller resets it when done.
  Result<sql::Statement*> get(std::string_view sql);

  // Runs SQL with ARGS bound in order; ignores rows.
  template <class... Args> Status run(std::string_view sql, const Args&... args) {
    ORCH_ASSIGN(sql::Statement * statement, get(sql));
    return statement->run_with(args...);
  }

  // The first column of the first row; nullopt if there is no row or the value is NULL.
  template <class... Args>
  Result<std::optional<std::int64_t>> integer(std::string_view sql, const Args&... args) {
    return first<std::optional<std::int64_t>>(
        sql, [](sql::Statement& s) { return s.column_optional_int(0); }, args...);
  }
  template <class... Args>
  Result<std::optional<double>> real(std::string_view sql, const Args&... args) {
    return first<std::optional<double>>(
        sql, [](sql::Statement& s) { return s.column_optional_real(0); }, args...);
  }
  template <class... Args>
  Result<std::optional<std::string>> text(std::string_view sql, const Args&... args) {
    return first<std::optional<std::string>>(
        sql, [](sql::Statement& s) { return s.column_optional_text(0); }, args...);
  }

  // Calls the last argument, EACH(Statement&), for every row of SQL, to which the arguments before
  // it are bound in order.
  template <class... ArgsAndEach> Status rows(std::string_view sql, ArgsAndEach&&... arguments) {
    return call_for_rows(sql, std::forward_as_tuple(arguments...),
                         std::make_index_sequence<sizeof...(arguments) - 1>());
  }

  // The first column of every row.
  template <class... Args>
  Result<std::vector<std::string>> texts(std::string_view sql, const Args&... args) {
    std::vector<std::string> all;
    ORCH_TRY(rows(sql, args..., [&](sql::Statement& row) { all.push_back(row.column_text(0)); }));
    return all;
  }
  template <class... Args>
  Result<std::vector<std::int64_t>> integers(std::string_view sql, const Args&... args) {
    std::vector<std::int64_t> all;
    ORCH_TRY(rows(sql, args..., [&](sql::Statement& row) { all.push_back(row.column_int(0)); }));
    return all;
  }

 private:
  struct Reset {
    sql::Statement* statement;
    ~Reset() { statement->reset(); }
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  template <class Tuple, std::size_t... Arg>
  Status call_for_rows(std::string_view sql, const Tuple& args_and_each,
                       std::index_sequence<Arg...>) {
    ORCH_ASSIGN(sql::Statement * statement, get(sql));
    const Reset reset{statement};
    ORCH_TRY(statement->bind_all(std::get<Arg>(args_and_each)...));
    while (true) {
      ORCH_ASSIGN(const bool row, statement->step());
      if (!row) return {};
      std::get<sizeof...(Arg)>(args_and_each)(*statement);
    }
  }

  template <class T, class Read, class... Args>
  Result<T> first(std::string_view sql, Read read, const Args&... args) {
    ORCH_ASSIGN(sql::Statement * statement, get(sql));
    const Reset reset{statement};
    ORCH_TRY(statement->bind_all(args...));
    ORCH_ASSIGN(const bool row, statement->step());
    return row ? read(*statement) : T{};
  }

  sql::Database& database_;
  std::unordered_map<std::string, sql::Statement, Hash, std::equal_to<>> kept_;
};

// Deletes rows together with the rows that refer to them. The references are read from the schema,
// so a new table needs no change here. The caller commits.

// No tables may be added during its lifetime.
class RowRemoval {
 public:
  // STATEMENTS must outlive this.
  explicit RowRemoval(Statements& statements) : statements_(statements) {}

  // Deletes the rows of TABLE whose COLUMN is ID, after all rows that refer to them, directly or
  // indirectly, by an integer primary key. Call inside a transaction.
  Status remove(const std::string& table, const std::string& column, std::int64_t id);

 private:
  struct Reference {
    std::string table, column;
  };
  struct Known {
    std::string key;                    // "" if no row can be referred to
    std::vector<Reference> references;  // to the key
  };

  Result<const Known*> know(const std::string& table);

  Statements& statements_;
  std::map<std::string, Known> tables_;
};

}  // namespace orch::tables
