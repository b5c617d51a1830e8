// Which measurements of two sides are compared with each other: those of points that are equal in
// every parameter but those that differ between the sides. Reads no store.
#pragma once

#include "analysis/compare/observations.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orch::compare {

struct Differing {
  std::string parameter;
  std::vector<std::string> a, b;  // its values on both sides, in order; "" stands for no value
  bool follows = false;           // nobody chose it: it follows from others that differ
};

struct Pairing {
  // Parameters that vary, that both sides share values of, and that do not follow from earlier
  // ones.
  std::vector<std::string> paired_by;
  std::vector<Differing> differing;  // parameters that no value is shared of
  // Pairs of one side only, in order.
  std::vector<std::string> only_a, only_b;
  std::vector<std::string> pairs;  // of both sides, in order

  // Of a row of SELECTED, which is one of the sides: "isl 128, osl 16". With nothing that varies
  // "all".
  std::string pair_of(const Selected& selected, const Measured& row) const;
};

// Every row counts, valid or not: a pair whose measurements are all invalid is still a pair.
Pairing pairing_of(const Selected& a, const Selected& b);

// The sessions that may lend their spread to a comparison: others of its machine and runner. Reads
// the store.

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
