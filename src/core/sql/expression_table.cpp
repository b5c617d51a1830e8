#include "core/sql/expression_table.hpp"

#include "core/base/text.hpp"
#include "core/sql/expression_entry.hpp"
#include "core/sql/expression_scan.hpp"
#include "core/sql/generated_columns.hpp"

#include <cassert>

#include <sqlite3.h>

namespace orch::sql {

namespace {

constexpr const char* k_probe = "point";
// The name of the probed expression's column, so that the expression cannot refer to itself.
constexpr const char* k_probed = "this expression";
// SQLite requires one column that is not generated.
constexpr const char* k_filler = "no column";
constexpr std::size_t k_columns = 1800;  // within SQLite's own 2000

int order_versions(void*, int size_a, const void* a, int size_b, const void* b) {
  return compare_versions({static_cast<const char*>(a), static_cast<std::size_t>(size_a)},
                          {static_cast<const char*>(b), static_cast<std::size_t>(size_b)});
}

// The position of a fault for which SQLite gives no offset: the first word that occurs in both
// texts.
std::size_t offset_in(std::string_view message, std::span<const Token> tokens) {
  static constexpr std::size_t k_short = 1;
  for (const Token& token : tokens)
    if (token.written.size() > k_short &&
        lower(message).find(lower(token.written)) != std::string::npos)
      return token.begin;
  return 0;
}

}  // namespace

bool is_keyword(std::string_view word) {
  return sqlite3_keyword_check(word.data(), static_cast<int>(word.size())) != 0;
}

ExpressionTable::ExpressionTable() : database_(Database::open(":memory:")) {}

ExpressionTable::~ExpressionTable() = default;

std::size_t ExpressionTable::add_column(std::string name, ColumnType type) {
  columns_.push_back({std::move(name), type});
  return columns_.size() - 1;
}

std::size_t ExpressionTable::add(TableExpression expression) {
  const std::size_t index = entries_.size();
  // A copy of a version is a version.
  const std::vector<std::string> known = versions();
  if (expression.type == ColumnType::any &&
      std::ranges::find(known, lower(trim(expression.sql))) != known.end())
    expression.type = ColumnType::version;
  std::string column =
      expression.name.empty() ? fmt::format("expression {}", index) : expression.name;
  entries_.push_back(std::make_unique<Entry>(
      Entry{.expression = std::move(expression), .index = index, .column = std::move(column)}));
  return index;
}

const std::set<std::string>& ExpressionTable::reads(std::size_t index) const {
  return entries_.at(index)->reads;
}

ExpressionTable::Entry* ExpressionTable::find(std::string_view name) {
  for (const auto& entry : entries_)
    if (!entry->expression.name.empty() && entry->expression.name == name) return entry.get();
  return nullptr;
}

Error ExpressionTable::located(const Entry& entry, std::string message, std::size_t offset) const {
  return invalid(fmt::format("{}: {}", entry.expression.what, message),
                 entry.expression.where.at(offset));
}

// --- create(): collects as many errors as possible

bool ExpressionTable::create(Errors& errors) {
  const std::size_t before = errors.size();
  auto fine = [&] { return errors.size() == before; };
  auto add = [&](Status status) {
    if (!status) errors.push_back(status.error());
  };
  if (!database_) errors.push_back(database_.error());
  else if (columns_.size() + entries_.size() > k_columns)
    errors.push_back(invalid(
        fmt::format("{} columns and {} expressions are too many for one table; use fewer",
                    columns_.size(), entries_.size()),
        entries_.empty()
            ? Location{}
            : entries_[std::min(k_columns, entries_.size() - 1)]->expression.where.first()));
  if (!fine()) return false;
  sqlite3_create_collation(database_->handle(), "version", SQLITE_UTF8, nullptr, &order_versions);
  add(database_->execute("PRAGMA journal_mode = OFF; PRAGMA ignore_check_constraints = ON"));
  guard_ = std::make_unique<ExpressionGuard>(database_->handle());
  guard_->allow_table(k_probe);
  resolve(errors);
  refuse_loops(errors);
  inputs_ = columns_.size();
  for (const auto& entry : entries_) {
    if (entry->expression.overridable) entry->given = inputs_++;
    take_sources(*entry);
  }
  const Status grouped = fine() ? make_groups() : Status();
  // Some faults (RAISE, row values) appear only when a table is made, and can be attributed only if
  // it has a single expression.
  if (!fine() || !grouped)
    for (const auto& entry : entries_)
      if (!entry->faulty) add(compile_alone(*entry));
  if (fine()) add(grouped);
  if (!fine()) return false;
  row_.resize(columns_.size() + entries_.size());
  guard_->limit_values();
  add(database_->execute("BEGIN"));
  return fine();
}

void ExpressionTable::resolve(Errors& errors) {
  for (const auto& entry : entries_)
    if (auto error = resolve_one(*entry)) {
      errors.push_back(std::move(*error));
      entry->faulty = true;
    }
}

// Compiles the expression as the only generated column, with others as plain columns, so that every
// message of SQLite is about this expression.
std::optional<Error> ExpressionTable::resolve_one(Entry& entry) {
  const Scan scan = scan_expression(entry.expression.sql);
  if (scan.fault) return located(entry, scan.fault->message, scan.fault->offset);
  guard_->forget();
  const std::string head = fmt::format("CREATE TABLE {} ({}{} GENERATED ALWAYS AS (", k_probe,
                                       columns_sql(entry), quote_name(k_probed));
  const auto compiled =
      database_->prepare(fmt::format("{}{}) STORED)", head, entry.expression.sql));
  entry.reads = guard_->reads();
  if (!compiled) return refused(entry, scan.tokens, head.size());
  if (entry.reads.contains(k_probed)) return located(entry, "it refers to itself");
  if (auto fault = find_version_as_number(scan.tokens, versions()))
    return located(entry, std::move(fault->message), fault->offset);
  entry.real = with_real_division(entry.expression.sql, scan.tokens);
  return std::nullopt;
}

// SQLite's message, at the character that it refers to.
Error ExpressionTable::refused(const Entry& entry, std::span<const Token> tokens,
                               std::size_t head) const {
  const std::string& sql = entry.expression.sql;
  const std::string& function = guard_->refused_function();
  const int raw = sqlite3_error_offset(database_->handle());
  const std::string_view message = sqlite3_errmsg(database_->handle());
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
  return located(entry, explain_refusal(refusal, names_visible_to(entry)), offset);
}

// The columns named in the text of PROBED, as plain ones; ends with a comma. PROBED can read no
// others, and there are hundreds, which SQLite would parse again for each expression.
std::string ExpressionTable::columns_sql(const Entry& probed) const {
  const std::string text = lower(probed.expression.sql);
  const auto stands_there = [&](const std::string& name) {
    const bool doubled = name.find_first_of("\"'`") != std::string::npos;  // in the text
    return doubled || text.find(lower(name)) != std::string::npos;
  };
  std::string sql;
  for (const Column& column : columns_)
    if (stands_there(column.name)) sql += quote_name(column.name) + type_sql(column.type) + ", ";
  for (const auto& entry : entries_)
    if (entry.get() != &probed && !entry->expression.name.empty() && stands_there(entry->column))
      sql += quote_name(entry->column) + type_sql(entry->expression.type) + ", ";
  return sql.empty() ? quote_name(k_filler) + ", " : sql;
}

std::vector<std::string> ExpressionTable::names_visible_to(const Entry& entry) const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  for (const auto& other : entries_)
    if (other.get() != &entry && !other->expression.name.empty()) names.push_back(other->column);
  return names;
}

std::vector<std::string> ExpressionTable::versions() const {
  std::vector<std::string> names;
  for (const Column& column : columns_)
    if (column.type == ColumnType::version) names.push_back(column.name);
  for (const auto& entry : entries_)
    if (entry->expression.type == ColumnType::version && !entry->expression.name.empty())
      names.push_back(entry->column);
  return names;
}

// Fills order_. A cycle is reported once, at its first expression.
void ExpressionTable::refuse_loops(Errors& errors) {
  enum class Mark { unseen, open, done };
  std::map<const Entry*, Mark> marks;
  std::vector<std::string> path;
  const std::function<void(Entry&)> visit = [&](Entry& entry) {
    Mark& mark = marks[&entry];
    if (mark == Mark::done) return;
    path.push_back(entry.column);
    if (mark == Mark::open) {
      const auto first = std::ranges::find(path, entry.column);
      errors.push_back(located(
          entry, fmt::format("it depends on itself: {}", fmt::join(first, path.end(), " -> "))));
    } else {
      mark = Mark::open;
      for (const std::string& name : entry.reads)
        if (Entry* read = find(name)) visit(*read);
      order_.push_back(&entry);
    }
    path.pop_back();
    mark = Mark::done;
  };
  for (const auto& entry : entries_) visit(*entry);
}

void ExpressionTable::take_sources(Entry& entry) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (entry.reads.contains(columns_[i].name)) entry.sources.push_back(i);
  for (const auto& other : entries_)
    if (!other->expression.name.empty() && entry.reads.contains(other->column))
      entry.sources.push_back(place_of(*other));
}

Status ExpressionTable::compile_alone(Entry& entry) {
  const GeneratedColumn generated = entry.generated();
  auto made = GeneratedColumns::make(*database_, *guard_, fmt::format("point {}", entry.index),
                                     definitions(entry.sources), std::span(&generated, 1));
  if (!made) {
    if (made.error().kind == ErrorKind::invalid &&
        sqlite3_errcode(database_->handle()) == SQLITE_OK)
      return located(entry, made.error().message);
    const std::string_view message = sqlite3_errmsg(database_->handle());
    return located(entry, explain_refusal({.message = message}, {}),
                   offset_in(message, scan_expression(entry.expression.sql).tokens));
  }
  entry.alone.emplace(std::move(made).value());
  return {};
}

}  // namespace orch::sql
