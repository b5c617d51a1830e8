// Text for bash: words, here-documents and comments out of which exactly the given bytes come.
// Knows nothing of stages.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::script {

inline constexpr std::string_view k_next_line = " \\\n  ";  // goes on with the command

// "$VARIABLE" (nothing when empty), then TEXT as it is.
struct ShellPart {
  std::string variable;
  std::string text;
};
using ShellText = std::vector<ShellPart>;

// TEXT with each {symbol} that LOOKUP knows replaced by what LOOKUP says of it.
ShellText shell_text(
    std::string_view text,
    const std::function<std::optional<ShellPart>(std::string_view symbol)>& lookup);

// One word.
std::string shell_word(const ShellText& text);
// What stands in a here-document with a bare delimiter, in which variables are filled in.
std::string shell_lines(const ShellText& text);

// A here-document, taken literally: "<<'END'\nTEXT\nEND\n". TEXT ends with a line end or is empty.
std::string here_document(std::string_view text);

// Every line of TEXT behind "# ".
std::string shell_comment(std::string_view text);

// WORDS one after the other, in several lines when they are long; an option and its value stay
// together.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace orch::script
