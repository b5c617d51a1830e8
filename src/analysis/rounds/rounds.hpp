// Adds sessions of servers in rounds until it is decided whether the sides of a question differ.
// The caller supplies the functions that compare and measure.
//
// A look at the difference is allowed only at the numbers of sessions, and at the level, of
// statistics::looks(); with k comparisons each has 1/k of the level (Bonferroni).
#pragma once

#include "analysis/rounds/question.hpp"
#include "core/statistics/sequential.hpp"
#include "core/statistics/session_difference.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orch::rounds {

// The comparison of a side with the first side.
struct Comparison {
  std::size_t side = 0;                           // an index into Question::sides, 1 or more
  statistics::SessionDifference difference = {};  // at the level of the last look
  // Sessions per side at the last look; 0: no look was due.
  int looked_at = 0;
  statistics::Step step = statistics::Step::go_on;
  // The smallest difference that this many sessions detect with 80 % power, as a share. nullopt:
  // the spread is not known yet.
  std::optional<double> detectable{};

  bool is_open() const { return step == statistics::Step::go_on; }
};

enum class End {
  decided,        // every comparison is decided
  most_sessions,  // some are not decided with as many sessions as allowed
  budget,         // the next round would probably end after the budget
  // A round did not add sessions to compare: its measurements failed or are invalid.
  nothing_gained,
  stopped,  // by a signal
};

struct Answer {
  std::vector<Comparison> comparisons;  // a comparison for each side except the first
  End end = End::decided;
  int rounds = 0;  // the number of rounds that were measured
};

// Returns the difference of side B from side A, indices into Question::sides, at LEVEL.
using Compare = std::function<Result<statistics::SessionDifference>(std::size_t a, std::size_t b,
                                                                    double level)>;
// Measures the points of SQL in SESSIONS new sessions each. Returns false if a signal stopped it.
using Measure = std::function<Result<bool>(const std::string& sql, int sessions)>;

struct Tools {
  Compare compare;
  Measure measure;
  std::function<double()> now_s;  // monotonic, the clock of BEGAN_S
  // Called after each look and before each round with the state of all comparisons.
  std::function<void(const Answer&)> report;
};

// Adds rounds until QUESTION is decided or another End. The budget begins at BEGAN_S. Errors are
// those of TOOLS; completed measurements stay.
Result<Answer> add_rounds(const Question& question, std::optional<double> budget_s, double began_s,
                          const Tools& tools);

// The state of ANSWER, one sentence for each comparison: "q8_0 against f16: output_tps +4.2 % (+1.1
// % to +7.4 %), 5 sessions a side: they differ".
std::vector<std::string> sentences(const Question& question, const Answer& answer);
// A sentence on why no more rounds follow.
std::string sentence(const Question& question, End end);

}  // namespace orch::rounds
