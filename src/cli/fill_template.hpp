// `orchestrate fill-template FILE SUBS`: fills a config.pbtxt, checked; or, with --compat TAG, just
// as the script of that release does.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace CLI {
class App;
}

namespace orch::cli {

void add_fill_template(CLI::App& app, int& exit_code);

// The exit status, when the command line asks for --compat: what stands beside it is read as
// Python's argparse reads it.
std::optional<int> fill_as_script(int argc, char** argv);

// What the script of a release makes of its command line.
struct ScriptArguments {
  enum class Outcome { run, help, refused };
  Outcome outcome = Outcome::run;
  std::string why;  // it was refused
  std::string file;
  std::string substitutions;
  std::string participant_ids;
  bool in_place = false;
};
ScriptArguments read_as_argparse(std::span<const std::string> words, bool takes_participant_ids);

}  // namespace orch::cli
