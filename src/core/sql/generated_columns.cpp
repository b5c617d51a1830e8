#include "core/sql/generated_columns.hpp"

#include "core/base/text.hpp"

#include <sqlite3.h>

namespace orch::sql {

namespace {

constexpr int k_value_bytes = 64 * 1024;
constexpr int k_pattern_bytes = 1000;
constexpr int k_steps_between_calls = 1000;
constexpr std::int64_t k_steps_per_row = 10'000'000;

bool is_schema(std::string_view table) {
  return table == "sqlite_master" || table == "sqlite_schema";
}

bool is_inspection(std::string_view pragma) {
  return pragma == "table_xinfo" || pragma == "index_list" || pragma == "foreign_key_list";
}

constexpr const char* k_row = "the row";

// The table must have exactly the requested columns.
Status check_schema(Database& database, const std::string& table,
                    std::span<const ColumnDefinition> reads,
                    std::span<const GeneratedColumn> generated) {
  const Error foreign{.kind = ErrorKind::invalid,
                      .message = "the expression changes the definition of the generated table",
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

std::string without_zero_fractions(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool behind_digit = text[i] == '.' && i > 0 && is_digit(text[i - 1]);
    const bool fraction = behind_digit && text.substr(i + 1, 1) == "0" &&
                          (i + 2 == text.size() || !is_digit(text[i + 2]));
    if (fraction) ++i;
    else out += text[i];
  }
  return out;
}

std::optional<double> number(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

}  // namespace

std::span<const std::string> expression_functions() {
  static const std::vector<std::string> k_names = {
      "abs",   "ceil",   "ceiling", "coalesce",  "exp",  "floor", "glob",    "ifnull", "iif",
      "instr", "length", "like",    "ln",        "log",  "log10", "log2",    "lower",  "ltrim",
      "max",   "min",    "mod",     "nullif",    "pow",  "power", "replace", "round",  "rtrim",
      "sign",  "sqrt",   "substr",  "substring", "trim", "trunc", "typeof",  "upper",
  };
  return k_names;
}

ExpressionGuard::ExpressionGuard(sqlite3* handle) : handle_(handle) {
  sqlite3_set_authorizer(handle_, &ExpressionGuard::authorize, this);
  sqlite3_progress_handler(handle_, k_steps_between_calls, &ExpressionGuard::count_steps, this);
  sqlite3_limit(handle_, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, k_pattern_bytes);
  sqlite3_limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
}

ExpressionGuard::~ExpressionGuard() {
  sqlite3_set_authorizer(handle_, nullptr, nullptr);
  sqlite3_progress_handler(handle_, 0, nullptr, nullptr);
}

void ExpressionGuard::forget() {
  reads_.clear();
  refused_function_.clear();
  allow_row();
}

void ExpressionGuard::limit_values() { sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, k_value_bytes); }

// NOLINTNEXTLINE(readability-function-size): the signature is SQLite's
int ExpressionGuard::authorize(void* self, int action, const char* a, const char* b, const char*,
                               const char*) {
  return static_cast<ExpressionGuard*>(self)->decide(action, a ? a : "", b ? b : "");
}

int ExpressionGuard::count_steps(void* self) {
  auto* guard = static_cast<ExpressionGuard*>(self);
  guard->steps_ += k_steps_between_calls;
  return guard->steps_ > k_steps_per_row ? 1 : 0;
}

int ExpressionGuard::decide(int action, std::string_view a, std::string_view b) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_TRANSACTION: return SQLITE_OK;
    case SQLITE_CREATE_TABLE:
    case SQLITE_DELETE: return tables_.contains(a) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_INSERT: return tables_.contains(a) || is_schema(a) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_UPDATE: return is_schema(a) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_READ: return allow_read(a, b) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION: return allow_function(b) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA: return is_inspection(a) ? SQLITE_OK : SQLITE_DENY;
    default: return SQLITE_DENY;
  }
}

bool ExpressionGuard::allow_read(std::string_view table, std::string_view column) {
  if (!tables_.contains(table)) return is_schema(table);
  reads_.emplace(column);
  return true;
}

bool ExpressionGuard::allow_function(std::string_view name) {
  const std::string wanted = lower(name);
  const auto known = expression_functions();
  if (contains(known, wanted)) return true;
  if (refused_function_.empty()) refused_function_ = wanted;
  return false;
}

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
  // Some faults appear only when a column is compiled for computation (RAISE, row values).
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

bool same_but_for_type(const Cell& as_written, const Cell& as_real) {
  const auto a = number(as_written);
  const auto b = number(as_real);
  if (a && b) return *a == *b;
  const auto* text_a = std::get_if<std::string>(&as_written);
  const auto* text_b = std::get_if<std::string>(&as_real);
  if (text_a && text_b) return without_zero_fractions(*text_a) == without_zero_fractions(*text_b);
  return as_written == as_real;
}

}  // namespace orch::sql
