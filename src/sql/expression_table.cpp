#include "sql/expression_table.hpp"

#include "base/text.hpp"
#include "sql/expression_guard.hpp"
#include "sql/expression_message.hpp"
#include "sql/expression_scan.hpp"

#include <sqlite3.h>

#include <cassert>

namespace orch::sql {

namespace {

constexpr const char* k_table = "point";
// Stands for the expression's own column while it is looked at alone, so that its own name is unknown to it.
constexpr const char* k_probed = "this expression";
constexpr std::size_t k_columns = 950;  // with an input beside each expression, still within SQLite's own 2000

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

// Stored, not virtual: a virtual column is compiled and computed again wherever another one reads it, so that forty
// lines of `b: a + a` would never end.
std::string generated_sql(const std::string& expression) { return fmt::format(" GENERATED ALWAYS AS ({}) STORED", expression); }

std::string given_column(const std::string& column) { return "given " + column; }

int order_versions(void*, int size_a, const void* a, int size_b, const void* b) {
  return compare_versions({static_cast<const char*>(a), static_cast<std::size_t>(size_a)},
                          {static_cast<const char*>(b), static_cast<std::size_t>(size_b)});
}

Cell without_blob(Cell cell) {
  if (auto* blob = std::get_if<Blob>(&cell)) return std::move(blob->bytes);
  return cell;
}

}  // namespace

bool is_keyword(std::string_view word) { return sqlite3_keyword_check(word.data(), static_cast<int>(word.size())) != 0; }

ExpressionTable::ExpressionTable() : database_(Database::open(":memory:")) {}

ExpressionTable::~ExpressionTable() = default;

std::size_t ExpressionTable::add_column(std::string name, ColumnType type) {
  columns_.push_back({std::move(name), type});
  return columns_.size() - 1;
}

std::size_t ExpressionTable::add(TableExpression expression) {
  Entry entry{.expression = std::move(expression), .column = {}, .reads = {}};
  entry.column = entry.expression.name.empty() ? fmt::format("expression {}", entries_.size()) : entry.expression.name;
  entries_.push_back(std::move(entry));
  return entries_.size() - 1;
}

const std::set<std::string>& ExpressionTable::reads(std::size_t index) const { return entries_.at(index).reads; }

const ExpressionTable::Entry* ExpressionTable::find(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (!entry.expression.name.empty() && entry.expression.name == name) return &entry;
  return nullptr;
}

Error ExpressionTable::located(const Entry& entry, std::string message) const {
  return invalid(fmt::format("{}: {}", entry.expression.what, message), entry.expression.where.first());
}

// --- create: what can be told together is told together

bool ExpressionTable::create(Errors& errors) {
  const std::size_t before = errors.size();
  auto fine = [&] { return errors.size() == before; };
  auto add = [&](Status status) {
    if (!status) errors.push_back(status.error());
  };
  if (!database_) errors.push_back(database_.error());
  else if (columns_.size() + entries_.size() > k_columns)
    errors.push_back(invalid(fmt::format("{} columns and {} expressions are too many for one table; use fewer", columns_.size(), entries_.size()),
                             entries_.empty() ? Location{} : entries_[std::min(k_columns, entries_.size() - 1)].expression.where.first()));
  if (!fine()) return false;
  sqlite3_create_collation(database_->handle(), "version", SQLITE_UTF8, nullptr, &order_versions);
  add(database_->execute("PRAGMA journal_mode = OFF; PRAGMA ignore_check_constraints = ON"));
  guard_ = std::make_unique<ExpressionGuard>(database_->handle(), k_table);
  resolve(errors);
  refuse_loops(errors);
  if (fine()) add(create_table());
  if (fine()) add(check_schema());
  if (fine()) add(prepare_statements());
  return fine();
}

void ExpressionTable::resolve(Errors& errors) {
  for (Entry& entry : entries_)
    if (auto error = resolve_one(entry)) errors.push_back(std::move(*error));
}

// The expression as the only generated column, among columns that all others became: whatever SQLite says is about it.
std::optional<Error> ExpressionTable::resolve_one(Entry& entry) {
  if (auto why = refuse_expression(entry.expression.sql)) return located(entry, std::move(*why));
  guard_->forget();
  const std::string head = fmt::format("CREATE TABLE {} ({}{} GENERATED ALWAYS AS (", k_table, columns_sql(&entry), quote_name(k_probed));
  const std::string statement = fmt::format("{}{}) STORED)", head, entry.expression.sql);
  const auto compiled = database_->prepare(statement);
  entry.reads = guard_->reads();
  if (!compiled) {
    const Refusal refusal{.message = sqlite3_errmsg(database_->handle()),
                          .refused_function = guard_->refused_function(),
                          .own_name = entry.expression.name,
                          .at_end = sqlite3_error_offset(database_->handle()) == static_cast<int>(head.size() + entry.expression.sql.size())};
    return located(entry, explain_refusal(refusal, visible_names()));
  }
  if (entry.reads.contains(k_probed)) return located(entry, "it refers to itself");
  return std::nullopt;
}

// Every column as a plain one, except PROBED; ends with a comma unless empty.
std::string ExpressionTable::columns_sql(const Entry* probed) const {
  std::string sql;
  for (const Column& column : columns_) sql += quote_name(column.name) + type_sql(column.type) + ", ";
  for (const Entry& entry : entries_)
    if (&entry != probed && !entry.expression.name.empty()) sql += quote_name(entry.column) + type_sql(entry.expression.type) + ", ";
  return sql;
}

std::vector<std::string> ExpressionTable::visible_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  for (const Entry& entry : entries_)
    if (!entry.expression.name.empty()) names.push_back(entry.column);
  return names;
}

// Fills order_; a loop is one error, told once, at the expression of it that stands first.
void ExpressionTable::refuse_loops(Errors& errors) {
  enum class Mark { unseen, open, done };
  std::map<const Entry*, Mark> marks;
  std::vector<std::string> path;
  const std::function<void(const Entry&)> visit = [&](const Entry& entry) {
    Mark& mark = marks[&entry];
    if (mark == Mark::done) return;
    path.push_back(entry.column);
    if (mark == Mark::open) {
      const auto first = std::find(path.begin(), path.end(), entry.column);
      errors.push_back(located(entry, fmt::format("it depends on itself: {}", fmt::join(first, path.end(), " -> "))));
    } else {
      mark = Mark::open;
      for (const std::string& name : entry.reads)
        if (const Entry* read = find(name)) visit(*read);
      order_.push_back(static_cast<std::size_t>(&entry - entries_.data()));
    }
    path.pop_back();
    mark = Mark::done;
  };
  for (const Entry& entry : entries_) visit(entry);
}

Status ExpressionTable::create_table() {
  std::string sql;
  for (const Column& column : columns_) sql += quote_name(column.name) + type_sql(column.type) + ", ";
  for (const Entry& entry : entries_)
    if (entry.expression.overridable) sql += quote_name(given_column(entry.column)) + type_sql(entry.expression.type) + ", ";
  for (const Entry& entry : entries_) {
    const std::string& own = entry.expression.sql;
    const std::string value = entry.expression.overridable ? fmt::format("coalesce({}, ({}))", quote_name(given_column(entry.column)), own) : own;
    sql += quote_name(entry.column) + type_sql(entry.expression.type) + generated_sql(value) + ", ";
  }
  guard_->forget();
  return database_->execute(fmt::format("CREATE TABLE {} ({}\"last column\")", k_table, sql));
}

// The table must have our columns, generated where we said so, and nothing else.
Status ExpressionTable::check_schema() {
  const Error foreign{.kind = ErrorKind::invalid, .message = "the expressions made a table that is not the one we wrote", .where = {}};
  std::vector<std::pair<std::string, bool>> expected;
  for (const Column& column : columns_) expected.emplace_back(column.name, false);
  for (const Entry& entry : entries_)
    if (entry.expression.overridable) expected.emplace_back(given_column(entry.column), false);
  for (const Entry& entry : entries_) expected.emplace_back(entry.column, true);
  expected.emplace_back("last column", false);

  ORCH_ASSIGN(Statement info, database_->prepare(fmt::format("PRAGMA table_xinfo({})", k_table)));
  for (const auto& [name, generated] : expected) {
    ORCH_ASSIGN(const bool row, info.step());
    constexpr int k_name = 1, k_not_null = 3, k_default = 4, k_key = 5, k_hidden = 6, k_stored = 3;
    if (!row || info.column_text(k_name) != name || info.column_int(k_not_null) != 0 || !info.column_null(k_default) ||
        info.column_int(k_key) != 0 || info.column_int(k_hidden) != (generated ? k_stored : 0))
      return foreign;
  }
  for (const char* rest : {"", "PRAGMA index_list(point)", "PRAGMA foreign_key_list(point)"}) {
    if (*rest) {
      ORCH_ASSIGN(info, database_->prepare(rest));
    }
    ORCH_ASSIGN(const bool row, info.step());
    if (row) return foreign;
  }
  return {};
}

Status ExpressionTable::prepare_statements() {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  for (const Column& column : columns_) inputs.push_back(quote_name(column.name));
  for (const Entry& entry : entries_) {
    if (entry.expression.overridable) inputs.push_back(quote_name(given_column(entry.column)));
    outputs.push_back(quote_name(entry.column));
  }
  inputs_ = inputs.size();
  inputs.push_back("\"last column\"");
  const std::string marks = fmt::format("{}", fmt::join(std::vector<std::string>(inputs.size(), "?"), ", "));
  auto insert = database_->prepare(fmt::format("INSERT INTO {} ({}) VALUES ({})", k_table, join(inputs, ", "), marks));
  // Some faults show only when a column is compiled to be computed (RAISE, row values).
  if (!insert && entries_.size() == 1)
    return located(entries_[0], explain_refusal({.message = sqlite3_errmsg(database_->handle()), .refused_function = {}, .own_name = {}}, {}));
  if (!insert) return faulty_expression({});
  insert_ = std::move(insert).value();
  ORCH_ASSIGN(clear_, database_->prepare(fmt::format("DELETE FROM {}", k_table)));
  outputs.push_back("\"last column\"");  // a table without expressions still has rows
  ORCH_ASSIGN(select_, database_->prepare(fmt::format("SELECT {} FROM {}", join(outputs, ", "), k_table)));
  guard_->limit_values();
  return database_->execute("BEGIN");
}

// --- rows

Status ExpressionTable::insert(std::span<const Cell> inputs) {
  assert(inputs.size() == inputs_);
  return insert_row(inputs) ? Status() : faulty_expression(inputs);
}

Status ExpressionTable::insert_row(std::span<const Cell> inputs) {
  assert(insert_);
  int index = 0;
  for (const Cell& cell : inputs) ORCH_TRY(insert_->bind(++index, cell));
  guard_->allow_row();
  return insert_->run();
}

Status ExpressionTable::read(const Sink& sink) {
  assert(clear_ && select_);
  std::vector<Cell> results(entries_.size());
  for (std::size_t row = 0;; ++row) {
    guard_->allow_row();
    ORCH_ASSIGN(const bool stands, select_->step());
    if (!stands) break;
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = without_blob(select_->cell(static_cast<int>(i)));
    sink(row, results);
  }
  select_->reset();
  guard_->allow_row();
  return clear_->run();
}

// Each expression in a table of its own, among columns that hold what the expressions before it gave: the first one that
// fails is at fault. No INPUTS: they are compiled, not computed.
Error ExpressionTable::faulty_expression(std::span<const Cell> inputs) {
  std::string own_words = sqlite3_errmsg(database_->handle());
  std::map<std::string, Cell> values;
  for (std::size_t i = 0; i < columns_.size() && !inputs.empty(); ++i) values[columns_[i].name] = inputs[i];
  std::size_t next_input = columns_.size();
  for (const Entry& entry : entries_)
    if (entry.expression.overridable && !inputs.empty()) values[given_column(entry.column)] = inputs[next_input++];
  for (const std::size_t index : order_)
    if (auto error = fault_of(entries_[index], values, !inputs.empty())) return *error;
  return Error{.kind = ErrorKind::internal, .message = fmt::format("the expressions of one point: {}", own_words), .where = {}};
}

std::optional<Error> ExpressionTable::fault_of(const Entry& entry, std::map<std::string, Cell>& values, bool compute) {
  ExpressionTable alone;
  std::vector<Cell> inputs;
  auto add = [&](const std::string& name, ColumnType type) {
    if (!entry.reads.contains(name)) return;
    alone.add_column(name, type);
    inputs.push_back(values[name]);
  };
  for (const Column& column : columns_) add(column.name, column.type);
  for (const Entry& other : entries_) add(other.column, other.expression.type);
  alone.add(entry.expression);
  if (entry.expression.overridable) inputs.push_back(values[given_column(entry.column)]);
  Errors errors;
  if (!alone.create(errors)) return errors.front();
  if (!compute) return std::nullopt;
  if (!alone.insert_row(inputs)) return located(entry, fmt::format("it cannot be computed: {}", sqlite3_errmsg(alone.database_->handle())));
  static_cast<void>(alone.read([&](std::size_t, std::span<const Cell> results) { values[entry.column] = results[0]; }));
  return std::nullopt;
}

}  // namespace orch::sql
