// The scorers that come with the program, those of the user, and the environments in which they
// run.
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

// Our scorers, in the order of the help text.
std::span<const ScorerRow> scorer_table();

struct ScorerOptions {
  std::vector<std::string> names;
  std::string program;            // the user's; "": none
  std::string program_name = {};  // "": that of the file
  double tolerance = 1e-6;        // of the scorer `numeric`
};

// The scorers that OPTIONS name. Creates missing environments, which needs a network. Errors: an
// unknown name, a program that is not a file, an environment that cannot be created.
Result<std::vector<score::Scorer>> find_scorers(const ScorerOptions& options,
                                                const score::ProgramHost& host);

// Scores the answers of a run after its last measurement, as configured in the matrix, and prints
// the scores.

// Answers already scored by the same scorer against the same references are not scored again. Stops
// once IS_CANCELLED returns true. False if something could not be scored; the errors are on stderr.
bool score_run(session::World& world, store::Store& store, const matrix::Matrix& matrix,
               std::int64_t run, const std::function<bool()>& is_cancelled);

// `compare --answers`: prints whether two sides of stores give the same answers to the same
// prompts.

struct AnswersCommand {
  std::string store_a = "results", store_b = "results";
  std::string a, b;  // sides of a comparison (analysis/compare/read_comparison.hpp)
  std::size_t examples = 3;
  bool json = false;
};

// Returns Exit::done, or Exit::refused with the error on stderr.
Exit compare_answers(const AnswersCommand& command);

}  // namespace orch::cli
