// The best configuration of each group, what it is not told apart from, and what its figure would
// be without the luck of the best. Values; the words for them are in choice_text.hpp, and the
// question as a user asks it is answered by choose() of confirm.hpp.
#pragma once

#include "analysis/best/candidates.hpp"
#include "analysis/best/rivals.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orch::best {

// Configurations of a group for which a difference from the best is computed.
inline constexpr std::size_t k_most_rivals = 20;

// What --confirm measures again.
inline constexpr std::size_t k_confirmed_rows = 3;
inline constexpr int k_confirm_sessions = 3;

struct Ranked {
  Candidate row;
  // The objective, pulled towards the mean of the rows that are not separated from the best by the
  // share of noise in their spread. Empty: it is none of these, or they are fewer than three.
  std::optional<double> corrected{};
  std::optional<Rivalry> rivalry{};  // with the best; empty for the best, and beyond k_most_rivals
  bool on_front = false;
  bool reaches_front = false;  // by its intervals only
};

struct Group {
  std::vector<std::string> by;  // values of Question::by
  std::vector<Ranked> rows;     // the best first
  // The best of those that meet the condition by their whole intervals; an index into rows. Empty:
  // none does, or there is no condition.
  std::optional<std::size_t> surely{};
  bool spread_known = false;  // of the best, from session to session, for `corrected`
  // The best and those that it is not told apart from: among these it may be the luckiest. 1: it is
  // alone.
  std::size_t close = 1;
  // For three more sessions of its first three rows, in seconds; 0: not known.
  double confirm_s = 0;
};

struct Choice {
  std::vector<Group> groups;  // in the order of their values
  std::vector<LeftOut> left_out;
  std::size_t breaking = 0;
  std::vector<std::string> not_judged;
  bool lengths_differ = false;
  bool confirmed = false;  // the figures are those of new sessions alone
};

// What a choice rests on beside the candidates.
struct Grounds {
  std::string also{};      // SQL over `results_all` that measurements must meet; "": all count
  bool confirmed = false;  // they were made after the choice, so that nothing of it is luck
};

Result<Choice> choose_among(sql::Database& database, const Question& question,
                            Candidates candidates, const Grounds& grounds);

}  // namespace orch::best
