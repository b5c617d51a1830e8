#include "core/sql/expression_table.hpp"

#include "core/base/text.hpp"
#include "core/sql/expression_entry.hpp"
#include "core/sql/expression_scan.hpp"
#include "core/sql/generated_columns.hpp"

#include <sqlite3.h>

namespace orch::sql {

namespace {

constexpr const char* k_probe = "point";
// The probed expression's column does not have its own name, so that a reference to itself fails.
constexpr const char* k_probed = "this expression";
// SQLite requires one column that is not generated.
constexpr const char* k_filler = "no column";
constexpr std::size_t k_columns = 1800;  // within SQLite's own 2000

int order_versions(void*, int size_a, const void* a, int size_b, const void* b) {
  return compare_versions({static_cast<const char*>(a), static_cast<std::size_t>(size_a)},
                          {static_cast<const char*>(b), static_cast<std::size_t>(size_b)});
}

}  // namespace

bool is_keyword(std::string_view word) {
  return sqlite3_keyword_check(word.data(), static_cast<int>(word.size())) != 0;
}

Error ExpressionEntry::located(std::string_view message, std::size_t offset) const {
  return invalid(fmt::format("{}: {}", expression.what, message), expression.where.at(offset));
}

// --- Expressions

std::size_t Expressions::add_column(std::string name, ColumnType type) {
  columns_.push_back({std::move(name), type});
  return columns_.size() - 1;
}

std::size_t Expressions::add(TableExpression expression) {
  const std::size_t index = entries_.size();
  // A copy of a version is a version.
  const std::vector<std::string> known = versions();
  if (expression.type == ColumnType::any && contains(known, lower(trim(expression.sql))))
    expression.type = ColumnType::version;
  std::string column =
      expression.name.empty() ? fmt::format("expression {}", index) : expression.name;
  entries_.push_back(
      {.expression = std::move(expression), .index = index, .column = std::move(column)});
  return index;
}

void Expressions::link() {
  inputs_ = columns_.size();
  for (ExpressionEntry& entry : entries_) {
    entry.place = columns_.size() + entry.index;
    if (entry.expression.overridable) entry.given = inputs_++;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (entry.reads.contains(columns_[i].name)) entry.sources.push_back(i);
    for (const ExpressionEntry& other : entries_)
      if (other.is_readable() && entry.reads.contains(other.column))
        entry.sources.push_back(columns_.size() + other.index);
  }
}

ExpressionEntry* Expressions::find(std::string_view name) {
  const auto found = std::ranges::find_if(entries_, [&](const ExpressionEntry& entry) {
    return entry.is_readable() && entry.expression.name == name;
  });
  return found == entries_.end() ? nullptr : &*found;
}

std::vector<std::string> Expressions::names_visible_to(const ExpressionEntry& entry) const {
  std::vector<std::string> names = members_of(columns_, &ColumnDefinition::name);
  for (const ExpressionEntry& other : entries_)
    if (&other != &entry && other.is_readable()) names.push_back(other.column);
  return names;
}

std::vector<std::string> Expressions::versions() const {
  std::vector<std::string> names;
  for (const ColumnDefinition& column : columns_)
    if (column.type == ColumnType::version) names.push_back(column.name);
  for (const ExpressionEntry& entry : entries_)
    if (entry.expression.type == ColumnType::version && entry.is_readable())
      names.push_back(entry.column);
  return names;
}

std::string Expressions::columns_sql(const ExpressionEntry& probed) const {
  const std::string text = lower(probed.expression.sql);
  const auto stands_there = [&](const std::string& name) {
    // Quotes in a name are doubled in the text.
    const bool doubled = name.find_first_of("\"'`") != std::string::npos;
    return doubled || text.find(lower(name)) != std::string::npos;
  };
  std::string sql;
  for (const ColumnDefinition& column : columns_)
    if (stands_there(column.name)) sql += quote_name(column.name) + type_sql(column.type) + ", ";
  for (const ExpressionEntry& entry : entries_)
    if (&entry != &probed && entry.is_readable() && stands_there(entry.column))
      sql += quote_name(entry.column) + type_sql(entry.expression.type) + ", ";
  return sql.empty() ? quote_name(k_filler) + ", " : sql;
}

std::vector<ColumnDefinition> Expressions::definitions(std::span<const std::size_t> places) const {
  std::vector<ColumnDefinition> out;
  for (const std::size_t place : places)
    out.push_back(at(place) ? at(place)->generated().column : columns_[place]);
  return out;
}

namespace {

// Lets SQLite resolve the names in expressions, one by one.
class Resolver {
 public:
  Resolver(Expressions& expressions, Database& database, ExpressionGuard& guard)
      : expressions_(expressions), database_(database), guard_(guard) {
    guard_.allow_table(k_probe);
  }

  // Compiles ENTRY as the only generated column, with the others as plain columns, so that every
  // message of SQLite is about this expression.
  std::optional<Error> resolve(ExpressionEntry& entry) {
    const Scan scan = scan_expression(entry.expression.sql);
    if (scan.fault) return entry.located(scan.fault->message, scan.fault->offset);
    guard_.forget();
    const std::string head = fmt::format("CREATE TABLE {} ({}{} GENERATED ALWAYS AS (", k_probe,
                                         expressions_.columns_sql(entry), quote_name(k_probed));
    const auto compiled =
        database_.prepare(fmt::format("{}{}) STORED)", head, entry.expression.sql));
    entry.reads = guard_.reads();
    if (!compiled) return refused(entry, scan.tokens, head.size());
    if (entry.reads.contains(k_probed)) return entry.located("it refers to itself");
    if (auto fault = find_version_as_number(scan.tokens, expressions_.versions()))
      return entry.located(fault->message, fault->offset);
    entry.real = with_real_division(entry.expression.sql, scan.tokens);
    return std::nullopt;
  }

 private:
  // The error that SQLite reported, explained to users, at the character that it refers to.
  Error refused(const ExpressionEntry& entry, std::span<const Token> tokens,
                std::size_t head) const {
    const std::string& sql = entry.expression.sql;
    const std::string& function = guard_.refused_function();
    const int raw = sqlite3_error_offset(database_.handle());
    const std::string_view message = sqlite3_errmsg(database_.handle());
    std::size_t offset = raw < static_cast<int>(head) ? offset_in(message, tokens)
                                                      : static_cast<std::size_t>(raw) - head;
    const bool at_end = raw >= 0 && offset >= sql.size();
    if (at_end) offset = sql.find_last_not_of(" \t\r\n") + 1;
    const auto call = std::ranges::find_if(
        tokens, [&](const Token& token) { return lower(token.written) == function; });
    if (call != tokens.end()) offset = call->begin;
    const Refusal refusal{.message = message,
                          .refused_function = function,
                          .own_name = entry.expression.name,
                          .at_end = at_end};
    return entry.located(explain_refusal(refusal, expressions_.names_visible_to(entry)), offset);
  }

  Expressions& expressions_;
  Database& database_;
  ExpressionGuard& guard_;
};

// The expressions in an order in which each follows those that it reads. A cycle is reported once,
// at its first expression.
std::vector<ExpressionEntry*> in_order(Expressions& expressions, Errors& errors) {
  enum class Mark { unseen, open, done };
  std::vector<ExpressionEntry*> order;
  std::map<const ExpressionEntry*, Mark> marks;
  std::vector<std::string> path;
  const std::function<void(ExpressionEntry&)> visit = [&](ExpressionEntry& entry) {
    Mark& mark = marks[&entry];
    if (mark == Mark::done) return;
    path.push_back(entry.column);
    if (mark == Mark::open) {
      const auto first = std::ranges::find(path, entry.column);
      errors.push_back(entry.located(
          fmt::format("it depends on itself: {}", fmt::join(first, path.end(), " -> "))));
    } else {
      mark = Mark::open;
      for (const std::string& name : entry.reads)
        if (ExpressionEntry* read = expressions.find(name)) visit(*read);
      order.push_back(&entry);
    }
    path.pop_back();
    mark = Mark::done;
  };
  for (ExpressionEntry& entry : expressions.all()) visit(entry);
  return order;
}

}  // namespace

// --- ExpressionTable

ExpressionTable::ExpressionTable()
    : database_(Database::open(":memory:")), expressions_(std::make_unique<Expressions>()) {}

ExpressionTable::~ExpressionTable() = default;

std::size_t ExpressionTable::add_column(std::string name, ColumnType type) {
  return expressions_->add_column(std::move(name), type);
}

std::size_t ExpressionTable::add(TableExpression expression) {
  return expressions_->add(std::move(expression));
}

const std::set<std::string>& ExpressionTable::reads(std::size_t index) const {
  return expressions_->all().at(index).reads;
}

// Collects as many errors as possible.
bool ExpressionTable::create(Errors& errors) {
  const std::size_t before = errors.size();
  std::deque<ExpressionEntry>& entries = expressions_->all();
  auto fine = [&] { return errors.size() == before; };
  auto add = [&](Status status) {
    if (!status) errors.push_back(status.error());
  };
  if (!database_) errors.push_back(database_.error());
  else if (expressions_->values() > k_columns)
    errors.push_back(
        invalid(fmt::format("{} columns and {} expressions are too many for one table; use fewer",
                            expressions_->columns(), entries.size()),
                entries.empty()
                    ? Location{}
                    : entries[std::min(k_columns, entries.size() - 1)].expression.where.first()));
  if (!fine()) return false;
  sqlite3_create_collation(database_->handle(), "version", SQLITE_UTF8, nullptr, &order_versions);
  add(database_->execute("PRAGMA journal_mode = OFF; PRAGMA ignore_check_constraints = ON"));
  guard_ = std::make_unique<ExpressionGuard>(database_->handle());
  Resolver resolver(*expressions_, *database_, *guard_);
  for (ExpressionEntry& entry : entries)
    if (auto error = resolver.resolve(entry)) {
      errors.push_back(std::move(*error));
      entry.faulty = true;
    }
  std::vector<ExpressionEntry*> order = in_order(*expressions_, errors);
  expressions_->link();
  rows_ = std::make_unique<ExpressionRows>(*expressions_, *database_, *guard_, values_);
  const Status grouped = fine() ? rows_->compile(std::move(order)) : Status();
  // Some faults (RAISE, row values) appear only when a table is made, and can be attributed only if
  // it has a single expression.
  if (!fine() || !grouped)
    for (ExpressionEntry& entry : entries)
      if (!entry.faulty) add(rows_->compile_alone(entry));
  if (fine()) add(grouped);
  if (!fine()) return false;
  guard_->limit_values();
  add(database_->execute("BEGIN"));
  return fine();
}

Status ExpressionTable::evaluate(std::span<const ValueId> inputs, std::span<ValueId> results) {
  return rows_->evaluate(inputs, results);
}

const std::vector<Division>& ExpressionTable::divisions() const { return rows_->divisions(); }

}  // namespace orch::sql
