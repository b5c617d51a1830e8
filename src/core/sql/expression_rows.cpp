// Evaluates the rows of an expression table in groups of expressions that are computed together.
#include "core/sql/expression_entry.hpp"
#include "core/sql/expression_scan.hpp"
#include "core/sql/expression_table.hpp"
#include "core/sql/generated_columns.hpp"

#include <cassert>

#include <sqlite3.h>

namespace orch::sql {

namespace {

// Expressions read a blob as text.
Cell as_text(const Cell& cell) {
  if (const auto* blob = std::get_if<Blob>(&cell)) return blob->bytes;
  return cell;
}

bool any_blob(std::span<const Cell> cells) {
  return std::ranges::any_of(cells,
                             [](const Cell& cell) { return std::holds_alternative<Blob>(cell); });
}

}  // namespace

// --- groups

Status ExpressionRows::compile(std::vector<ExpressionEntry*> order) {
  order_ = std::move(order);
  for (ExpressionEntry* entry : order_) {
    entry->group = &group_for(*entry);
    entry->position = entry->group->members.size();
    entry->group->members.push_back(entry);
  }
  for (ExpressionGroup& group : groups_) ORCH_TRY(compile_together(group));
  return {};
}

// The group whose members read the same values as ENTRY, which may also read members. An
// overridable expression gets its own group, because it is not always computed.
ExpressionGroup& ExpressionRows::group_for(const ExpressionEntry& entry) {
  const auto takes = [&](const ExpressionGroup& group) {
    if (entry.given || group.members.front()->given) return false;
    std::vector<std::size_t> rest;
    for (const std::size_t source : entry.sources)
      if (const auto* read = expressions_.at(source); !read || read->group != &group)
        rest.push_back(source);
    // A reader of members depends only on their inputs.
    const bool reads_members = rest.size() < entry.sources.size();
    return rest == group.sources || (reads_members && std::ranges::includes(group.sources, rest));
  };
  const auto found = std::ranges::find_if(groups_, takes);
  if (found != groups_.end()) return *found;
  return groups_.emplace_back(ExpressionGroup{.sources = entry.sources});
}

Status ExpressionRows::compile_together(ExpressionGroup& group) {
  group.remembered.emplace(group.sources.size(), group.members.size());
  std::vector<GeneratedColumn> generated;
  const auto make = [&](std::string_view name) -> Status {
    const std::string table = fmt::format("{} {}", name, group.members.front()->index);
    ORCH_ASSIGN(auto made,
                GeneratedColumns::make(database_, guard_, table,
                                       expressions_.definitions(group.sources), generated));
    group.together.emplace(std::move(made));
    return {};
  };
  for (const ExpressionEntry* member : group.members) generated.push_back(member->generated());
  for (ExpressionEntry* member : group.members) {
    if (!member->real) continue;
    group.divided.push_back(member);
    generated.push_back({.column = {fmt::format("real {}", member->index), member->expression.type},
                         .sql = member->real->sql});
  }
  if (!group.divided.empty()) {
    if (make("divided")) return {};
    // The text with real division is longer: SQLite may reject it although it accepts the original.
    group.divided.clear();
    generated.resize(group.members.size());
  }
  return make("together");
}

Status ExpressionRows::compile_alone(ExpressionEntry& entry) {
  const GeneratedColumn generated = entry.generated();
  auto made =
      GeneratedColumns::make(database_, guard_, fmt::format("point {}", entry.index),
                             expressions_.definitions(entry.sources), std::span(&generated, 1));
  if (!made) {
    if (made.error().kind == ErrorKind::invalid && sqlite3_errcode(database_.handle()) == SQLITE_OK)
      return entry.located(made.error().message);
    const std::string_view message = sqlite3_errmsg(database_.handle());
    return entry.located(explain_refusal({.message = message}, {}),
                         offset_in(message, scan_expression(entry.expression.sql).tokens));
  }
  entry.alone.emplace(std::move(made).value());
  return {};
}

// --- rows

Status ExpressionRows::evaluate(std::span<const ValueId> inputs, std::span<ValueId> results) {
  assert(inputs.size() == expressions_.inputs() && results.size() == expressions_.all().size());
  const std::size_t columns = expressions_.columns();
  std::copy_n(inputs.begin(), columns, row_.begin());
  for (ExpressionEntry* entry : order_) {
    ValueId& value = row_[entry->place];
    if (entry->given && inputs[*entry->given] != k_null) {
      value = inputs[*entry->given];
      continue;
    }
    if (entry->position == 0) look_up(*entry->group);
    if (const auto known = entry->group->values; !known.empty()) {
      value = known[entry->position];
      continue;
    }
    ORCH_ASSIGN(value, compute_alone(*entry));
  }
  std::copy(row_.begin() + static_cast<std::ptrdiff_t>(columns), row_.end(), results.begin());
  ++rows_;
  return {};
}

void ExpressionRows::read(std::span<const std::size_t> places) {
  read_.clear();
  for (const std::size_t place : places) read_.push_back(row_[place]);
}

std::span<const Cell* const> ExpressionRows::cells_read() {
  cells_.clear();
  for (const ValueId id : read_) cells_.push_back(&values_.cell(id));
  return cells_;
}

// Sets the values of all members. Leaves them empty if members must be computed alone: to find the
// one that fails, or because a member would read another as a blob instead of a text.
void ExpressionRows::look_up(ExpressionGroup& group) {
  read(group.sources);
  group.values = group.remembered->find(read_);
  if (!group.values.empty()) return;
  const auto computed = group.together->compute(cells_read());
  if (!computed || (group.members.size() > 1 && any_blob(*computed))) return;
  group.computed.clear();
  for (const Cell& value : computed->first(group.members.size()))
    group.computed.push_back(values_.intern(as_text(value)));
  compare_divisions(group, computed->subspan(group.members.size()));
  group.remembered->remember(read_, group.computed);
  group.values = group.computed;
}

// AS_REAL: the value of each divided member with real division.
void ExpressionRows::compare_divisions(const ExpressionGroup& group,
                                       std::span<const Cell> as_real) {
  for (std::size_t i = 0; i < group.divided.size(); ++i) {
    ExpressionEntry& entry = *group.divided[i];
    if (!entry.real) continue;
    const Cell& as_written = values_.cell(group.computed[entry.position]);
    const Cell real = as_text(as_real[i]);
    if (same_but_for_type(as_written, real)) continue;
    const Location where = entry.expression.where.at(entry.real->offset);
    divisions_.push_back({.expression = entry.index,
                          .row = rows_,
                          .as_written = as_written,
                          .as_real = real,
                          .where = where});
    entry.real.reset();
  }
}

// Few expressions are ever computed alone, so each is compiled on first use.
Result<ValueId> ExpressionRows::compute_alone(ExpressionEntry& entry) {
  if (!entry.alone) ORCH_TRY(compile_alone(entry));
  read(entry.sources);
  const auto value = entry.alone->compute(cells_read());
  if (!value)
    return entry.located(
        fmt::format("it cannot be computed: {}", sqlite3_errmsg(database_.handle())));
  return values_.intern(as_text(value->front()));
}

}  // namespace orch::sql
