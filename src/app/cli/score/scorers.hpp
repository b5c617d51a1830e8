// The scorers that come with the program, the user's own, and the environments that they run in.
// Knows no answer.
#pragma once

#include "core/base/result.hpp"
#include "results/score/scorer_program.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::cli {

struct ScorerRow {
  std::string_view name;
  std::string_view what;
};

// In the order of the help text.
std::span<const ScorerRow> scorer_table();

struct ScorerOptions {
  std::vector<std::string> names;
  std::string program;       // the user's; "": none
  std::string program_name;  // "": that of the file
  double tolerance = 1e-6;   // of `numeric`
};

// Makes an environment that is not there yet, which needs a network. Errors: an unknown name, a
// program that is no file, an environment that cannot be made.
Result<std::vector<score::Scorer>> find_scorers(const ScorerOptions& options,
                                                const score::ProgramHost& host);

}  // namespace orch::cli
