// Reads the sessions of a comparison from a store: the measurements of a side with the values of
// metrics, and other sessions whose spread may be used. Compares nothing.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"
#include "core/statistics/session_difference.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orch::compare {

// A measurement of a point: a row of `results_all`.
struct Measured {
  std::int64_t measurement = 0;
  std::string identity{};  // the same in every copy of its record, and in every import of its file
  std::int64_t run = 0;    // the run that measured it
  std::optional<std::int64_t> session;  // of its server; nullopt: not started by us
  std::string experiment, point;
  std::int64_t stage = 0;  // whose measurement it is
  bool imported = false;   // read from a file of another tool
  bool valid = false;
  bool retried = false;  // invalid, and the same stage was measured again and is valid
  // It belongs to the configuration that `results` or `results_by_tool` shows, even if its stage
  // was measured again since; false: to an earlier configuration of the point.
  bool current = false;
  bool shown = false;       // a row of `results` or `results_by_tool` is derived from it
  bool disturbed = false;   // something else used the machine or the server meanwhile
  bool bursts = false;      // the stream arrived in bursts: TTFT and ITL are those of a gateway
  std::string reasons;      // why it is invalid
  std::string unsupported;  // columns whose percentile has too few requests, separated by spaces
  double begun_at = 0;      // when its window began, seconds since the epoch
  double ended_at = 0;
  double server_began_at = 0;                 // when the process of its server started; 0: unknown
  std::vector<std::string> parameters;        // as Selected::parameters; "" without a value
  std::vector<std::optional<double>> values;  // as Selected::metrics
};

// Measurements in chronological order.
struct Selected {
  std::vector<std::string> parameters;  // with `runner` and `tool`, the most informative first
  std::vector<std::string> metrics;
  std::vector<Measured> rows;
};

// The measurements for which WHERE, SQL over the columns of `results_all`, is true; "" selects all.
// METRICS are columns of it, or SQL over them; a column that the store lacks has no value. Leaves
// out figures of one tool that were computed by the formulas of another, unless WHERE names
// `definition`. An error in WHERE is one line with the closest known name.
Result<Selected> select_measured(sql::Database& database, const std::string& where,
                                 std::span<const std::string> metrics);

// The sessions whose spread a comparison may use: other sessions of the same machine and runner.
// Reads the store.

class Lenders {
 public:
  // The sessions, earlier or later, of the same machine and runner as MEASUREMENTS, except their
  // own; at most the newest 200. None if MEASUREMENTS have several machines or runners, or if we
  // did not start the server of one. METRICS are columns of `results_all`.
  static Result<Lenders> read(sql::Database& database, std::span<const std::int64_t> measurements,
                              std::span<const std::string> metrics);

  // The spread of METRIC, an index into METRICS, within groups of sessions with the same points of
  // one configuration. CONCENTRATION is the mean of ObservedSession::concentration over the
  // compared rounds. nullopt: too few sessions.
  std::optional<statistics::LentSpread> spread(
      std::size_t metric, double concentration = 1,
      statistics::Scale scale = statistics::Scale::ratio) const;

  // The largest difference between two sessions of one group, as a logarithm. nullopt if no group
  // has two.
  std::optional<double> largest(std::size_t metric) const;

 private:
  std::vector<statistics::Sessions> groups(std::size_t metric) const;

  Selected selected_;
  std::map<std::int64_t, std::int64_t> configuration_;  // of each measurement
};

}  // namespace orch::compare
