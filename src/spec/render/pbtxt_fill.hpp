// Fills a config.pbtxt template from named values, and reports errors and warnings. Follows the
// quotes and comments of protobuf text and the table of keys in model_keys.hpp.
#pragma once

#include "core/base/result.hpp"
#include "spec/render/model_keys.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::render {

struct PbtxtTemplate {
  std::string_view text;
  std::string file;                // its name in messages
  std::optional<Release> release;  // of the template; nullopt: derived from its placeholders
};

// A quoted placeholder without a value: it stays, and the backend treats it as unset.
struct UnfilledKey {
  std::string key;
  Location where;             // of its first occurrence
  std::string_view fallback;  // the backend's default; "": unknown
};

struct FilledPbtxt {
  std::string text;  // complete only without errors
  Errors errors;     // the model would not load
  Errors warnings;   // the model would load but not behave as requested
  std::vector<UnfilledKey> unfilled;
  std::vector<std::string>
      unknown;  // keys of VALUES without a placeholder in the template, for the caller to report
};

// Inside quotes, the quote character and '\' in a value are escaped with a backslash.
FilledPbtxt fill_pbtxt(const PbtxtTemplate& from, const std::map<std::string, std::string>& values);

// The error that FROM has no placeholder for KEY. Suggests the closest key, or names the templates
// that have KEY.
Error unknown_key(const PbtxtTemplate& from, std::string_view key, std::string_view value);

}  // namespace orch::render
