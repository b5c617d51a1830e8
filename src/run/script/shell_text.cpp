#include "run/script/shell_text.hpp"

#include "core/base/text.hpp"
#include "spec/render/template.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace orch::script {

namespace {

constexpr std::size_t k_columns = 120;

// TEXT with a backslash before each character of SPECIAL.
std::string escape(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string expand(const ShellText& text, std::string_view special) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto& [variable, literal] = text[i];
    const std::string_view next = !literal.empty() ? literal
                                  : i + 1 < text.size() && text[i + 1].variable.empty()
                                      ? text[i + 1].text
                                      : std::string_view();
    const bool joins = !next.empty() && (is_letter_or_digit(next.front()) || next.front() == '_' ||
                                         next.front() == '[');
    if (!variable.empty()) out += joins ? "${" + variable + "}" : "$" + variable;
    out += escape(literal, special);
  }
  return out;
}

bool is_literal(const ShellText& text) {
  return std::ranges::all_of(text, [](const ShellPart& part) { return part.variable.empty(); });
}

std::string literal_of(const ShellText& text) {
  std::string all;
  for (const ShellPart& part : text) all += part.text;
  return all;
}

// Whether WORD, possibly quoted, is an option.
bool is_option(std::string_view word) {
  const std::size_t first = word.find_first_not_of("\"'");
  return first != std::string_view::npos && word[first] == '-';
}

}  // namespace

ShellText shell_text(
    std::string_view text,
    const std::function<std::optional<ShellPart>(std::string_view symbol)>& lookup) {
  ShellText out;
  std::string literal;
  auto flush = [&] {
    if (!literal.empty()) out.push_back({"", std::exchange(literal, {})});
  };
  for (const std::string& symbol : render::symbols_of(text)) {
    const std::string whole = "{" + symbol + "}";
    const std::size_t at = text.find(whole);
    literal += text.substr(0, at);
    text.remove_prefix(at + whole.size());
    if (auto part = lookup(symbol)) {
      flush();
      out.push_back(std::move(*part));
    } else {
      literal += whole;
    }
  }
  literal += text;
  flush();
  return out;
}

std::string shell_word(const ShellText& text) {
  return is_literal(text) ? shell_quote(literal_of(text)) : '"' + expand(text, "\\\"$`") + '"';
}

std::string shell_lines(const ShellText& text) { return expand(text, "\\$`"); }

std::string here_document(const ShellText& text) {
  const std::string body = is_literal(text) ? literal_of(text) : shell_lines(text);
  const std::vector<std::string> lines = split(body, '\n');
  std::string delimiter = "END";
  for (int i = 2; contains(lines, delimiter); ++i) delimiter = fmt::format("END{}", i);
  const std::string_view quote = is_literal(text) ? "'" : "";
  return fmt::format("<<{2}{0}{2}\n{1}{0}\n", delimiter, body, quote);
}

std::string shell_comment(std::string_view text) {
  std::string out;
  for (const std::string& line : split(printable(text), '\n'))
    out += line.empty() ? "#\n" : "# " + line + "\n";
  return out;
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string out = words.front();
  std::size_t column = out.size();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool is_value = !is_option(words[i]) && is_option(words[i - 1]);
    const bool has_value = is_option(words[i]) && i + 1 < words.size() && !is_option(words[i + 1]);
    const std::size_t needed = words[i].size() + (has_value ? words[i + 1].size() + 1 : 0);
    const bool breaks = !is_value && column + needed + 3 > k_columns;
    out += breaks ? k_next_line : " ";
    out += words[i];
    column = (breaks ? 2 : column + 1) + words[i].size();
  }
  return out;
}

std::string sed_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '&' || c == '|' || c == '\n') out += '\\';
    out += c;
  }
  return out;
}

const std::string_view k_script_usage = R"BASH(#
# The steps of `orchestrate run` with an empty store, by hand: this script makes every artifact, then starts, measures
# and stops one server after the other. All files go into the folder OUT, which must be new:
#
#   OUT=./by-hand bash {}
#
# It does not resume or retry: the first failure ends it. Whether a measurement is valid is recorded in its
# measurement.json. Requires bash 4.4, curl and GNU coreutils, findutils, sed and util-linux (setsid), and what the
# stages call: orchestrate itself and the scripts of the runner. On another machine set ORCHESTRATE and RUNNER to them.
# shellcheck disable=SC2016,SC2034  # '$' in a request may be literal, a variable may serve the reader only
set -euo pipefail

)BASH";

const std::string_view k_script_functions = "\n"
#include <embedded/functions.sh.inc>
    ;

std::string check_of_other_runner(const std::string& variable, const std::string& runner) {
  return fmt::format(
      R"BASH([[ -d ${0} ]] || fail "the folder ${0} of runner {1} does not exist: set {0} to its path"
[[ "${0}" != *[\"\\\&\|$'\n']* ]] || fail "a path contains one of \" \\ & | or a newline: use another folder")BASH",
      variable, runner);
}

const std::string_view k_slurm_script_usage = R"BASH(#
# The steps of `orchestrate run` with an empty store as jobs of Slurm: a job for each task, and one for each server with
# its measurements. This script submits itself as each of them. A job starts when those that it needs have succeeded,
# and is cancelled when one of them fails. All files go into the folder OUT, which must be new, on a file system that
# all nodes share, as this script must be:
#
#   OUT=./by-hand bash {}
#
# It does not resume or retry. Whether a measurement is valid is recorded in its measurement.json. Requires bash 4.4,
# curl and GNU coreutils, findutils, sed and util-linux (setsid) on the nodes, and what the stages call: orchestrate
# itself and the scripts of the runner. On another cluster set ORCHESTRATE and RUNNER to them.
# shellcheck disable=SC2016,SC2034,SC2154  # '$' in a request may be literal, variables may serve jobs or the reader
set -euo pipefail

)BASH";

const std::string_view k_submit_usage = R"BASH(#
# The steps of `orchestrate run` with an empty store as jobs of Slurm: this script submits the files *.sub beside it. A
# job starts when those that it needs have succeeded, and is cancelled when one of them fails. All files go into the
# folder OUT, which must be new, on a file system that all nodes share, as this folder must be:
#
#   OUT=./by-hand bash submit.sh
#
# The output of Slurm and of the jobs themselves goes into the folder logs beside this script, that of their processes
# into OUT/logs. NAME.sub has the requests and the steps of a job, NAME.sh the command that the job starts with srun.
# To submit one job by itself: OUT=/shared/by-hand sbatch NAME.sub, in this folder.
# shellcheck disable=SC1091,SC2034,SC2154
)BASH";

const std::string_view k_functions_usage = R"BASH(#!/usr/bin/env bash
# The paths and functions that the jobs of this folder share. Requires bash 4.4, curl and GNU coreutils, findutils, sed
# and util-linux (setsid) on the nodes, and what the stages call: orchestrate itself and the scripts of the runner. On
# another cluster set ORCHESTRATE and RUNNER to their paths.
# shellcheck disable=SC2016,SC2034,SC2154  # variables serve the jobs
set -euo pipefail

)BASH";

const std::string_view k_job_functions = "\n"
#include <embedded/job_functions.sh.inc>
    ;

}  // namespace orch::script
