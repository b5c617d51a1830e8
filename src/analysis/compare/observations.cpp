#include "analysis/compare/observations.hpp"

#include "core/base/text.hpp"

#include <tuple>

namespace orch::compare {

namespace {

// Adds a measurement to COUNTS. Returns whether its value is used.
bool count(const Measured& row, const std::string& metric, std::size_t at,
           const ObserveOptions& options, Counts& counts) {
  if (!row.valid) {
    counts.invalid += !row.retried;
    return false;
  }
  if (!row.shown && !options.older_too) {
    ++counts.older;
    return false;
  }
  if (!row.values[at]) {
    ++counts.lacking;
    return false;
  }
  if (lists(row.unsupported, metric)) {
    ++counts.unsupported;
    return false;
  }
  counts.disturbed += row.disturbed;
  if (row.disturbed && !options.disturbed_too) return false;
  ++counts.used;
  return true;
}

// The id of the server session if we started the server; otherwise that of the imported
// measurement's stage, or of the run.
std::string session_key(const Measured& row) {
  if (row.session) return fmt::format("session {}", *row.session);
  if (row.imported) return fmt::format("import {}", row.stage);
  return fmt::format("run {}", row.run);
}

using Pairs = std::set<std::string>;

Pairs pairs_of(const ObservedSession& session) {
  Pairs out;
  for (const statistics::Observation& one : session.observations) out.insert(one.pair);
  return out;
}

Pairs common_of(const Pairs& a, const Pairs& b) {
  Pairs out;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
  return out;
}

bool are_disjoint(const Pairs& a, const Pairs& b) { return common_of(a, b).empty(); }

// ObservedSession::concentration of a round whose sessions have SIZES pairs.
double concentration_of(const std::vector<std::size_t>& sizes) {
  double sum = 0, squares = 0;
  for (const std::size_t size : sizes) {
    sum += static_cast<double>(size);
    squares += static_cast<double>(size * size);
  }
  return sum > 0 ? squares / (sum * sum) : 1;
}

struct Round {
  ObservedSession session;
  Pairs pairs;
  std::vector<std::size_t> sizes;  // numbers of pairs of its sessions
};

void add_to(Round& round, ObservedSession&& session, Pairs&& pairs) {
  round.sizes.push_back(pairs.size());
  round.pairs.merge(pairs);
  ObservedSession& into = round.session;
  if (round.sizes.size() == 1) {
    into = std::move(session);
    return;
  }
  into.sessions.insert(into.sessions.end(), session.sessions.begin(), session.sessions.end());
  into.observations.insert(into.observations.end(), session.observations.begin(),
                           session.observations.end());
  into.begun_at = std::min(into.begun_at, session.begun_at);
  into.ended_at = std::max(into.ended_at, session.ended_at);
  into.busy_s += session.busy_s;
  into.concentration = concentration_of(round.sizes);
}

// The sessions that have all of PAIRS, without their other pairs.
std::vector<ObservedSession> complete(const std::vector<ObservedSession>& sessions,
                                      const Pairs& pairs) {
  std::vector<ObservedSession> out;
  for (const ObservedSession& session : sessions) {
    if (common_of(pairs_of(session), pairs).size() < pairs.size()) continue;
    ObservedSession& kept = out.emplace_back(session);
    std::erase_if(kept.observations, [&pairs](const statistics::Observation& one) {
      return !pairs.contains(one.pair);
    });
  }
  return out;
}

// Orders by time. Imported sessions, whose times are meaningless, are ordered by their values, so
// that neither the names of their files nor the order of their import changes the last digit of a
// result.
bool is_session_before(const ObservedSession& a, const ObservedSession& b) {
  if (a.imported != b.imported) return b.imported;
  if (!a.imported) return a.begun_at < b.begun_at;
  return std::lexicographical_compare(
      a.observations.begin(), a.observations.end(), b.observations.begin(), b.observations.end(),
      [](const statistics::Observation& one, const statistics::Observation& other) {
        return std::tie(one.pair, one.value) < std::tie(other.pair, other.value);
      });
}

std::map<std::string, std::size_t> sessions_by_pair(const std::vector<ObservedSession>& sessions) {
  std::map<std::string, std::size_t> out;
  for (const ObservedSession& session : sessions)
    for (const std::string& pair : pairs_of(session)) ++out[pair];
  return out;
}

// The pairs that at least LEAST of SESSIONS have.
Pairs pairs_of_at_least(std::size_t least, const std::vector<ObservedSession>& sessions) {
  Pairs out;
  for (const auto& [pair, count] : sessions_by_pair(sessions))
    if (count >= least) out.insert(pair);
  return out;
}

// SESSIONS with only the pairs in PAIRS.
std::vector<ObservedSession> restricted(std::vector<ObservedSession> sessions, const Pairs& pairs) {
  for (ObservedSession& session : sessions)
    std::erase_if(session.observations, [&pairs](const statistics::Observation& one) {
      return !pairs.contains(one.pair);
    });
  std::erase_if(sessions,
                [](const ObservedSession& session) { return session.observations.empty(); });
  return sessions;
}

// matched() if one side or both have imported sessions.
Matched matched_with_imported(const std::vector<ObservedSession>& a,
                              const std::vector<ObservedSession>& b) {
  const auto common_with = [&](std::size_t least) {
    return common_of(pairs_of_at_least(least, a), pairs_of_at_least(least, b));
  };
  Pairs pairs = common_with(1);
  if (const Pairs repeated = common_with(2); 2 * repeated.size() >= pairs.size()) pairs = repeated;
  // The rounds of a side without imports are chosen as if the other side had every pair in each
  // round.
  const auto rounds_in = [&pairs](const std::vector<ObservedSession>& side) {
    ObservedSession every;
    for (const std::string& pair : pairs) every.observations.push_back({pair, 1});
    return matched(side, std::vector(side.size(), every));
  };
  Matched out;
  for (const auto* side : {&a, &b}) {
    if (has_imported(*side)) continue;
    const Matched found = rounds_in(*side);
    (side == &a ? out.incomplete_a : out.incomplete_b) = found.incomplete_a;
    pairs = found.a.empty() ? Pairs() : pairs_of(found.a.front());
  }
  out.a = has_imported(a) ? restricted(a, pairs) : complete(a, pairs);
  out.b = has_imported(b) ? restricted(b, pairs) : complete(b, pairs);
  if (out.a.empty() || out.b.empty()) {
    out.a.clear();
    out.b.clear();
  }
  return out;
}

}  // namespace

Observations observations_of(const Selected& selected, std::size_t metric, const PairOf& pair_of,
                             const ObserveOptions& options) {
  Observations out;
  std::map<std::string, std::size_t> known;
  for (const Measured& row : selected.rows) {
    const auto pair = pair_of(row);
    if (!pair || !count(row, selected.metrics[metric], metric, options, out.counts)) continue;
    const auto [at, is_new] = known.emplace(session_key(row), out.sessions.size());
    if (is_new) {
      ObservedSession& made = out.sessions.emplace_back();
      if (row.session) made.sessions = {*row.session};
      made.imported = row.imported;
      made.begun_at = row.server_began_at > 0 ? row.server_began_at : row.begun_at;
    }
    ObservedSession& session = out.sessions[at->second];
    session.observations.push_back({*pair, *row.values[metric]});
    session.begun_at = std::min(session.begun_at, row.begun_at);
    session.ended_at = std::max(session.ended_at, row.ended_at);
    // An imported row has one time, which says nothing about the duration of the measurement.
    if (!row.imported) session.busy_s = session.ended_at - session.begun_at;
  }
  std::ranges::stable_sort(out.sessions, is_session_before);
  return out;
}

std::vector<ObservedSession> rounds_of(std::vector<ObservedSession> sessions) {
  std::vector<Round> rounds;
  for (ObservedSession& session : sessions) {
    Pairs pairs = pairs_of(session);
    auto fits = std::ranges::find_if(rounds, [&](const Round& round) {
      return !session.imported && !round.session.imported && are_disjoint(round.pairs, pairs);
    });
    if (fits == rounds.end()) fits = rounds.emplace(rounds.end());
    add_to(*fits, std::move(session), std::move(pairs));
  }
  std::vector<ObservedSession> out;
  for (Round& round : rounds) out.push_back(std::move(round.session));
  return out;
}

bool has_imported(std::span<const ObservedSession> sessions) {
  return std::ranges::any_of(sessions,
                             [](const ObservedSession& session) { return session.imported; });
}

Matched matched(const std::vector<ObservedSession>& a, const std::vector<ObservedSession>& b) {
  if (has_imported(a) || has_imported(b)) return matched_with_imported(a, b);
  const auto in_a = sessions_by_pair(a), in_b = sessions_by_pair(b);
  std::map<std::string, std::size_t> in_both;  // rounds of the side with fewer
  for (const auto& [pair, count] : in_a)
    if (const auto other = in_b.find(pair); other != in_b.end())
      in_both.emplace(pair, std::min(count, other->second));
  Matched best;
  Pairs best_pairs;
  for (std::size_t rounds = 1; rounds <= std::min(a.size(), b.size()); ++rounds) {
    Pairs pairs;
    for (const auto& [pair, count] : in_both)
      if (count >= rounds) pairs.insert(pair);
    if (pairs.empty() || 2 * pairs.size() < in_both.size()) break;
    Matched next{.a = complete(a, pairs), .b = complete(b, pairs)};
    const std::size_t sessions = std::min(next.a.size(), next.b.size());
    if (sessions == 0 || sessions <= std::min(best.a.size(), best.b.size())) continue;
    best = std::move(next);
  }
  best.incomplete_a = a.size() - best.a.size();
  best.incomplete_b = b.size() - best.b.size();
  return best;
}

statistics::Sessions sessions_of(std::span<const ObservedSession> sessions) {
  statistics::Sessions out;
  for (const ObservedSession& session : sessions) out.push_back(session.observations);
  return out;
}

}  // namespace orch::compare
