// Reproduces upstream's fill_template.py per release tag: its parsing of substitutions, its preset
// values and its errors, including its faults. Works on text; knows no files and no command line.
#pragma once

#include "core/base/result.hpp"

#include <span>
#include <string>
#include <string_view>

namespace orch::render {

struct Preset {
  std::string_view key;
  std::string_view value;
};

// The behaviour of the script in one range of releases.
struct FillScript {
  int major = 0;
  int minor = 0;                 // the first release that has it
  bool escapes = false;          // a backslash escapes the next character
  bool participant_ids = false;  // --participant_ids presets ${participant_ids}, by default with ""
  bool keys_must_appear = false;  // each key must occur anywhere in the template's text
  std::span<const Preset> presets;
};

// The script of TAG: 0.14, 0.14.0, v0.14.0, 1.0.0rc3.
Result<FillScript> fill_script_of(std::string_view tag);

// The bytes of a command line as Python decodes them: bytes that are not UTF-8 become lone
// surrogates, encoded in three bytes.
std::string from_argument(std::string_view bytes);
// Such a text as Python encodes it: with ESCAPING, lone surrogates become the original bytes;
// otherwise they are an error.
Result<std::string> to_output(std::string_view text, bool escaping);

struct FillScriptCall {
  std::string_view template_bytes;        // of the file on disk
  std::string_view file;                  // its name, for messages
  std::string_view substitutions;         // the argument
  std::string_view participant_ids = {};  // of the option
};

// The output of the script, in the form that to_output() takes; an error where the script raises an
// exception.
Result<std::string> run_fill_script(const FillScript& script, const FillScriptCall& call);

}  // namespace orch::render
