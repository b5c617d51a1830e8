// A runner's declaration of a parameter, and a value of it. Values keep the text of the matrix:
// `0.10` is a version, not 0.1.
#pragma once

#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"
#include "core/sql/expression_table.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/matrix/points/id_column.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace orch {
struct Yaml;
}

namespace orch::matrix {

enum class Type { text, integer, real, boolean, version };

constexpr auto names_of(Tag<Type>) { return keys::k_fact_types; }

// A value in canonical text: integers in their only decimal form, reals in their shortest ("3",
// "0.5"), like SQL results, booleans as "true"/"false", everything else as written.
struct Value {
  Type type = Type::text;
  std::string text;

  bool operator==(const Value&) const = default;
};

// A value for the store and for JSON: a number or boolean if its type and text allow it, else its
// text, as for a version or a number out of range.
using TypedValue = std::variant<std::string, std::int64_t, double, bool>;
TypedValue typed(const Value& value);

// The versions of a runner's tool that support something: from SINCE on, before UNTIL; "": no
// bound.
struct Releases {
  std::string since{}, until{};

  bool bounds() const { return !since.empty() || !until.empty(); }
};

// The manifest's description of a parameter, for users. For points, `since` and `until` have become
// rules and defaults.
struct Declared {
  std::string unit{};  // of a number: "tokens"
  Releases releases{};
  std::map<std::string, Releases> values{};  // values that not every version supports
  std::optional<Value> fallback{};
  std::optional<std::string> fallback_sql{};
  bool optional = false;
};

struct Parameter {
  std::string name{};
  Type type = Type::text;
  std::vector<std::string> allowed{};         // empty: anything of the type
  std::optional<double> least{}, most{};      // numbers
  std::optional<Value> fallback{};            // a literal default
  std::optional<std::string> fallback_sql{};  // or an expression over other parameters
  Places fallback_where{};
  bool optional = false;  // a point may lack a value for it, even if a stage reads it
  // Of type text: names a file or folder, whose content enters digests if it is on this machine.
  bool is_path = false;
  // Of type text: several texts. The value is a JSON array of strings.
  bool is_list = false;
  // Of type text: a name under `models:`, whose identity enters digests instead of its source.
  bool is_model = false;
  // Used to compare points of several runners. Computed by fallback_sql only, set by no matrix,
  // read by no stage, and not part of any point's name.
  bool is_compared = false;
  // Of type text: a name under `datasets:`, which replaces measure.prompts, or one of `allowed`.
  bool is_dataset = false;
  std::string help{};
  Location where{};
  Declared declared{};
};

// Whether VALUE of PARAMETER names a dataset rather than one of `allowed`.
inline bool names_dataset(const Parameter& parameter, std::string_view value) {
  return parameter.is_dataset &&
         std::ranges::find(parameter.allowed, value) == parameter.allowed.end();
}

// Whether PARAMETER's values are names under `models:`; always true for `model`.
inline bool names_model(const Parameter& parameter) {
  return parameter.is_model || parameter.name == "model";
}

// A predicate that must hold for a point, from a runner's manifest. `because` may contain
// {parameters} and {facts}.
struct Rule {
  enum class Level { reject, warn, note };
  std::string name{};
  std::string require{};  // SQL
  std::string because{};
  Places where{};      // of `require`
  std::string when{};  // SQL: the rule applies only if this is true; "": always
  Places when_where{};
  // warn: the point is kept, with a warning. note: it is kept, and `check` shows the reason.
  Level level = Level::reject;
  bool ends = false;  // if it does not hold, later rules are not evaluated
};
constexpr auto names_of(Tag<Rule::Level>) { return keys::k_levels; }

// An expression that stages of a runner or `provide:` evaluate for every point: whether a fragment
// of argv applies, how many GPUs a stage needs.
struct Question {
  enum class Answer { truth, number };
  std::string what{};  // for messages: "'when' of stage 'build'"
  std::string sql{};
  Places where{};
  Answer answer = Answer::truth;
  std::vector<std::string>
      may_read{};  // parameters and facts; anything else is an error at `where`
  bool may_read_all = false;
  bool estimates = false;  // only an estimate: NULL is no error, and no point waits for its facts
};

// TEXT, as typed, as a value of PARAMETER. Exact: "08" and "1e3" are not integers, "yes" and "1"
// are not booleans, and a version has a dot. Errors have no location.
Result<Value> read_text(const Parameter& parameter, std::string_view text);
// NODE as a value of PARAMETER, or an error with file, line, value and remedy. Expects a scalar or,
// if PARAMETER is a list, a list of scalars; one scalar is a list of one.
Result<Value> read_value(const Parameter& parameter, const Yaml& node);
// The type of PARAMETER as a manifest writes it: "integer", "list", "path".
std::string_view type_name(const Parameter& parameter);

// The parameters of the points of an expansion, one column per name: a matrix may have a million
// points, which differ in only a few of them.
struct ParameterTable {
  std::vector<std::string> names;  // sorted, unique
  // A deque, because growing must not move values. The first element means "no value".
  std::deque<Value> values = std::deque<Value>(1);
  std::vector<IdColumn> columns;  // [name]: the index of a value for each row

  // Null if ROW has no value for the name with index NAME.
  const Value* find(std::size_t row, std::size_t name) const {
    const std::uint32_t value = columns[name][row];
    return value == 0 ? nullptr : &values[value];
  }
};

// The parameters of one point that have a value, by name: a row of a table shared with other
// points. Iterates in name order, as pairs of name and value.
class Parameters {
 public:
  class Iterator;

  Parameters() = default;
  Parameters(std::initializer_list<std::pair<const std::string, Value>> values);
  Parameters(std::shared_ptr<const ParameterTable> table, std::size_t row)
      : table_(std::move(table)), row_(row) {}

  // Costs a copy of all the values.
  void set(const std::string& name, Value value);

  // nullptr if NAME has no value. Valid until the next set().
  const Value* find(std::string_view name) const;
  // NAME must have a value.
  const Value& at(std::string_view name) const { return *find(name); }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  Iterator begin() const;
  Iterator end() const;

 private:
  std::size_t names() const { return table_ ? table_->names.size() : 0; }

  std::shared_ptr<const ParameterTable> table_;
  std::size_t row_ = 0;
};

class Parameters::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = std::pair<const std::string&, const Value&>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = value_type;

  Iterator(const Parameters& of, std::size_t at) : of_(&of), at_(at) { skip(); }
  reference operator*() const {
    return {of_->table_->names[at_], *of_->table_->find(of_->row_, at_)};
  }
  Iterator& operator++() {
    ++at_;
    skip();
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(const Iterator& other) const { return at_ == other.at_; }

 private:
  void skip() {
    while (at_ < of_->names() && !of_->table_->find(of_->row_, at_)) ++at_;
  }

  const Parameters* of_;
  std::size_t at_;
};

inline Parameters::Iterator Parameters::begin() const { return {*this, 0}; }
inline Parameters::Iterator Parameters::end() const { return {*this, names()}; }

// Values of parameters as cells of an expression table, and back.

sql::ColumnType column_type(Type type);
sql::Cell to_cell(const Value& value);
// "NULL", or the value.
std::string to_text(const sql::Cell& cell);
// CELL, not NULL, as a value of a type that no runner declares.
Value free_value(const sql::Cell& cell);
// CELL, not NULL, as a value of PARAMETER, or why it cannot be one.
Result<Value> declared_value(const Parameter& parameter, const sql::Cell& cell);

}  // namespace orch::matrix
