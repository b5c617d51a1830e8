#include "tables/delete_rows.hpp"

#include <vector>

namespace orch::tables {

namespace {

struct Reference {
  std::string table, column;
};

// The columns that refer to TABLE by its primary key alone. References of several columns are to
// tables without an integer key; they have none of their own here.
Result<std::vector<Reference>> references_to(Statements& statements, const std::string& table) {
  std::vector<Reference> found;
  ORCH_TRY(statements.rows(
      "SELECT t.name, f.\"from\" FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE "
      "t.type = 'table' AND f.\"table\" = ? AND f.seq = 0",
      [&](sql::Statement& row) {
        found.push_back({row.column_text(0), row.column_text(1)});
      },
      table));
  return found;
}

// The integer primary key of TABLE; "" for a table WITHOUT ROWID, to whose rows nothing refers.
Result<std::string> key_of(Statements& statements, const std::string& table) {
  ORCH_ASSIGN(const auto key,
              statements.text("SELECT name FROM pragma_table_info(?) WHERE pk = 1 AND type = "
                              "'INTEGER' AND (SELECT count(*) FROM pragma_table_info(?) WHERE pk "
                              "> 0) = 1",
                              table, table));
  return key.value_or("");
}

}  // namespace

Status delete_rows(Statements& statements, const std::string& table, const std::string& column,
                   std::int64_t id) {
  ORCH_ASSIGN(const std::string key, key_of(statements, table));
  ORCH_ASSIGN(const auto references, references_to(statements, table));
  if (!key.empty() && !references.empty()) {
    std::vector<std::int64_t> ids;
    ORCH_TRY(statements.rows(
        fmt::format("SELECT {} FROM {} WHERE {} = ?", sql::quote_name(key), sql::quote_name(table),
                    sql::quote_name(column)),
        [&](sql::Statement& row) { ids.push_back(row.column_int(0)); }, id));
    for (const Reference& reference : references)
      for (const std::int64_t referred : ids)
        ORCH_TRY(delete_rows(statements, reference.table, reference.column, referred));
  }
  return statements.run(
      fmt::format("DELETE FROM {} WHERE {} = ?", sql::quote_name(table), sql::quote_name(column)),
      id);
}

}  // namespace orch::tables
