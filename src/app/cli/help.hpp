// How commands show their help: wrapped to the terminal, with examples at the end; and the command
// `help`. Knows the commands by their names alone.
#pragma once

#include <string>
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

}  // namespace orch::cli
