// Evaluates the rows of an expression table in groups of expressions that are computed together.
#include "core/sql/expression_entry.hpp"
#include "core/sql/integer_division.hpp"

#include <sqlite3.h>

#include <cassert>

namespace orch::sql {

namespace {

// Readers of an expression get a blob as text.
Cell as_text(const Cell& cell) {
  if (const auto* blob = std::get_if<Blob>(&cell)) return blob->bytes;
  return cell;
}

bool any_blob(std::span<const Cell> cells) {
  return std::ranges::any_of(cells,
                             [](const Cell& cell) { return std::holds_alternative<Blob>(cell); });
}

}  // namespace

std::size_t ExpressionTable::place_of(const Entry& entry) const {
  return columns_.size() + entry.index;
}

std::vector<ColumnDefinition> ExpressionTable::definitions(
    std::span<const std::size_t> sources) const {
  std::vector<ColumnDefinition> out;
  for (const std::size_t source : sources) {
    if (source < columns_.size()) out.push_back({columns_[source].name, columns_[source].type});
    else out.push_back(entries_[source - columns_.size()]->generated().column);
  }
  return out;
}

// --- groups

Status ExpressionTable::make_groups() {
  for (Entry* entry : order_) {
    entry->group = &group_for(*entry);
    entry->position = entry->group->members.size();
    entry->group->members.push_back(entry);
  }
  for (const auto& group : groups_) ORCH_TRY(compile_together(*group));
  return {};
}

// The group whose members read the same values as ENTRY, which may also read members. An
// overridable expression is alone, because it is not always computed.
ExpressionTable::Group& ExpressionTable::group_for(const Entry& entry) {
  const auto takes = [&](const std::unique_ptr<Group>& group) {
    if (entry.given || group->members.front()->given) return false;
    std::vector<std::size_t> rest;
    for (const std::size_t source : entry.sources)
      if (source < columns_.size() || entries_[source - columns_.size()]->group != group.get())
        rest.push_back(source);
    // A reader of members depends on their inputs only.
    const bool reads_members = rest.size() < entry.sources.size();
    return rest == group->sources || (reads_members && std::ranges::includes(group->sources, rest));
  };
  const auto found = std::ranges::find_if(groups_, takes);
  if (found != groups_.end()) return **found;
  groups_.push_back(std::make_unique<Group>(Group{.sources = entry.sources}));
  return *groups_.back();
}

Status ExpressionTable::compile_together(Group& group) {
  group.remembered.emplace(group.sources.size(), group.members.size());
  std::vector<GeneratedColumn> generated;
  const auto make = [&](std::string_view name) -> Status {
    const std::string table = fmt::format("{} {}", name, group.members.front()->index);
    ORCH_ASSIGN(auto made, GeneratedColumns::make(*database_, *guard_, table,
                                                  definitions(group.sources), generated));
    group.together.emplace(std::move(made));
    return {};
  };
  for (const Entry* member : group.members) generated.push_back(member->generated());
  for (Entry* member : group.members) {
    if (!member->real) continue;
    group.divided.push_back(member);
    generated.push_back({.column = {fmt::format("real {}", member->index), member->expression.type},
                         .sql = member->real->sql});
  }
  if (!group.divided.empty()) {
    if (make("divided")) return {};
    // The text with real division is longer: SQLite may refuse it although it accepts the original.
    group.divided.clear();
    generated.resize(group.members.size());
  }
  return make("together");
}

// --- rows

Status ExpressionTable::evaluate(std::span<const ValueId> inputs, std::span<ValueId> results) {
  assert(inputs.size() == inputs_ && results.size() == entries_.size());
  std::copy_n(inputs.begin(), columns_.size(), row_.begin());
  for (Entry* entry : order_) {
    ValueId& value = row_[place_of(*entry)];
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
  std::copy(row_.begin() + static_cast<std::ptrdiff_t>(columns_.size()), row_.end(),
            results.begin());
  ++rows_;
  return {};
}

void ExpressionTable::read(std::span<const std::size_t> sources) {
  read_.clear();
  for (const std::size_t source : sources) read_.push_back(row_[source]);
}

std::span<const Cell* const> ExpressionTable::cells_read() {
  cells_.clear();
  for (const ValueId id : read_) cells_.push_back(&values_.cell(id));
  return cells_;
}

// Sets the values of all members. Leaves them empty when members must be computed alone: to find
// the one that fails, or because a member would read another as a blob instead of a text.
void ExpressionTable::look_up(Group& group) {
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
void ExpressionTable::compare_divisions(const Group& group, std::span<const Cell> as_real) {
  for (std::size_t i = 0; i < group.divided.size(); ++i) {
    Entry& entry = *group.divided[i];
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

// Few expressions are ever computed alone: each is compiled for it when it first is.
Result<ValueId> ExpressionTable::compute_alone(Entry& entry) {
  if (!entry.alone) ORCH_TRY(compile_alone(entry));
  read(entry.sources);
  const auto value = entry.alone->compute(cells_read());
  if (!value)
    return located(entry,
                   fmt::format("it cannot be computed: {}", sqlite3_errmsg(database_->handle())));
  return values_.intern(as_text(value->front()));
}

}  // namespace orch::sql
