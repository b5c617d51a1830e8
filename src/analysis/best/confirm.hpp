// Confirms the best configurations by new measurements: which run makes them, and what its sessions
// show. Does not start the run.
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
  std::string matrix_file{};         // as the command names it
  std::vector<std::string> words{};  // the arguments after `orchestrate run`
  std::int64_t first_run = 0;        // measurements of this run and of later runs are new
  std::vector<Candidate> rows{};     // the rows to measure again, without figures
  bool continued = false;            // an interrupted run has begun it
};

// A label of ASKED in the recorded command of a run, by which the same question finds the run
// again.
std::string label_of(const Asked& asked);

// The confirmation with LABEL that a run has begun but not finished; nullopt if there is none.
Result<std::optional<Confirmation>> unfinished_confirmation(sql::Database& database,
                                                            const std::string& label);

// A confirmation that measures the first rows of GROUP again with the command of the last run of
// their experiment. Errors: the rows belong to several experiments, or no run of ours measured
// them.
Result<Confirmation> new_confirmation(sql::Database& database, const Group& group,
                                      const std::string& label);

// Answers QUESTION. For a point that --confirm measured again, only the new sessions count: the one
// by which it was chosen has selection bias.
Result<Choice> choose(sql::Database& database, const Question& question);

// The choice among the rows of CONFIRMATION by its new sessions alone.
Result<Choice> confirmed_choice(sql::Database& database, const Question& question,
                                const Confirmation& confirmation);

}  // namespace orch::best
