// A choice in words and as data. Knows no store and no command line.
#pragma once

#include "analysis/best/choice.hpp"

#include <string>

namespace orch::best {

// What the text says of the command that was given.
struct Said {
  std::string store_option{};  // " --store DIR", or ""
  std::string command{};       // the whole command line, for a shell; "": not told
  bool markdown = false;
};

// For people: a table for each group, the best first, then what is marked, left out and assumed,
// and at the end the commands that make the best again.
std::string choice_text(const Question& question, const Choice& choice, const Said& said);

// Every row with every digit. CSV has one line per row; JSON also has what is left out, and notes.
std::string choice_csv(const Question& question, const Choice& choice);
std::string choice_json(const Question& question, const Choice& choice, const Said& said);

// What qualifies the whole answer, one sentence each: prices, parts of the condition that were not
// judged, lengths that differ.
std::vector<std::string> notes_of(const Question& question, const Choice& choice);

}  // namespace orch::best
