// Text for bash: words, here-documents and comments that expand to exactly the given bytes. Knows
// nothing of stages.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::script {

inline constexpr std::string_view k_next_line = " \\\n  ";  // continues a command

// "$VARIABLE", or nothing if it is empty, followed by TEXT unchanged.
struct ShellPart {
  std::string variable;
  std::string text;
};
using ShellText = std::vector<ShellPart>;

// TEXT with each {symbol} that LOOKUP knows replaced by its value.
ShellText shell_text(
    std::string_view text,
    const std::function<std::optional<ShellPart>(std::string_view symbol)>& lookup);

// TEXT as one word.
std::string shell_word(const ShellText& text);
// TEXT as the content of a here-document with an unquoted delimiter, which expands variables.
std::string shell_lines(const ShellText& text);

// TEXT as a here-document: "<<'END'\nTEXT\nEND\n", or "<<END" if it has variables. It ends with a
// line end or is empty. The values of variables are one line each.
std::string here_document(const ShellText& text);

// TEXT with "# " before every line.
std::string shell_comment(std::string_view text);

// WORDS as a command, on several lines when it is long; an option and its value share a line.
std::string shell_command(const std::vector<std::string>& words);

// TEXT, quoted for the replacement in a command s|...|...| of sed.
std::string sed_text(std::string_view text);

// The bash functions at the head of every script of a plan: what `orchestrate run` does around the
// command of a stage. Knows no plan.

// Comments for the user, and the shell options.
extern const std::string_view k_script_usage;
// They use the variables OUT, RUNNER and ORCHESTRATE. `make_out` and `begin` come before the
// others.
extern const std::string_view k_script_functions;
// Ends the script unless VARIABLE names a folder, which is that of RUNNER.
std::string check_of_other_runner(const std::string& variable, const std::string& runner);

// The bash functions of scripts that submit jobs of Slurm and that run in them, beside those of
// shell_text.hpp, and what such scripts say about themselves.

// One script that submits itself. Comments for the user, and the shell options.
extern const std::string_view k_slurm_script_usage;
// The same of submit.sh, and of the functions.sh beside it.
extern const std::string_view k_submit_usage;
extern const std::string_view k_functions_usage;
// Follow k_script_functions.
extern const std::string_view k_job_functions;

}  // namespace orch::script
