#include "analysis/rounds/rounds.hpp"

#include "core/base/text.hpp"

namespace orch::rounds {

namespace {

using statistics::Look;
using statistics::SessionDifference;
using statistics::Step;

int sessions_of(const SessionDifference& difference) {
  return static_cast<int>(std::min(difference.sessions_a, difference.sessions_b));
}

// The sides and sessions of the next round.
struct Next {
  std::vector<std::size_t> sides = {};
  int sessions = 0;
};

class Rounds {
 public:
  Rounds(const Question& question, const Tools& tools)
      : question_(question),
        tools_(tools),
        looks_(statistics::looks(question.most, statistics::k_look_alpha / contenders())) {
    for (std::size_t side = 1; side < question.sides.size(); ++side)
      answer_.comparisons.push_back({.side = side});
  }

  Result<Answer> add(std::optional<double> budget_s, double began_s) {
    ORCH_TRY(look());
    double session_s = 0;
    while (is_open()) {
      const double now_s = tools_.now_s();
      const Next next = next_round();
      if (next.sessions <= 0) return ended(End::most_sessions);
      if (budget_s && now_s + session_s * next.sessions > began_s + *budget_s)
        return ended(End::budget);
      const std::vector<int> before = counts();
      ORCH_ASSIGN(const bool goes_on, tools_.measure(sql_of_sides(next.sides), next.sessions));
      if (!goes_on) return ended(End::stopped);
      ++answer_.rounds;
      session_s = (tools_.now_s() - now_s) / next.sessions;
      ORCH_TRY(look());
      if (is_open() && counts() == before) return ended(End::nothing_gained);
    }
    const bool all_decided = std::ranges::none_of(
        answer_.comparisons, [](const Comparison& one) { return one.step == Step::ended; });
    return ended(all_decided ? End::decided : End::most_sessions);
  }

 private:
  double contenders() const { return static_cast<double>(question_.sides.size() - 1); }

  bool is_open() const {
    return std::ranges::any_of(answer_.comparisons,
                               [](const Comparison& one) { return one.is_open(); });
  }

  Answer ended(End end) {
    answer_.end = end;
    return answer_;
  }

  // The last look that SESSIONS allow; null if they allow none.
  const Look* look_at(int sessions) const {
    const Look* last = nullptr;
    for (const Look& one : looks_)
      if (one.sessions <= sessions) last = &one;
    return last;
  }

  Status look() {
    for (Comparison& one : answer_.comparisons) {
      if (!one.is_open()) continue;
      // First only for the number of sessions, which determines the look and therefore the level.
      ORCH_ASSIGN(one.difference, tools_.compare(0, one.side, 1 - looks_.front().alpha));
      ORCH_TRY(refuse_incomparable(one));
      const Look* due = look_at(sessions_of(one.difference));
      if (!due || due->sessions <= one.looked_at) continue;
      ORCH_ASSIGN(one.difference, tools_.compare(0, one.side, 1 - due->alpha));
      one.looked_at = due->sessions;
      one.step = statistics::step(one.difference, question_.size * 100,
                                  due->sessions == looks_.back().sessions);
      one.detectable = detectable_at(one.difference, *due);
    }
    tools_.report(answer_);
    return {};
  }

  // Fails if the sides are not comparable for a reason that more sessions cannot change.
  Status refuse_incomparable(const Comparison& one) const {
    const auto why = one.difference.no_claim;
    if (!why || sessions_of(one.difference) == 0) return {};
    const std::string sides = fmt::format("{} and {}", quoted(question_.sides[0].label),
                                          quoted(question_.sides[one.side].label));
    if (*why == statistics::NoClaim::no_common_pair)
      return invalid(
          fmt::format("{} have no points that are equal in everything else; "
                      "compare sides that differ in one axis",
                      sides));
    if (*why == statistics::NoClaim::value_not_finite ||
        *why == statistics::NoClaim::value_not_positive)
      return invalid(
          fmt::format("{} has values that are not above 0, so {} have no difference in "
                      "%; compare another metric",
                      question_.metric, sides));
    return {};
  }

  static std::optional<double> detectable_at(const SessionDifference& difference,
                                             const Look& look) {
    const auto sd = statistics::session_sd(difference);
    if (!sd) return {};
    return statistics::detectable_difference(*sd, sessions_of(difference),
                                             {.level = 1 - look.alpha});
  }

  std::vector<int> counts() const {
    std::vector<int> all;
    for (const Comparison& one : answer_.comparisons) {
      all.push_back(static_cast<int>(one.difference.sessions_a));
      all.push_back(static_cast<int>(one.difference.sessions_b));
    }
    return all;
  }

  // The sides with the fewest sessions get as many as the first look needs, and later one at a
  // time. The two sides of a comparison take turns, so that a drift of the machine affects both.
  Next next_round() const {
    std::vector<std::pair<std::size_t, int>> has;  // side, sessions
    int least_of_first = question_.most;
    for (const Comparison& one : answer_.comparisons) {
      if (!one.is_open()) continue;
      has.emplace_back(one.side, static_cast<int>(one.difference.sessions_b));
      least_of_first = std::min(least_of_first, static_cast<int>(one.difference.sessions_a));
    }
    has.emplace_back(0, least_of_first);
    int least = question_.most;
    for (const auto& [side, sessions] : has) least = std::min(least, sessions);
    Next next{.sessions = std::max(1, looks_.front().sessions - least)};
    next.sessions = std::min(next.sessions, question_.most - least);
    int others = question_.most;
    for (const auto& [side, sessions] : has) {
      if (sessions == least) next.sides.push_back(side);
      else others = std::min(others, sessions);
    }
    // A side must not get more sessions than one that is not measured in this round.
    if (next.sides.size() < has.size()) next.sessions = std::min(next.sessions, others - least);
    return next;
  }

  std::string sql_of_sides(const std::vector<std::size_t>& sides) const {
    std::vector<std::string> parts;
    for (const std::size_t side : sides) parts.push_back("(" + question_.sides[side].sql + ")");
    return join(parts, " OR ");
  }

  const Question& question_;
  const Tools& tools_;
  std::vector<Look> looks_;
  Answer answer_;
};

std::string percent(double value) { return fmt::format("{:+.1f} %", value); }

std::string state_of(const Comparison& one, const Question& question) {
  switch (one.step) {
    case Step::differs: return "they differ";
    case Step::same: return fmt::format("no difference of {:g} %", question.size * 100);
    case Step::ended: return "not decided";
    case Step::go_on: break;
  }
  return one.looked_at == 0 ? "too few sessions for a first look" : "not decided yet";
}

}  // namespace

Result<Answer> add_rounds(const Question& question, std::optional<double> budget_s, double began_s,
                          const Tools& tools) {
  return Rounds(question, tools).add(budget_s, began_s);
}

std::vector<std::string> sentences(const Question& question, const Answer& answer) {
  std::vector<std::string> all;
  for (const Comparison& one : answer.comparisons) {
    const auto& difference = one.difference;
    std::string text = fmt::format("{} against {}: {}", question.sides[one.side].label,
                                   question.sides[0].label, question.metric);
    if (difference.difference) text += " " + percent(*difference.difference);
    if (one.looked_at > 0 && difference.inference)
      text += fmt::format(" ({} to {})", percent(difference.inference->low),
                          percent(difference.inference->high));
    const int least = sessions_of(difference);
    text += difference.sessions_a == difference.sessions_b
                ? fmt::format(", {} a side", plural(least, "session"))
                : fmt::format(", {} and {} sessions", difference.sessions_b, difference.sessions_a);
    text += ": " + state_of(one, question);
    if (one.detectable)
      text += fmt::format(
          "; with this many sessions, a difference of {:.1f} % is detected four times out of five",
          *one.detectable * 100);
    all.push_back(std::move(text));
  }
  return all;
}

std::string sentence(const Question& question, End end) {
  switch (end) {
    case End::decided: return "decided";
    case End::most_sessions:
      return fmt::format("not decided with {} sessions a side; --most-sessions allows more",
                         question.most);
    case End::budget:
      return "not decided: the next round would end after the budget; run the same command again "
             "to go on";
    case End::nothing_gained:
      return "not decided: the last round added no session to compare; `orchestrate query "
             "failures` says why";
    case End::stopped: break;
  }
  return "stopped; run the same command again to go on";
}

}  // namespace orch::rounds
