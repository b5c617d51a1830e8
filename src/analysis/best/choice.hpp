// The best configuration of each group, the configurations that cannot be distinguished from it,
// and its figure corrected for selection bias. choice_text() describes the choice; choose() in
// confirm.hpp answers a user's question.
#pragma once

#include "analysis/best/candidates.hpp"
#include "analysis/compare/observations.hpp"
#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orch::best {

// Whether the best configuration can be distinguished from others, with the server session as the
// unit of evidence.

// The evidence for a difference.
enum class Ground {
  sessions,  // sessions of either configuration
  lent,      // as above, with the spread of other sessions of the machine
  shared,    // sessions that measured both, compared within each
  one,       // one session that measured both; by the intervals of their figures
  none,      // one session of each configuration, or no interval
};
constexpr auto names_of(Tag<Ground>) {
  return value_names("sessions of either", "sessions of either, with the spread of others",
                     "sessions that measured both", "one session that measured both", "none");
}

struct Rivalry {
  Ground ground = Ground::none;
  std::optional<double> percent{};      // the rival minus the best, in % of the best
  std::optional<double> low{}, high{};  // limits of it, at 95 %
  std::size_t sessions_best = 0, sessions_rival = 0;
  double p = 1;  // of "they are equal", adjusted for the number of rivals
  bool is_separated = false;
  // The ground is none, but the difference is larger than any between sessions so far
  // (statistics::is_far_larger). Only a remark.
  bool far_larger = false;
  // How many more sessions of each configuration would distinguish them, estimated from their own
  // spread. nullopt: unknown.
  std::optional<int> sessions_needed{};
};

// The measurements of configurations, with the objective as the first metric.
class Evidence {
 public:
  // ALSO: SQL over `results_all` that measurements must meet; "": all count.
  static Result<Evidence> read(sql::Database& database, const Question& question,
                               std::span<const Candidate> rows, const std::string& also = {});

  // One for each of ROWS, which do not include BEST, in their order. The p-values are adjusted over
  // all of them (Holm).
  Result<std::vector<Rivalry>> rivals_of(sql::Database& database, const Candidate& best,
                                         std::span<const Candidate> rows) const;

  std::vector<compare::ObservedSession> sessions_of(const Candidate& row) const;
  // The duration in seconds of a server session that measures only ROW: start and window. 0:
  // unknown.
  double session_seconds(const Candidate& row) const;
  // The sessions from which rows with a single session may borrow the spread, for the objective
  // only; none if the objective is per joule.
  Result<compare::Lenders> lenders_of(sql::Database& database,
                                      std::span<const Candidate> rows) const;
  const compare::Selected& selected() const { return selected_; }

 private:
  Result<Rivalry> rivalry(sql::Database& database, const Candidate& best,
                          const Candidate& rival) const;

  const Question* question_ = nullptr;
  compare::Selected selected_;
};

// The most configurations of a group whose difference from the best is computed.
inline constexpr std::size_t k_most_rivals = 20;

// How many rows --confirm measures again, and in how many sessions each.
inline constexpr std::size_t k_confirmed_rows = 3;
inline constexpr int k_confirm_sessions = 3;

struct Ranked {
  Candidate row;
  // The objective, shrunk towards the mean of the best and of the rows close to it, by the share of
  // noise in their spread. nullopt for other rows, for rows without an interval, or if there are
  // fewer than three.
  std::optional<double> corrected{};
  std::optional<Rivalry> rivalry{};  // with the best; nullopt for the best and beyond k_most_rivals
  bool on_front = false;
  bool reaches_front = false;  // on the front only at the better ends of its intervals
};

struct Group {
  std::vector<std::string> by;    // values of Question::by
  std::vector<Ranked> rows = {};  // the best first
  // The best of those that surely meet the condition (Candidate::is_sure()); an index into rows.
  // nullopt if none does or there is no condition.
  std::optional<std::size_t> surely{};
  // Whether `corrected` includes the spread of the best between sessions.
  bool spread_known = false;
  // The number of rows that cannot be distinguished from the best, which may only be the luckiest
  // of them; includes the best.
  std::size_t close = 1;
  // How long --confirm would take for this group, in seconds; 0: unknown.
  double confirm_s = 0;
};

struct Choice {
  std::vector<Group> groups = {};  // in the order of their values
  std::vector<LeftOut> left_out;
  std::size_t breaking = 0;
  std::vector<std::string> not_judged;
  bool lengths_differ = false;
  bool confirmed = false;  // the figures are those of new sessions alone
};

// The basis of a choice besides the candidates.
struct Grounds {
  std::string also{};  // SQL over `results_all` that measurements must meet; "": all count
  // The measurements were made after the choice, so they have no selection bias.
  bool confirmed = false;
};

Result<Choice> choose_among(sql::Database& database, const Question& question,
                            Candidates candidates, const Grounds& grounds);

// A choice as text and as data.

// The parts of the user's command that the text repeats.
struct Said {
  std::string store_option{};  // " --store DIR", or ""
  std::string command{};       // the whole command line, for a shell; "": unknown
  bool markdown = false;
};

// Text for people: a table for each group, the best first; then marks, omissions and assumptions;
// finally the commands that reproduce the best.
std::string choice_text(const Question& question, const Choice& choice, const Said& said);

// Every row with every digit. CSV has one line per row; JSON also has the omitted rows and the
// notes.
std::string choice_csv(const Question& question, const Choice& choice);
std::string choice_json(const Question& question, const Choice& choice, const Said& said);

// Sentences that qualify the whole answer: prices, parts of the condition that were not judged,
// differing lengths.
std::vector<std::string> notes_of(const Question& question, const Choice& choice);

}  // namespace orch::best
