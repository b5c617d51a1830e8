// The difference between two sides in one metric, with the server session as the unit of evidence.
//
// Requests within a session are correlated, and so are the points of a session: a server that
// starts with a slow memory layout is slow at all of them. Only another session is independent
// evidence. In simulation, intervals that treat points as sessions claim a difference between equal
// sides in 24 % of comparisons; intervals from session means do so in 4 to 5 %
// (docs/statistics.md).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orch::statistics {

// One value of the metric. PAIR identifies what is the same on both sides, usually the point.
struct Observation {
  std::string pair;
  double value = 0;
};

// One server lifetime. A pair that occurs repeatedly counts once, with its mean.
using Session = std::vector<Observation>;
using Sessions = std::vector<Session>;

enum class Scale {
  ratio,     // logarithms of positive values; differences are in % of side A
  additive,  // for scores and shares, which may be zero; differences have the metric's unit
};

// Why nothing can be claimed about the difference.
enum class NoClaim {
  no_session,           // a side has no session
  no_common_pair,       // no pair is common to all sessions of both sides
  value_not_finite,     // an infinite or undefined value
  value_not_positive,   // a value <= 0 on the ratio scale
  one_session,          // a side has one session, and there is no spread of earlier sessions
  spread_contradicted,  // a side has one session, and the sides vary more than earlier sessions
};

// Where the standard error comes from.
enum class SpreadSource {
  pooled,  // both sides together: Student's t
  welch,   // each side separately, because the numbers of sessions differ: Welch's t
  lent,    // both sides and earlier sessions together: Student's t
};

inline constexpr double k_lent_degrees_least = 5;  // six sessions of one configuration

// The spread between sessions, estimated from earlier sessions of the same machine and runner.
struct LentSpread {
  double sd = 0;       // of the mean over pairs; of logarithms on the ratio scale
  double pair_sd = 0;  // of one pair
  double degrees = 0;  // degrees of freedom of both
};

struct DifferenceOptions {
  Scale scale = Scale::ratio;
  double level = 0.95;  // of the interval
  std::optional<LentSpread> lent{};
  // The sessions of a side have one pair each, and it is unknown which sessions of different pairs
  // belong together. Such a side is combined over its pairs (see below), and uses no shared spread.
  bool apart_a = false, apart_b = false;
};

struct Inference {
  double low = 0;  // limits of the difference, in its unit
  double high = 0;
  double p = 1;               // two-sided, of "the sides are equal"
  double standard_error = 0;  // of logarithms on the ratio scale; 0: all sessions are equal
  double degrees = 0;         // of freedom
  double level = 0;
  SpreadSource spread = SpreadSource::pooled;
};

struct SessionDifference {
  Scale scale = Scale::ratio;
  std::size_t sessions_a = 0;  // if a side's sessions are apart, the fewest of any pair
  std::size_t sessions_b = 0;
  std::size_t pairs = 0;           // common to all sessions: only these are used
  std::size_t pairs_left_out = 0;  // missing from some session
  // B minus A, in % of A or in the metric's unit. Also set where nothing can be claimed, if the
  // values allow it.
  std::optional<double> difference{};
  std::optional<Inference> inference{};
  std::optional<NoClaim> no_claim{};  // set if and only if there is no inference
};

// Both sides are reduced to the pairs common to all sessions, each session to its mean over these
// pairs, and the means are compared by Student's t with a pooled variance. If the numbers of
// sessions differ, by Welch's t: with 3 sessions of a spread of 5 % against 10 of 2 %, the pooled
// variance gives 17 % false alarms, Welch's 6 % (Welch, Biometrika 34, 1947).
//
// The mean of a side whose sessions are apart is that of its P pairs, m = sum(m_p) / P. Its
// variance is sum(s_p^2 / n_p) / P^2, with the spread s_p and the number n_p of the sessions of
// pair p, which does not depend on the order of the sessions. The variances of both sides add up,
// and the degrees of freedom are Welch's and Satterthwaite's over all their terms: sum(v_i)^2 /
// sum(v_i^2 / d_i), where v_i is s_p^2 / (n_p P^2) with d_i = n_p - 1, or the variance of the mean
// of the other side. In simulation, 2 to 16 pairs of 2 to 10 sessions give 1 to 7 % false alarms.
//
// A shared spread is pooled with that of the two sides, weighted by degrees of freedom; then one
// session per side is enough. It is not used if the sides vary significantly more (F test, 5 %).
//
// The sessions of the sides must alternate in time (ABBA): after A..AB..B, a drift of the machine
// looks like a difference, and no formula can distinguish the two.
SessionDifference session_difference(const Sessions& a, const Sessions& b,
                                     const DifferenceOptions& options = {});

// The spread between sessions behind the standard error of DIFFERENCE, in its unit: the error is sd
// * sqrt(1 / sessions_a + 1 / sessions_b). nullopt without an inference.
std::optional<double> session_sd(const SessionDifference& difference);

// The spread within the GROUPS. Sessions of a group have the same configuration; different groups
// may differ. Values outside the scale are left out with their pair. nullopt below
// k_lent_degrees_least degrees of freedom.
std::optional<LentSpread> lent_spread(std::span<const Sessions> groups, Scale scale = Scale::ratio);

// The largest difference between two sessions of a group, in means over the pairs common to the
// group, as a logarithm. nullopt if no group has two sessions with positive values of a common
// pair.
std::optional<double> largest_difference(std::span<const Sessions> groups);

// The spread between sessions, as a fraction, assumed if too few were measured to estimate it.
// Servers on one machine differ by 1 to 8 % in published repetitions, so this is conservative.
inline constexpr double k_assumed_session_sd = 0.15;
inline constexpr double k_far_larger_errors = 3;

// Whether DIFFERENCE, on the ratio scale and from too few sessions for a claim, exceeds both
// LARGEST (see largest_difference()) and three standard errors of sessions with the assumed spread:
// −47 % or +89 % with one session per side. Only for a remark, because its error rate is unknown.
bool is_far_larger(const SessionDifference& difference, std::optional<double> largest);

}  // namespace orch::statistics
