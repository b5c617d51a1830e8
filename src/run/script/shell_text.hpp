// Text for bash: arguments, here-documents and comments that expand to exactly the given bytes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::script {

inline constexpr std::string_view k_next_line = " \\\n  ";  // continues a command

// "$VARIABLE", or nothing if `variable` is "", followed by `text` unchanged.
struct ShellPart {
  std::string variable;
  std::string text;
};
using ShellText = std::vector<ShellPart>;

// TEXT with each {symbol} known to LOOKUP replaced by its value.
ShellText shell_text(
    std::string_view text,
    const std::function<std::optional<ShellPart>(std::string_view symbol)>& lookup);

// TEXT as one argument of a command.
std::string shell_word(const ShellText& text);
// TEXT as the content of a here-document with an unquoted delimiter, which expands variables.
std::string shell_lines(const ShellText& text);

// TEXT as a here-document: "<<'END'\nTEXT\nEND\n", or "<<END" if it has variables. TEXT must be
// empty or end with a newline; the values of its variables are one line each.
std::string here_document(const ShellText& text);

// TEXT with "# " before every line.
std::string shell_comment(std::string_view text);

// WORDS as a command. A long command has several lines, with an option and its value on the same
// line.
std::string shell_command(const std::vector<std::string>& words);

// TEXT, quoted for the replacement in a sed command s|...|...|.
std::string sed_text(std::string_view text);

// The bash functions at the beginning of every script of a plan: what `orchestrate run` does around
// a stage's command.

// Comments for the user, and the shell options.
extern const std::string_view k_script_usage;
// The functions, which use the variables OUT, RUNNER and ORCHESTRATE. Scripts call `make_out` and
// `begin` before the others.
extern const std::string_view k_script_functions;
// Lines that end the script unless VARIABLE names RUNNER's folder.
std::string check_of_other_runner(const std::string& variable, const std::string& runner);

// The bash functions of scripts that submit Slurm jobs and of the jobs themselves, in addition to
// those above, and the usage comments of such scripts.

// For a single script that submits itself: comments for the user, and the shell options.
extern const std::string_view k_slurm_script_usage;
// The same for submit.sh, which has the shell options of functions.sh, and for functions.sh.
extern const std::string_view k_submit_usage;
extern const std::string_view k_functions_usage;
// The additional functions of jobs, to be placed after k_script_functions.
extern const std::string_view k_job_functions;

}  // namespace orch::script
