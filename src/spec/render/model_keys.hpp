// A table of the placeholders in the config.pbtxt templates of TensorRT-LLM's Triton backend: the
// templates and releases that have them, their valid values, and how the backend reacts to an
// invalid one. Contains no template text.
#pragma once

#include "core/base/result.hpp"

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orch::render {

// A release without its patch number, because all patches have the same templates.
struct Release {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Release&) const = default;
};

constexpr Release k_any_release = {0, 0};
constexpr Release k_no_release = {std::numeric_limits<int>::max(), 0};

enum class ValueKind {
  text,         // anything
  integer,      // least..most
  real,         // least..most
  config_flag,  // a bool in protobuf text format
  flag,         // a bool as parsed by the C++ backend
  python_flag,  // a bool as parsed by a Python model, in any case
  word,         // one of the choices
  integers,     // 1,2,3; each least..most
  id_lists,     // integers per instance, ';' between instances
  tree,         // {0},{0,1}: branches of integers
};

// A placeholder in the templates of one or more models.
struct ModelKey {
  std::string_view key;
  std::string_view models;        // their names, separated by spaces
  Release since = k_any_release;  // the first release that has it
  Release until = k_no_release;   // the first release without it
  ValueKind kind = ValueKind::text;
  double least = 0;
  double most = 2147483647;
  std::string_view choices = {};  // separated by spaces; "lookahead/0.16" is valid from 0.16 on
  bool required = false;  // without a value the model does not load, although the file is valid
  // The value that silently replaces a missing or invalid one; "": with an invalid one the model
  // does not load.
  std::string_view fallback = {};
  // From `idle_since` to `idle_until` the backend ignores the value, for the reason `idle`.
  Release idle_since = k_no_release;
  Release idle_until = k_no_release;
  std::string_view idle = {};
};

std::span<const ModelKey> model_keys();
// The row of KEY for the templates of MODEL; otherwise KEY's row of another model, or null.
const ModelKey* find_model_key(std::string_view key, std::string_view model);
// Whether MODEL is one of the row's models.
bool has_model(const ModelKey& row, std::string_view model);

// The releases that a template of MODEL with the placeholders KEYS may belong to: FIRST <= release
// < END.
struct Releases {
  Release first = k_any_release;
  Release end = k_no_release;
};
Releases releases_with(std::string_view model, std::span<const std::string> keys);

struct ValueFinding {
  bool loads = true;    // false: the model would not load
  std::string message;  // the value, the problem and the remedy
};

// The fault of VALUE in a template of RELEASES; nullopt if none is known.
std::optional<ValueFinding> check_value(const ModelKey& row, std::string_view value,
                                        const Releases& releases);
// Whether the backend ignores the value in all of RELEASES.
bool is_idle(const ModelKey& row, const Releases& releases);

// The valid values: "a, b or c", "an integer from 1 to 8".
std::string expected(const ModelKey& row, const Releases& releases);

std::string to_string(Release release);
// The release of TAG: 0.14, 0.14.0, v0.14.0, 1.0.0rc3.
Result<Release> read_release(std::string_view tag);

}  // namespace orch::render
