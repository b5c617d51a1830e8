#include "sql/generated_column.hpp"

#include "base/text.hpp"

namespace orch::sql {

namespace {

constexpr const char* k_row = "the row";
constexpr const char* k_value = "the value";

// The table must have our columns, the last one generated, and nothing else.
Status check_schema(Database& database, const std::string& table, std::span<const ColumnDefinition> reads) {
  const Error foreign{.kind = ErrorKind::invalid, .message = "the expression made a table that is not the one we wrote", .where = {}};
  ORCH_ASSIGN(Statement info, database.prepare(fmt::format("PRAGMA table_xinfo({})", quote_name(table))));
  auto expect = [&](const std::string& name, bool key, bool generated) -> Result<bool> {
    constexpr int k_name = 1, k_not_null = 3, k_default = 4, k_key = 5, k_hidden = 6, k_stored = 3;
    ORCH_ASSIGN(const bool row, info.step());
    return row && info.column_text(k_name) == name && info.column_int(k_not_null) == 0 && info.column_null(k_default) &&
           info.column_int(k_key) == key && info.column_int(k_hidden) == (generated ? k_stored : 0);
  };
  ORCH_ASSIGN(bool ours, expect(k_row, true, false));
  for (const ColumnDefinition& column : reads) {
    ORCH_ASSIGN(const bool one, expect(column.name, false, false));
    ours = ours && one;
  }
  ORCH_ASSIGN(const bool value, expect(k_value, false, true));
  ORCH_ASSIGN(const bool more, info.step());
  if (!ours || !value || more) return foreign;
  for (const char* pragma : {"index_list", "foreign_key_list"}) {
    ORCH_ASSIGN(Statement rest, database.prepare(fmt::format("PRAGMA {}({})", pragma, quote_name(table))));
    ORCH_ASSIGN(const bool any, rest.step());
    if (any) return foreign;
  }
  return {};
}

}  // namespace

const char* type_sql(ColumnType type) {
  switch (type) {
    case ColumnType::any: return "";
    case ColumnType::text: return " TEXT";
    case ColumnType::integer: return " INTEGER";
    case ColumnType::real: return " REAL";
    case ColumnType::version: return " TEXT COLLATE version";
  }
  return "";
}

Result<GeneratedColumn> GeneratedColumn::make(Database& database, ExpressionGuard& guard, const std::string& table,
                                              std::span<const ColumnDefinition> reads, const std::string& sql, ColumnType type) {
  std::string columns = quote_name(k_row);
  std::string marks = "1";
  std::string declared = quote_name(k_row) + " INTEGER PRIMARY KEY, ";
  for (const ColumnDefinition& column : reads) {
    declared += quote_name(column.name) + type_sql(column.type) + ", ";
    columns += ", " + quote_name(column.name);
    marks += ", ?";
  }
  guard.allow_table(table);
  guard.forget();
  const std::string name = quote_name(table);
  declared += fmt::format("{}{} GENERATED ALWAYS AS ({}) STORED", quote_name(k_value), type_sql(type), sql);
  ORCH_TRY(database.execute(fmt::format("CREATE TABLE {} ({})", name, declared)));
  ORCH_TRY(check_schema(database, table, reads));
  // Some faults show only when a column is compiled to be computed (RAISE, row values).
  ORCH_ASSIGN(Statement insert, database.prepare(fmt::format("INSERT OR REPLACE INTO {} ({}) VALUES ({})", name, columns, marks)));
  ORCH_ASSIGN(Statement select, database.prepare(fmt::format("SELECT {} FROM {}", quote_name(k_value), name)));
  return GeneratedColumn(guard, std::move(insert), std::move(select));
}

Result<Cell> GeneratedColumn::compute(std::span<const Cell* const> inputs) {
  guard_->allow_row();
  int index = 0;
  for (const Cell* input : inputs) ORCH_TRY(insert_.bind(++index, *input));
  ORCH_TRY(insert_.run());
  ORCH_ASSIGN(const bool row, select_.step());
  Cell value = row ? select_.cell(0) : Cell();
  select_.reset();
  if (auto* blob = std::get_if<Blob>(&value)) return Cell(std::move(blob->bytes));
  return value;
}

}  // namespace orch::sql
