// What is known of the placeholders in the config.pbtxt templates of TensorRT-LLM's Triton backend:
// where each stands, what its value may be, and what the backend does with a wrong one. A table;
// knows no template's text.
#pragma once

#include "base/result.hpp"

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::render {

// A release without its patch; all of its patches have the same templates.
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
  config_flag,  // a bool as protobuf text has it
  flag,         // a bool as the C++ backend reads it
  python_flag,  // a bool as a Python model reads it, whatever its case
  word,         // one of the choices
  integers,     // 1,2,3; each least..most
  id_lists,     // integers per instance, ';' between instances
  tree,         // {0},{0,1}: branches of integers
};

// A key as the templates of one or more models have it.
struct ModelKey {
  std::string_view key;
  std::string_view models;        // their names, a space between two
  Release since = k_any_release;  // the first templates that have it
  Release until = k_no_release;   // the first that no longer have it
  ValueKind kind = ValueKind::text;
  double least = 0;
  double most = 2147483647;
  std::string_view choices = {};  // a space between two; "lookahead/0.16" is known from 0.16 on
  bool required = false;  // the model does not load without a value, though the file can be read
  // What is taken in silence for a value that cannot be read, or for none; empty: the model does
  // not load.
  std::string_view fallback = {};
  // From `idle_since` to `idle_until` the backend does not look at the value, because of `idle`.
  Release idle_since = k_no_release;
  Release idle_until = k_no_release;
  std::string_view idle = {};
};

std::span<const ModelKey> model_keys();
// The row of KEY for the templates of MODEL; else one of another model; else null.
const ModelKey* find_model_key(std::string_view key, std::string_view model);
// MODEL is among the row's.
bool has_model(const ModelKey& row, std::string_view model);

// The releases that a template of MODEL with the placeholders KEYS may come from: FIRST <= release
// < END.
struct Releases {
  Release first = k_any_release;
  Release end = k_no_release;
};
Releases releases_with(std::string_view model, std::span<const std::string> keys);

struct ValueFinding {
  bool loads = true;    // false: the model would not load
  std::string message;  // begins with the value, ends with the remedy
};

// What is wrong with VALUE in a template of RELEASES; nullopt: nothing that we know of.
std::optional<ValueFinding> check_value(const ModelKey& row, std::string_view value,
                                        const Releases& releases);
// The backend of every one of RELEASES leaves the value alone.
bool is_idle(const ModelKey& row, const Releases& releases);

// "one of a, b and c", "an integer from 1 to 8": what may be written.
std::string expected(const ModelKey& row, const Releases& releases);

std::string to_string(Release release);
// 0.14, 0.14.0, v0.14.0, 1.0.0rc3.
Result<Release> read_release(std::string_view tag);

}  // namespace orch::render
