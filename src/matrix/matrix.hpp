// matrix.yaml as written: axes, defaults, expressions, rules of exclusion. Reads text; knows no runner and opens no
// file. Types and unknown names are settled by expand(), which is given the runner's vocabulary.
#pragma once

#include "base/result.hpp"
#include "base/yaml.hpp"
#include "matrix/parameter.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::matrix {

// A named SQL expression and where it stands.
struct Expression {
  std::string name;  // the `let` name; "" for an exclude predicate
  std::string sql;
  Location where;
};

// One value of an axis: the parameters it sets together. A plain axis `tp: [1, 2]` sets one parameter of its own name.
struct AxisValue {
  std::vector<std::pair<std::string, Yaml>> sets;  // parameter name, scalar
  Location where;
};

struct Axis {
  std::string name;
  std::vector<AxisValue> values;
  Location where;
};

// An entry of `models:`.
struct Model {
  std::string source;    // "hf:OWNER/NAME", "local:PATH", "generate:SHAPE"
  std::string revision;  // "" when not given
  Location where;
};

// From when on the client itself, and not the server, is what was measured. Judgement only: not in any digest.
struct Limits {
  double wake_lag_ms = 1;          // p99 of how late the client wakes up
  double client_cpu_share = 0.85;  // of one client thread
};

// What `measure:` says. Keys that this version does not act on are errors of parse_matrix.
struct Measure {
  std::optional<Expression> warmup;  // requests before the window; an expression over the point
  std::int64_t seed = 0;
  std::int64_t repeats = 1;          // repeats.measure
  Limits limits;
};

struct Matrix {
  std::string file;
  std::string name;
  std::string runner;
  Location runner_where;
  std::vector<std::pair<std::string, Yaml>> defaults;  // parameter name, scalar
  std::vector<Axis> axes;
  std::vector<Expression> let;
  std::vector<Expression> exclude;
  std::map<std::string, Model> models;
  Measure measure;
};

// Every error of the text at once, appended to ERRORS; the matrix is usable only if none was added.
Matrix parse_matrix(std::string_view text, const std::string& file, Errors& errors);

// One full assignment of parameters.
struct Point {
  std::string name;                          // axis values + six characters of a hash over the point's own parameters
  std::map<std::string, Value> parameters;   // every parameter that has a value, `let` columns included
  std::string model_source;                  // of the point's model; "" when the runner has no parameter `model`
  std::string model_revision;
  std::int64_t warmup = 0;                   // requests
  struct Rejection {
    std::string rule;
    std::string why;    // in words, with the point's numbers
  };
  std::optional<Rejection> rejected;         // a rule of the runner does not hold
};

struct Expansion {
  std::vector<Point> points;     // in the order of the axes, the last axis fastest; excluded points are not here
  std::size_t excluded = 0;
  std::vector<std::string> warnings;
};

struct ExpandLimits {
  std::size_t points = 1'000'000;  // product of the axes, before exclude
};

// Fills in defaults, evaluates expressions in SQLite, drops excluded points, marks rejected ones. MATRIX was parsed
// without an error. A parameter's value comes from its axis, else from a `let` of its name, else from `defaults`, else
// from the runner's literal or expression. Errors: unknown parameter (with a suggestion), wrong type or value, a value
// twice in one axis, an axis that nothing reads, unknown model, a parameter without a value that a stage reads, a faulty
// expression, NULL where it is no answer; all of them are appended to ERRORS in the order of the file. With any error
// the expansion is empty.
Expansion expand(const Matrix& matrix, const Vocabulary& vocabulary, Errors& errors, const ExpandLimits& limits = {});

}  // namespace orch::matrix
