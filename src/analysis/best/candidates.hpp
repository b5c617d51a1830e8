// The configurations from which the best is chosen, with their figures, and the reasons why others
// are left out. Does not rank them.
#pragma once

#include "analysis/best/best_question.hpp"
#include "core/base/result.hpp"
#include "core/sql/database.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orch::best {

// A caveat of a row.
struct Mark {
  enum class Kind { may_break, disturbed, no_interval, bursts };
  Kind kind;
  std::string text;
};

// A valid row of `results` that meets the condition by its figures.
struct Candidate {
  std::string experiment, point, tool{};
  std::vector<std::string> by{};       // values of Question::by
  std::optional<Figure> objective{};   // with a goal
  std::vector<Figure> axes{};          // of the front; empty without one, or if one is unknown
  std::optional<TokenCost> cost{};     // per cost
  double hour = 0;                     // per cost: the price of an hour of its server
  std::optional<double> good_share{};  // per cost, if latency is limited
  std::optional<double> gpus{};
  std::int64_t repeats = 1, sessions = 0;
  std::int64_t run = 0;
  bool warned = false;     // has a warning of any kind
  bool confirmed = false;  // its figures are those of the sessions of `best --confirm` alone
  std::vector<Mark> marks{};

  bool may_break() const;
  bool is_sure() const;  // no mark, or only one for bursts
};

struct LeftOut {
  std::string experiment, point;
  std::string why;
};

struct Candidates {
  std::vector<Candidate> rows;
  std::vector<LeftOut> left_out;  // may meet the condition, but cannot be ranked
  std::size_t breaking = 0;       // rows that break the condition, even considering their intervals
  // The parts of the condition that could not be judged by intervals.
  std::vector<std::string> not_judged;
  bool lengths_differ = false;  // rows have several isl or osl
};

Result<Candidates> read_candidates(sql::Database& database, const Question& question);

// The measured columns on which the answer to QUESTION depends.
std::vector<std::string> deciding_columns(const Question& question);

// SQL over `results_all` that selects the measurements of ROWS.
std::string condition_of_points(std::span<const Candidate> rows);

// The data of one configuration from a row or from sessions.
struct Read {
  ValueOf value;                 // of columns, their intervals too
  std::string unsupported = {};  // as in `results`
  bool warned = false, disturbed = false, bursts = false;
};

// Fills the figures, the cost and the marks of CANDIDATE. Returns why it is left out, or "".
std::string fill(Candidate& candidate, const Question& question, const Read& read);

}  // namespace orch::best
