// What a runner says about one parameter, and a value of it. Types are declared by the runner;
// values keep the text that the matrix wrote (`0.10` is a version, not 0.1).
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace orch {
struct Yaml;
}

namespace orch::matrix {

enum class Type { text, integer, real, boolean, version };

std::string_view to_string(Type type);
std::optional<Type> type_from(std::string_view name);

// A value in canonical text: integers in their only decimal form, booleans as "true"/"false",
// everything else as written.
struct Value {
  Type type = Type::text;
  std::string text;

  bool operator==(const Value&) const = default;
};

// VALUE for those who store it or write JSON: a number or truth where its type and text are one,
// else its text (so a version, and a number out of range).
using TypedValue = std::variant<std::string, std::int64_t, double, bool>;
TypedValue typed(const Value& value);

struct Parameter {
  std::string name{};
  Type type = Type::text;
  std::vector<std::string> allowed{};         // empty: anything of the type
  std::optional<double> least{}, most{};      // numbers
  std::optional<Value> fallback{};            // a literal default
  std::optional<std::string> fallback_sql{};  // or an expression over other parameters
  Places fallback_where{};
  bool optional = false;  // a point may have no value for it, though a stage reads it
  bool is_path =
      false;  // of type text: names a file or folder, and its content counts where it is here
  std::string help{};
  Location where{};
};

// A predicate that must hold for a point, from a runner's manifest. `because` may name {parameters}
// and {facts}.
struct Rule {
  enum class Level { reject, warn };
  std::string name{};
  std::string require{};  // SQL
  std::string because{};
  Places where{};      // of `require`
  std::string when{};  // SQL: the rule is asked only where this is true; "": everywhere
  Places when_where{};
  Level level =
      Level::reject;  // warn: a point for which it does not hold is as good as any, and is told of
};

// An expression that stages of a runner or `provide:` ask about every point: is a fragment of argv
// there, how many GPUs does a stage take.
struct Question {
  enum class Answer { truth, number };
  std::string what{};  // for messages: "'when' of stage 'build'"
  std::string sql{};
  Places where{};
  Answer answer = Answer::truth;
  std::vector<std::string>
      may_read{};  // parameters and facts; anything else is an error at `where`
  bool may_read_all = false;
};

// "{out}", "{stage:build}": what a runner fills in when a stage starts, wherever it stands in TEXT.
// Values must not hold it.
std::optional<std::string> find_runner_symbol(std::string_view text);

// TEXT, as somebody wrote it, as a value of PARAMETER. Exact: an integer is neither "08" nor "1e3",
// a boolean neither "yes" nor "1", a version has a dot. Errors have no place.
Result<Value> read_text(const Parameter& parameter, std::string_view text);
// SCALAR as a value of PARAMETER, or an error that names file, line, value and remedy.
Result<Value> read_value(const Parameter& parameter, const Yaml& scalar);

}  // namespace orch::matrix
