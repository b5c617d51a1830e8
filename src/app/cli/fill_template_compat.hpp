// `orchestrate fill-template --compat TAG`: the command line, files and exit status of upstream's
// fill_template.py. Its effect on a text is in spec/render/fill_script.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace orch::cli {

// Returns the exit status, or nullopt if the command line does not have --compat. Parses the other
// arguments as Python's argparse does.
std::optional<int> fill_as_script(int argc, char** argv);

// The command line of a release's script, as argparse parses it.
struct ScriptArguments {
  enum class Outcome { run, help, refused };
  Outcome outcome = Outcome::run;
  std::string why;  // the reason for a refusal
  std::string file;
  std::string substitutions;
  std::string participant_ids;
  bool in_place = false;
};
ScriptArguments read_as_argparse(std::span<const std::string> words, bool takes_participant_ids);

}  // namespace orch::cli
