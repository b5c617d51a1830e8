// What a look at a machine found: sections of findings, as text and as JSON. Looks at nothing.
#pragma once

#include "core/base/enum_names.hpp"

#include <span>
#include <string>
#include <vector>

namespace orch::doctor {

enum class Level {
  ok,
  note,     // it is not there, and most people do without
  unknown,  // it cannot be looked at now, and may be missing
  warning,  // it works with a limit, or could not be checked
  missing,  // something does not work without it
};

constexpr auto names_of(Tag<Level>) {
  return value_names("ok", "note", "unknown", "warning", "missing");
}

struct Finding {
  Level level = Level::ok;
  std::string what;
  std::string remedy = {};  // a command, or a key with its value; "" where there is nothing to do
  std::vector<std::string> points = {};  // of a matrix, by name; empty: it is about no point
};

struct Section {
  std::string heading;
  std::vector<Finding> findings = {};
  // By the user, who gets another exit status where something is missing.
  bool is_asked_for = false;

  void add(Level level, std::string what, std::string remedy = "") {
    findings.push_back({level, std::move(what), std::move(remedy)});
  }
  bool lacks() const;
};

// A line, and one more for a remedy.
std::string text_of(const Finding& finding);
// A line per finding below its heading, and one more for a remedy; at last the exit status.
std::string text_of(std::span<const Section> sections);
std::string json_of(std::span<const Section> sections);

// Whether something is missing in a section that was asked for.
bool lacks_what_was_asked_for(std::span<const Section> sections);

}  // namespace orch::doctor
