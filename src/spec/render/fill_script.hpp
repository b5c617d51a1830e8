// Reproduces upstream's fill_template.py per release tag: its parsing of substitutions, its preset
// values and its errors, including its bugs. Works on text only.
#pragma once

#include "core/base/result.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::render {

// Placeholders as in Python's string.Template: $name, ${name}, and $$ for a dollar sign. Other text
// and placeholders without a value stay unchanged.

struct Placeholder {
  std::string name;        // a letter or '_', then letters, digits and '_'; ASCII, case-sensitive
  std::size_t offset = 0;  // of its '$'
  std::size_t size = 0;    // of the whole placeholder
};

// The placeholders of TEXT, in order.
std::vector<Placeholder> find_placeholders(std::string_view text);

// A letter or '_', then letters, digits and '_'.
bool is_placeholder_name(std::string_view text);

// The value of a placeholder; nullopt leaves it unchanged.
using PlaceholderLookup = std::function<std::optional<std::string>(const Placeholder& placeholder)>;

// TEXT with each placeholder known to LOOKUP replaced and each $$ reduced to $. Inserted values are
// not scanned again.
std::string substitute(std::string_view text, const PlaceholderLookup& lookup);

// Parses the arguments KEY:VALUE,KEY:VALUE of `orchestrate fill-template`. Values may contain
// colons and commas: the first colon ends a key, and a comma ends a value only before a name and a
// colon. A backslash escapes the next character.

// The substitutions of all ARGUMENTS together. Appends every error to ERRORS.
std::map<std::string, std::string> read_substitutions(std::span<const std::string> arguments,
                                                      Errors& errors);

struct Preset {
  std::string_view key;
  std::string_view value;
};

// The behaviour of the script in one range of releases.
struct FillScript {
  int major = 0;
  int minor = 0;                 // the first release of the range
  bool escapes = false;          // a backslash escapes the next character
  bool participant_ids = false;  // --participant_ids presets ${participant_ids}, by default with ""
  bool keys_must_appear = false;  // each key must occur somewhere in the template's text
  std::span<const Preset> presets;
};

// The script of TAG: 0.14, 0.14.0, v0.14.0, 1.0.0rc3, or a tag that is not a version, such as
// r24.08-beta.
Result<FillScript> fill_script_of(std::string_view tag);

// The bytes of a command line as Python decodes them: invalid UTF-8 becomes lone surrogates,
// encoded in three bytes.
std::string from_argument(std::string_view bytes);
// Such a text as Python encodes it: with ESCAPING, lone surrogates become the original bytes again;
// otherwise they are an error.
Result<std::string> to_output(std::string_view text, bool escaping);

struct FillScriptCall {
  std::string_view template_bytes;        // of the file on disk
  std::string_view file;                  // its name, for messages
  std::string_view substitutions;         // the argument
  std::string_view participant_ids = {};  // of the option
};

// The output of the script, in the form that to_output() takes; an error if the script raises an
// exception.
Result<std::string> run_fill_script(const FillScript& script, const FillScriptCall& call);

}  // namespace orch::render
