// Fills a config.pbtxt template: a text and named values in, a text and everything that is wrong or
// doubtful out. Knows protobuf text as far as quotes and comments go, and the keys in
// model_keys.hpp; knows no files.
#pragma once

#include "base/result.hpp"
#include "render/model_keys.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::render {

struct PbtxtTemplate {
  std::string_view text;
  std::string file;                // its name in messages
  std::optional<Release> release;  // what it was made for; else judged by its placeholders
};

// A placeholder in quotes that has no value: it stays, and the backend does as if it were not
// there.
struct UnfilledKey {
  std::string key;
  Location where;             // the first of its places
  std::string_view fallback;  // what the backend takes; empty: nothing known
};

struct FilledPbtxt {
  std::string text;  // whole only if there are no errors
  Errors errors;     // the model would not load
  Errors warnings;   // it would load, and do something else than was asked
  std::vector<UnfilledKey> unfilled;
  std::vector<std::string>
      unknown;  // keys of VALUES that the template has no placeholder for: for the caller to judge
};

// In quotes a value is written so that the backend reads it as it was given: '"' and '\' get a
// backslash.
FilledPbtxt fill_pbtxt(const PbtxtTemplate& from, const std::map<std::string, std::string>& values);

// The error for a value without a placeholder: what was likely meant, or whose templates have it.
Error unknown_key(const PbtxtTemplate& from, std::string_view key, std::string_view value);

}  // namespace orch::render
