// How commands show their help: wrapped to the terminal, with examples at the end; and the command
// `help`. Knows the commands by their names alone.
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

// What one types, in the order of a first session; empty for a command that has none.
std::vector<std::string> examples_of(const std::string& command);

// The width of help: that of the terminal, and 80 where it goes to a file or a pipe.
std::size_t help_columns();

// NAME in a column of WIDTH, and TEXT beside it, or below a NAME that is longer.
std::string help_entry(const std::string& name, const std::string& text, std::size_t width);

// Gives APP and its commands the layout, and commands their examples.
void lay_out_help(CLI::App& app);

// Options of other load generators (perf_analyzer, genai-perf, vLLM's and SGLang's benchmarks) and
// what they are called here.

// The option of `orchestrate bench` that does what OPTION ("--input-file", "-u") does elsewhere,
// with the form of its value; "" when there is none.
std::string_view option_here(std::string_view option);

// What this binary was made of: its commit, its compiler and its libraries.

// A library that the binary uses. A new one is a new row of the table in build_info.cpp.
struct Library {
  std::string_view package;  // its name in CMakeLists.txt
  std::string_view name;
  std::string (*version)();  // of what is loaded, if the library can tell
};
std::span<const Library> libraries();

// Of the sources, with "-dirty" when they had changes; "unknown" outside a git repository.
std::string_view built_commit();
// Of that commit or, outside a repository, of the change log: "2026-11-23".
std::string_view built_date();

// The answer to --version, one fact a line.
std::string version_text();

}  // namespace orch::cli
