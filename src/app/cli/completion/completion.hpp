// Scripts that let bash, zsh and fish complete the command line, made from the parser's own table
// of commands and options. What they ask the program for while the user types is in
// completed_names.cpp.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace orch::cli {

// How a shell completes the value of an option, or a positional word.
enum class Completes { nothing, files, folders, choices };

struct CompletedOption {
  std::vector<std::string> names;  // "-f", "--follow"; empty for a positional word
  std::string help;
  bool takes_value = false;
  bool is_optional = false;  // its value
  Completes completes = Completes::nothing;
  std::vector<std::string> choices;
  std::string asks;  // what `orchestrate complete` is asked for beside the choices; "": nothing
};

struct CompletedCommand {
  std::string name;
  std::string help;
  std::vector<CompletedOption> options;
  std::vector<CompletedOption> words;  // in order
};

std::vector<CompletedCommand> completed_commands(const CLI::App& app);

std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);
std::string fish_completion(const std::vector<CompletedCommand>& commands);

}  // namespace orch::cli
