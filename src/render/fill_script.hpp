// What upstream's fill_template.py does, tag by tag: how it takes substitutions apart, which values
// it presets, what it refuses. Works on text alone; knows no files and no command line, and makes
// nothing better than the script of that tag did.
#pragma once

#include "base/result.hpp"

#include <span>
#include <string>
#include <string_view>

namespace orch::render {

struct Preset {
  std::string_view key;
  std::string_view value;
};

// The script of one span of releases.
struct FillScript {
  int major = 0;
  int minor = 0;         // the first release that has it
  bool escapes = false;  // a backslash takes the next character as it is
  bool participant_ids =
      false;  // --participant_ids presets ${participant_ids}, with "" when it is not given
  bool keys_must_appear =
      false;  // each key must be a part of the template's text, wherever it stands
  std::span<const Preset> presets;
};

// The script of TAG: 0.14, 0.14.0, v0.14.0, 1.0.0rc3.
Result<FillScript> fill_script_of(std::string_view tag);

// A command line's bytes as Python has them: bytes that are no UTF-8 become lone surrogates,
// encoded in three bytes.
std::string from_argument(std::string_view bytes);
// Such a text as Python writes it: with ESCAPING lone surrogates become the bytes they were, else
// they are an error.
Result<std::string> to_output(std::string_view text, bool escaping);

struct FillScriptCall {
  std::string_view template_bytes;        // of the file, as it is on disk
  std::string_view file;                  // its name, for messages
  std::string_view substitutions;         // the argument
  std::string_view participant_ids = {};  // of the option
};

// What the script writes, as to_output() takes it; an error where it ends with a traceback.
Result<std::string> run_fill_script(const FillScript& script, const FillScriptCall& call);

}  // namespace orch::render
