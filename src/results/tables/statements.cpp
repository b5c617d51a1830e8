#include "results/tables/statements.hpp"

namespace orch::tables {

namespace {

// The integer key of a table. Tables without one are WITHOUT ROWID, and no table refers to them.
constexpr std::string_view k_key =
    "SELECT name FROM pragma_table_info(?1) WHERE pk = 1 AND type = 'INTEGER' AND (SELECT count(*) "
    "FROM pragma_table_info(?1) WHERE pk > 0) = 1";

constexpr std::string_view k_references =
    "SELECT t.name, f.\"from\" FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE "
    "t.type = 'table' AND f.\"table\" = ? AND f.seq = 0";

}  // namespace

Result<sql::Statement*> Statements::get(std::string_view sql) {
  if (const auto found = kept_.find(sql); found != kept_.end()) return &found->second;
  ORCH_ASSIGN(sql::Statement statement, database_.prepare(sql));
  return &kept_.emplace(std::string(sql), std::move(statement)).first->second;
}

Result<const RowRemoval::Known*> RowRemoval::know(const std::string& table) {
  if (const auto known = tables_.find(table); known != tables_.end()) return &known->second;
  Known known;
  ORCH_ASSIGN(const auto key, statements_.text(k_key, table));
  known.key = key.value_or("");
  if (!known.key.empty())
    ORCH_TRY(statements_.rows(k_references, table, [&](sql::Statement& row) {
      known.references.push_back({row.column_text(0), row.column_text(1)});
    }));
  return &tables_.emplace(table, std::move(known)).first->second;
}

Status RowRemoval::remove(const std::string& table, const std::string& column, std::int64_t id) {
  ORCH_ASSIGN(const Known* known, know(table));
  const std::string where =
      fmt::format("FROM {} WHERE {} = ?", sql::quote_name(table), sql::quote_name(column));
  if (!known->references.empty()) {
    ORCH_ASSIGN(
        const auto ids,
        statements_.integers(fmt::format("SELECT {} {}", sql::quote_name(known->key), where), id));
    for (const Reference& reference : known->references)
      for (const std::int64_t referred : ids)
        ORCH_TRY(remove(reference.table, reference.column, referred));
  }
  return statements_.run("DELETE " + where, id);
}

}  // namespace orch::tables
