// The scorers that come with the program, the user's own, and the environments that they run in.
// Knows no answer.
#pragma once

#include "app/cli/commands.hpp"
#include "app/cli/real_world.hpp"
#include "core/base/result.hpp"
#include "results/score/scorer_program.hpp"
#include "results/store/store.hpp"
#include "spec/matrix/matrix.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
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

// Creates missing environments, which needs a network. Errors: an unknown name, a program that is
// not a file, an environment that cannot be created.
Result<std::vector<score::Scorer>> find_scorers(const ScorerOptions& options,
                                                const score::ProgramHost& host);

// Scores the answers of a run after its last measurement, as configured in the matrix. Prints, and
// knows no stage.

// Answers already scored by the same scorer against the same references are not scored again. Stops
// scoring once IS_CANCELLED is true. False if something could not be scored; stderr says what.
bool score_run(session::World& world, store::Store& store, const matrix::Matrix& matrix,
               std::int64_t run, const std::function<bool()>& is_cancelled);

// What `compare --answers` prints: whether two sides of stores give the same answers to the same
// prompts. Knows no speed.

struct AnswersCommand {
  std::string store_a = "results", store_b = "results";
  std::string a, b;  // sides of a comparison (analysis/compare/read_comparison.hpp)
  std::size_t examples = 3;
  bool json = false;
};

// Returns done, or refused with the error on stderr.
Exit compare_answers(const AnswersCommand& command);

}  // namespace orch::cli
