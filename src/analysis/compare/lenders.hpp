// The sessions that may lend their spread to a comparison: others of its machine and runner. Reads
// the store.
#pragma once

#include "analysis/compare/observations.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orch::compare {

class Lenders {
 public:
  // The sessions of the machine and runner of MEASUREMENTS that none of these is of, earlier or
  // later, at most the newest 200. There are none if MEASUREMENTS have several machines or runners,
  // or one without a server of ours. METRICS are columns of `results_all`.
  static Result<Lenders> read(sql::Database& database, std::span<const std::int64_t> measurements,
                              std::span<const std::string> metrics);

  // The spread of METRIC, an index into METRICS, within groups of sessions with the same points of
  // one configuration. CONCENTRATION: that of the rounds under comparison, on average. Empty: the
  // sessions are too few.
  std::optional<statistics::LentSpread> spread(
      std::size_t metric, double concentration = 1,
      statistics::Scale scale = statistics::Scale::ratio) const;

  // The largest difference between two sessions of one of these groups, as a logarithm. Empty:
  // there are no two.
  std::optional<double> largest(std::size_t metric) const;

 private:
  std::vector<statistics::Sessions> groups(std::size_t metric) const;

  Selected selected_;
  std::map<std::int64_t, std::int64_t> configuration_;  // of each measurement
};

}  // namespace orch::compare
