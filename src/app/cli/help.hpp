// The layout of help: wrapped to the terminal, with examples at the end; and the command `help`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace orch::cli {

// Examples of command lines, in the order of a first session; empty if COMMAND has none.
std::vector<std::string> examples_of(const std::string& command);

// The width of help: that of the terminal, at most 100, or 80 for a file or a pipe.
std::size_t help_columns();

// NAME in a column of WIDTH characters, and TEXT beside it, or below it if NAME is longer.
std::string help_entry(const std::string& name, const std::string& text, std::size_t width);

// Sets the layout of APP and its commands, and the examples of commands.
void lay_out_help(CLI::App& app);

// The names in `orchestrate bench` of options of other load generators (perf_analyzer, genai-perf,
// vLLM's and SGLang's benchmarks).

// The option of `orchestrate bench` that does what OPTION ("--input-file", "-u") does in another
// tool, with the form of its value; "" if none does.
std::string_view option_here(std::string_view option);

// The commit, the compiler and the libraries of this binary.

// A library that the binary uses. A new library needs a row in the table of build_info.cpp.
struct Library {
  std::string_view package;  // its name in CMakeLists.txt
  std::string_view name;
  std::string_view licence;  // as SPDX names it
  std::string (*version)();  // the version of the loaded library, if it can report it
};
std::span<const Library> libraries();

// The commit of the sources, with "-dirty" if they had changes; "unknown" outside a git repository.
std::string_view built_commit();
// The date of that commit or, outside a repository, of the change log: "2026-11-23".
std::string_view built_date();

// The output of --version, one item per line; WITH_LICENCES adds that of each library.
std::string version_text(bool with_licences = false);

}  // namespace orch::cli
