// Confirms the best configurations by new measurements: which run of the program makes them, and
// what its new sessions show. Starts nothing.
#pragma once

#include "analysis/best/choice.hpp"
#include "core/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orch::best {

struct Confirmation {
  std::string folder{};              // where the run is to be started
  std::string matrix_file{};         // as named there
  std::vector<std::string> words{};  // after `orchestrate run`
  std::int64_t first_run = 0;        // measurements of runs from this one on are new
  std::vector<Candidate> rows{};     // those to measure again, without figures
  bool continued = false;            // an interrupted run has begun it
};

// Identifies ASKED in the recorded command of a run, so that the same question finds it again.
std::string label_of(const Asked& asked);

// The confirmation with LABEL that a run has begun but not finished; nullopt without one.
Result<std::optional<Confirmation>> unfinished_confirmation(sql::Database& database,
                                                            const std::string& label);

// The first rows of GROUP, measured again by the command of the last run of their experiment.
// Errors: rows of several experiments, or measured by no run of ours.
Result<Confirmation> new_confirmation(sql::Database& database, const Group& group,
                                      const std::string& label);

// Answers QUESTION. A point that --confirm measured again counts by these sessions alone: the one
// by which it was chosen has selection bias.
Result<Choice> choose(sql::Database& database, const Question& question);

// The choice among the rows of CONFIRMATION by its new sessions alone.
Result<Choice> confirmed_choice(sql::Database& database, const Question& question,
                                const Confirmation& confirmation);

}  // namespace orch::best
