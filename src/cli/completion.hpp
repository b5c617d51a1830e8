// `orchestrate completion bash|zsh|fish`: a script that lets a shell complete our command line,
// made from the very table of commands and options that parses it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace orch::cli {

// APP is the program: what is added to it later is completed too.
void add_completion(CLI::App& app, int& exit_code);

// What may stand behind an option, or as a word of its own.
enum class Completes { nothing, files, folders, choices };

struct CompletedOption {
  std::vector<std::string> names;  // "-f", "--follow"; empty: a word of its own
  std::string help;
  bool takes_value = false;
  Completes completes = Completes::nothing;
  std::vector<std::string> choices;
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
