// Scripts that let bash, zsh and fish complete the command line, generated from the parser's own
// table of commands and options. completed_names.cpp answers their queries while the user types.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace orch::cli {

// How a shell completes the value of an option or a positional argument.
enum class Completes { nothing, files, folders, choices };

struct CompletedOption {
  std::vector<std::string> names = {};  // "-f", "--follow"; empty for a positional argument
  std::string help;
  bool takes_value = false;
  bool is_optional = false;  // its value is optional
  Completes completes = Completes::nothing;
  std::vector<std::string> choices;
  std::string asks = {};  // the KIND that `orchestrate complete` adds to the choices; "": none
};

struct CompletedCommand {
  std::string name;
  std::string help;
  std::vector<CompletedOption> options = {};
  std::vector<CompletedOption> words = {};  // positional arguments, in order
};

std::vector<CompletedCommand> completed_commands(const CLI::App& app);

std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);
std::string fish_completion(const std::vector<CompletedCommand>& commands);

}  // namespace orch::cli
