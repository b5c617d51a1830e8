#include "core/base/text.hpp"
#include "core/sql/expression_entry.hpp"
#include "core/sql/expression_scan.hpp"
#include "core/sql/expression_table.hpp"
#include "core/sql/generated_columns.hpp"

#include <cassert>

#include <sqlite3.h>

namespace orch::sql {

namespace {

// Evaluates the rows of an expression table in groups of expressions that are computed together.

// Expressions read a blob as text.
Cell as_text(const Cell& cell) {
  if (const auto* blob = std::get_if<Blob>(&cell)) return blob->bytes;
  return cell;
}

bool any_blob(std::span<const Cell> cells) {
  return std::ranges::any_of(cells,
                             [](const Cell& cell) { return std::holds_alternative<Blob>(cell); });
}

// Finds versions that an expression compares with numbers, by scanning its tokens without a
// grammar.

class Walk {
 public:
  Walk(std::span<const Token> tokens, std::span<const std::string> versions)
      : tokens_(tokens), versions_(versions) {}

  std::optional<Fault> fault() const {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string* version = version_at(i);
      if (!version) continue;
      if (const Token* number = compared_with(i))
        return Fault{
            .offset = number->begin,
            .message = fmt::format("it compares the version '{0}' with the number {1}; write '{1}'",
                                   *version, number->written)};
      if (compares_something() && loses_order(i))
        return Fault{.offset = tokens_[i].begin,
                     .message = fmt::format(
                         "the version '{0}' compares as text here, because of a function, CASE, || "
                         "or COLLATE; compare {0} directly, for NULL with '{0} IS NULL OR ...'",
                         *version)};
    }
    return std::nullopt;
  }

 private:
  const Token* at(std::size_t index) const {
    return index < tokens_.size() ? &tokens_[index] : nullptr;
  }
  bool is_mark(std::size_t index, std::string_view mark) const {
    return at(index) && at(index)->is(mark);
  }
  bool is_word(std::size_t index, std::string_view word) const {
    return at(index) && at(index)->is_word(word);
  }
  // Whether a '(' after INDEX opens the arguments of a function.
  bool is_function(std::size_t index) const {
    return at(index) && at(index)->kind == Token::Kind::word && !is_keyword(at(index)->written);
  }

  const std::string* version_at(std::size_t index) const {
    const Token& token = tokens_[index];
    std::string_view name = token.written;
    if (token.kind == Token::Kind::quoted_name) name = name.substr(1, name.size() - 2);
    else if (token.kind != Token::Kind::word) return nullptr;
    const auto same = [&](const std::string& version) { return lower(version) == lower(name); };
    const auto found = std::ranges::find_if(versions_, same);
    return found == versions_.end() ? nullptr : &*found;
  }

  bool compares(std::size_t index) const {
    static constexpr std::string_view k_marks[] = {"=", "==", "<", "<=", ">", ">=", "<>", "!="};
    const auto stands = [&](std::string_view mark) { return is_mark(index, mark); };
    return std::ranges::any_of(k_marks, stands) || is_word(index, "IS");
  }

  bool compares_something() const {
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if ((compares(i) && !is_word(i, "IS")) || is_word(i, "BETWEEN") || is_word(i, "IN"))
        return true;
    return false;
  }

  // Whether the result of FUNCTION is not a version, or keeps the order of versions.
  bool keeps_order(std::size_t function) const {
    static constexpr std::string_view k_harmless[] = {"length", "typeof", "instr", "like",
                                                      "glob",   "max",    "min"};
    const std::string name = lower(tokens_[function].written);
    return std::ranges::find(k_harmless, name) != std::end(k_harmless);
  }

  // Whether the value at INDEX passes through an operation that loses the order of versions.
  bool loses_order(std::size_t index) const {
    if (is_mark(index - 1, "||") || is_mark(index + 1, "||") || is_word(index + 1, "COLLATE"))
      return true;
    if (is_word(index - 1, "THEN") || is_word(index - 1, "ELSE")) return true;
    int depth = 0;
    for (std::size_t i = index; i-- > 0;) {
      depth += is_mark(i, ")") - is_mark(i, "(");
      if (depth < 0 && is_function(i - 1) && !keeps_order(i - 1)) return compares_outside(i);
      if (depth < 0) depth = 0;
    }
    return false;
  }

  // Whether the call at OPEN contains no complete comparison: then its result is compared.
  bool compares_outside(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; at(i); ++i) {
      depth += is_mark(i, "(") - is_mark(i, ")");
      if (depth == 0) return true;
      if (compares(i) || is_word(i, "BETWEEN") || is_word(i, "IN")) return false;
    }
    return true;
  }

  // The number at INDEX, after signs and opening parentheses; null if there is none.
  const Token* number_from(std::size_t index) const {
    while (is_mark(index, "(") || is_mark(index, "+") || is_mark(index, "-")) ++index;
    return at(index) && at(index)->kind == Token::Kind::number ? at(index) : nullptr;
  }

  // The number that ends at INDEX, before closing parentheses; null if there is none.
  const Token* number_to(std::size_t index) const {
    while (is_mark(index, ")") && at(index - 1) && is_mark(index - 2, "(") &&
           !is_function(index - 3))
      --index;
    return at(index) && at(index)->kind == Token::Kind::number ? at(index) : nullptr;
  }

  const Token* compared_with(std::size_t index) const {
    std::size_t before = index - 1;  // wraps to beyond every token at 0
    std::size_t after = index + 1;
    while (is_mark(before, "(") && is_mark(after, ")") && !is_function(before - 1)) {
      --before;
      ++after;
    }
    if (is_word(before, "CASE")) return in_case(after);
    if (compares(before) || is_word(before, "BETWEEN"))
      if (const Token* number = number_to(before - 1)) return number;
    while (is_word(after, "NOT")) ++after;
    if (is_word(after, "BETWEEN")) return between(after + 1);
    if (is_word(after, "IN")) return in_list(after + 1);
    if (!compares(after)) return nullptr;
    ++after;
    while (is_word(after, "NOT") || is_word(after, "DISTINCT") || is_word(after, "FROM")) ++after;
    return number_from(after);
  }

  const Token* between(std::size_t first) const {
    if (const Token* number = number_from(first)) return number;
    int depth = 0;
    for (std::size_t i = first; at(i); ++i) {
      depth += is_mark(i, "(") - is_mark(i, ")");
      if (depth == 0 && is_word(i, "AND")) return number_from(i + 1);
    }
    return nullptr;
  }

  // CASE version WHEN number THEN ...
  const Token* in_case(std::size_t first) const {
    int depth = 0;
    for (std::size_t i = first; at(i) && depth >= 0; ++i) {
      if (depth == 0 && is_word(i, "WHEN"))
        if (const Token* number = number_from(i + 1)) return number;
      depth += is_word(i, "CASE") - is_word(i, "END");
    }
    return nullptr;
  }

  const Token* in_list(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; at(i); ++i) {
      if ((is_mark(i, "(") || is_mark(i, ",")) && depth <= 1 && at(i + 1) &&
          (depth == 1 || i == open))
        if (const Token* number = number_from(i + 1)) return number;
      depth += is_mark(i, "(") - is_mark(i, ")");
      if (depth == 0) break;
    }
    return nullptr;
  }

  std::span<const Token> tokens_;
  std::span<const std::string> versions_;
};

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
// overridable expression gets its own group, because it is not always computed.
ExpressionTable::Group& ExpressionTable::group_for(const Entry& entry) {
  const auto takes = [&](const std::unique_ptr<Group>& group) {
    if (entry.given || group->members.front()->given) return false;
    std::vector<std::size_t> rest;
    for (const std::size_t source : entry.sources)
      if (source < columns_.size() || entries_[source - columns_.size()]->group != group.get())
        rest.push_back(source);
    // A reader of members depends only on their inputs.
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
    // The text with real division is longer: SQLite may reject it although it accepts the original.
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

// Sets the values of all members. Leaves them empty if members must be computed alone: to find the
// one that fails, or because a member would read another as a blob instead of a text.
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

// Few expressions are ever computed alone, so each is compiled on first use.
Result<ValueId> ExpressionTable::compute_alone(Entry& entry) {
  if (!entry.alone) ORCH_TRY(compile_alone(entry));
  read(entry.sources);
  const auto value = entry.alone->compute(cells_read());
  if (!value)
    return located(entry,
                   fmt::format("it cannot be computed: {}", sqlite3_errmsg(database_->handle())));
  return values_.intern(as_text(value->front()));
}

std::optional<Fault> find_version_as_number(std::span<const Token> tokens,
                                            std::span<const std::string> versions) {
  if (versions.empty()) return std::nullopt;
  return Walk(tokens, versions).fault();
}

}  // namespace orch::sql
