// What server sessions observed: selected measurements, arranged by session for
// src/core/statistics. Reads no store, compares nothing and knows no words of a verdict.
#pragma once

#include "analysis/compare/sessions.hpp"
#include "core/statistics/session_difference.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orch::compare {

// Measurements that a figure does not use, and those that it uses although they are marked.
struct Counts {
  std::size_t used = 0;
  std::size_t invalid = 0;      // left out: without a valid measurement of the same stage
  std::size_t older = 0;        // left out: not shown by `results`
  std::size_t unsupported = 0;  // left out: a percentile of too few requests
  std::size_t lacking = 0;      // left out: without a value of the metric
  std::size_t disturbed = 0;    // used, or left out if that was asked for

  bool operator==(const Counts&) const = default;
};

// One life of a server, or several at different points that stand for one (see rounds_of).
struct ObservedSession {
  std::vector<std::int64_t> sessions;  // their numbers; empty: none of ours
  statistics::Session observations;
  double begun_at = 0;  // of the server's process if known, else of the first window
  double ended_at = 0;  // of the last window
  double busy_s = 0;    // the durations of the sessions, without what is between them; 0: unknown
  // Read from a file of another tool: a session of one pair, which no session of another pair
  // shares a server with as far as anybody knows; its times are those of the import.
  bool imported = false;
  // The sum of the squared shares of its sessions in the pairs: 1 for one session, 1/2 for two with
  // as many pairs each. Times the variance of a session this is the variance of the mean.
  double concentration = 1;
};

struct Observations {
  std::vector<ObservedSession> sessions;  // the oldest first
  Counts counts;
};

struct ObserveOptions {
  bool older_too = true;      // false: only those that are shown
  bool disturbed_too = true;  // false: undisturbed measurements only
};

// The pair of a measurement: what is equal on both sides. Empty: it has none, and is left out. It
// is called with the rows of the selection themselves, not with copies.
using PairOf = std::function<std::optional<std::string>(const Measured&)>;

// The valid values of metric METRIC (an index into Selected::metrics) by server session. Each
// imported measurement is a session of its own, however many of them one file has; without a server
// of ours, the measurements of one run are one session. `results` counts `serve_repeats` in this
// way.
Observations observations_of(const Selected& selected, std::size_t metric, const PairOf& pair_of,
                             const ObserveOptions& options = {});

// Sessions with different pairs are not independent repetitions of one another: a matrix that
// builds an engine for each length starts a server for each, and a run that was interrupted in the
// middle of a session measures the rest in another one. They are put together into rounds, each
// session into the first round that has none of its pairs, in the order of time. A round is the
// unit of evidence, and counts as one session. Imported sessions stay alone: which file of one pair
// belongs to which of another is not known.
std::vector<ObservedSession> rounds_of(std::vector<ObservedSession> sessions);

// The rounds of two sides that a difference is computed from, and how many are left out.
struct Matched {
  std::vector<ObservedSession> a, b;  // each has all common pairs; an imported one has one of them
  std::size_t incomplete_a = 0, incomplete_b = 0;
};

// Chooses rounds that have a common set of pairs: as many rounds as possible on the side with
// fewer, as long as at least half of the pairs that both sides have remain; then as many pairs as
// possible. A side with imported sessions keeps them all, at the pairs of which it has two or more
// if these are at least half.
Matched matched(const std::vector<ObservedSession>& a, const std::vector<ObservedSession>& b);

bool has_imported(std::span<const ObservedSession> sessions);

statistics::Sessions sessions_of(std::span<const ObservedSession> sessions);

}  // namespace orch::compare
