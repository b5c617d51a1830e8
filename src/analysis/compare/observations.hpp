// Observations of server sessions: selected measurements arranged by session for
// src/core/statistics.
#pragma once

#include "analysis/compare/sessions.hpp"
#include "core/statistics/session_difference.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orch::compare {

// How many measurements a figure uses, leaves out, or uses although they are marked.
struct Counts {
  std::size_t used = 0;
  std::size_t invalid = 0;      // left out: without a valid measurement of the same stage
  std::size_t older = 0;        // left out: not shown by `results`
  std::size_t unsupported = 0;  // left out: a percentile of too few requests
  std::size_t lacking = 0;      // left out: without a value of the metric
  std::size_t disturbed = 0;    // something disturbed them; used, or left out on request

  bool operator==(const Counts&) const = default;
};

// One server session, or several at different points that count as one (see rounds_of).
struct ObservedSession {
  std::vector<std::int64_t> sessions;  // their ids; empty: the servers were not started by us
  statistics::Session observations;
  // When the server's process started if known, else when the first window began.
  double begun_at = 0;
  double ended_at = 0;  // when the last window ended
  double busy_s = 0;    // the durations of the sessions, without gaps between them; 0: unknown
  // Read from a file of another tool. Such a session has one pair and may have shared its server
  // with a session of another pair. It ended at the time in its file or, without one, at the
  // import.
  bool imported = false;
  // The sum of the squared shares that its sessions have of its pairs: 1 for one session, 1/2 for
  // two with equally many pairs. Multiplied by the variance of a session, it gives the variance of
  // the mean.
  double concentration = 1;
};

struct Observations {
  std::vector<ObservedSession> sessions;  // the oldest first
  Counts counts;
};

struct ObserveOptions {
  bool older_too = true;      // false: only measurements shown by `results`
  bool disturbed_too = true;  // false: undisturbed measurements only
};

// Returns the pair of a measurement, which is equal on both sides; nullopt: the measurement has
// none and is left out. Called with references to the rows of the selection, not with copies.
using PairOf = std::function<std::optional<std::string>(const Measured&)>;

// The valid values of metric METRIC (an index into Selected::metrics) by server session. Each
// imported measurement is a separate session, however many a file has; without a server of ours,
// the measurements of one run are one session. `serve_repeats` in `results` is counted in the same
// way.
Observations observations_of(const Selected& selected, std::size_t metric, const PairOf& pair_of,
                             const ObserveOptions& options = {});

// Sessions with different pairs are not independent repetitions of one another: a matrix that
// builds an engine for each length starts a server for each, and a run that was interrupted in the
// middle of a session measures the rest in another one. They are grouped into rounds: in order of
// time, each session joins the first round that has none of the session's pairs. A round is the
// unit of evidence, and counts as one session. Imported sessions stay alone, because it is unknown
// which files of different pairs belong together.
std::vector<ObservedSession> rounds_of(std::vector<ObservedSession> sessions);

// The rounds of two sides from which a difference is computed, and how many are left out.
struct Matched {
  // Each has all common pairs; an imported round has one of them.
  std::vector<ObservedSession> a, b;
  std::size_t incomplete_a = 0, incomplete_b = 0;
};

// Chooses rounds that have a common set of pairs: first as many rounds as possible on the side that
// has fewer, as long as at least half of the pairs common to both sides remain; then as many pairs
// as possible. A side with imported sessions keeps them all, at the pairs that have two or more of
// them if these are at least half of the pairs.
Matched matched(const std::vector<ObservedSession>& a, const std::vector<ObservedSession>& b);

bool has_imported(std::span<const ObservedSession> sessions);

statistics::Sessions sessions_of(std::span<const ObservedSession> sessions);

}  // namespace orch::compare
