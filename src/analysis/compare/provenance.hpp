// What else differs between two sides, apart from the parameters that are compared: machines,
// drivers, versions, caches, disturbances and the order in time. Reads the store.
#pragma once

#include "analysis/compare/two_sides.hpp"
#include "core/sql/database.hpp"

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace orch::compare {

// Each fact of the measurements of a side with all its values: {"kernel": {"6.1.0"}}. A measurement
// that lacks a fact that others of its side have adds "unknown".
using Provenance = std::map<std::string, std::set<std::string>>;

// Of the newest measurements in SELECTED, at most k_most_provenance.
inline constexpr std::size_t k_most_provenance = 2000;
Result<Provenance> provenance_of(sql::Database& database, const Selected& selected);

// A sentence each, the most telling first; a fact that only one side has is unknown on the other.
struct Differences {
  std::vector<std::string> compared;     // "precision f16 -> q8_0", the parameters that differ
  std::vector<std::string> following;    // parameters that follow from these
  std::vector<std::string> confounders;  // "driver_version 550 -> 560", and the order in time
  std::vector<std::string> unstated;     // "machine", of which imported measurements say nothing
};

Differences differences_of(const Comparison& comparison, const Provenance& a, const Provenance& b);

// What no parameter of the imported measurements of SIDES states; empty if none is imported.
std::vector<std::string> unstated_by(std::span<const Selected* const> sides);

// "kernel 6.1.0 → 6.5.0"; of several values the first three.
std::string change_of(const std::string& name, const std::set<std::string>& a,
                      const std::set<std::string>& b);

// "single change: precision f16 → q8_0", "confounded by …", "no parameter differs". A change is not
// called single where something is unstated.
std::string summary_of(const Differences& differences);

}  // namespace orch::compare
