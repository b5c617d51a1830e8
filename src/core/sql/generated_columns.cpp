#include "core/sql/generated_columns.hpp"

#include "core/base/text.hpp"

namespace orch::sql {

namespace {

constexpr const char* k_row = "the row";

// The table must have exactly the requested columns.
Status check_schema(Database& database, const std::string& table,
                    std::span<const ColumnDefinition> reads,
                    std::span<const GeneratedColumn> generated) {
  const Error foreign{.kind = ErrorKind::invalid,
                      .message = "the expression made a table that is not the one we wrote",
                      .where = {}};
  ORCH_ASSIGN(Statement info,
              database.prepare(fmt::format("PRAGMA table_xinfo({})", quote_name(table))));
  auto expect = [&](const std::string& name, bool key, bool computed) -> Result<bool> {
    constexpr int k_name = 1, k_not_null = 3, k_default = 4, k_key = 5, k_hidden = 6, k_stored = 3;
    ORCH_ASSIGN(const bool row, info.step());
    return row && info.column_text(k_name) == name && info.column_int(k_not_null) == 0 &&
           info.column_null(k_default) && info.column_int(k_key) == key &&
           info.column_int(k_hidden) == (computed ? k_stored : 0);
  };
  ORCH_ASSIGN(bool ours, expect(k_row, true, false));
  for (const ColumnDefinition& column : reads) {
    ORCH_ASSIGN(const bool one, expect(column.name, false, false));
    ours = ours && one;
  }
  for (const GeneratedColumn& value : generated) {
    ORCH_ASSIGN(const bool one, expect(value.column.name, false, true));
    ours = ours && one;
  }
  ORCH_ASSIGN(const bool more, info.step());
  if (!ours || more) return foreign;
  for (const char* pragma : {"index_list", "foreign_key_list"}) {
    ORCH_ASSIGN(Statement rest,
                database.prepare(fmt::format("PRAGMA {}({})", pragma, quote_name(table))));
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

Result<GeneratedColumns> GeneratedColumns::make(Database& database, ExpressionGuard& guard,
                                                const std::string& table,
                                                std::span<const ColumnDefinition> reads,
                                                std::span<const GeneratedColumn> generated) {
  std::string columns = quote_name(k_row);
  std::string marks = "1";
  std::string values;
  std::string declared = quote_name(k_row) + " INTEGER PRIMARY KEY";
  for (const ColumnDefinition& column : reads) {
    declared += ", " + quote_name(column.name) + type_sql(column.type);
    columns += ", " + quote_name(column.name);
    marks += ", ?";
  }
  for (const auto& [column, sql] : generated) {
    declared += fmt::format(", {}{} GENERATED ALWAYS AS ({}) STORED", quote_name(column.name),
                            type_sql(column.type), sql);
    values += (values.empty() ? "" : ", ") + quote_name(column.name);
  }
  guard.allow_table(table);
  guard.forget();
  const std::string name = quote_name(table);
  ORCH_TRY(database.execute(fmt::format("CREATE TABLE {} ({})", name, declared)));
  ORCH_TRY(check_schema(database, table, reads, generated));
  // Some faults show only when a column is compiled to be computed (RAISE, row values).
  ORCH_ASSIGN(Statement insert,
              database.prepare(
                  fmt::format("INSERT OR REPLACE INTO {} ({}) VALUES ({})", name, columns, marks)));
  ORCH_ASSIGN(Statement select, database.prepare(fmt::format("SELECT {} FROM {}", values, name)));
  return GeneratedColumns(guard, std::move(insert), std::move(select), generated.size());
}

Result<std::span<const Cell>> GeneratedColumns::compute(std::span<const Cell* const> inputs) {
  guard_->allow_row();
  bound_.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (bound_[i] == inputs[i]) continue;
    ORCH_TRY(insert_.bind_kept(static_cast<int>(i + 1), *inputs[i]));
    bound_[i] = inputs[i];
  }
  ORCH_TRY(insert_.run());
  ORCH_ASSIGN(const bool row, select_.step());
  for (std::size_t i = 0; i < values_.size(); ++i)
    values_[i] = row ? select_.cell(static_cast<int>(i)) : Cell();
  select_.reset();
  return std::span<const Cell>(values_);
}

}  // namespace orch::sql
