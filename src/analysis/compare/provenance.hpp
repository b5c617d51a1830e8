// The differences between two sides besides the compared parameters: machines, drivers, versions,
// caches, disturbances and the order in time. Reads the store.
#pragma once

#include "analysis/compare/observations.hpp"
#include "analysis/compare/pairing.hpp"
#include "analysis/compare/two_sides.hpp"
#include "core/base/result.hpp"
#include "core/sql/database.hpp"

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace orch::compare {

// The facts of the measurements of a side, each with all its values: {"kernel": {"6.1.0"}}. A
// measurement that lacks a fact of others on its side adds the value "unknown".
using Provenance = std::map<std::string, std::set<std::string>>;

// The newest rows of SELECTED, from which provenance is read.
std::span<const Measured> newest_of(const Selected& selected);
// The ids of these rows as a list in SQL: "3, 4"; "NULL" if there are none.
std::string newest_in_sql(const Selected& selected);

// The provenance of the newest measurements in SELECTED.
Result<Provenance> provenance_of(sql::Database& database, const Selected& selected);

// The differences as texts. A fact that only one side has is unknown on the other.
struct Differences {
  std::vector<std::string> compared;     // "precision f16 → q8_0", the parameters that differ
  std::vector<std::string> following;    // parameters that follow from those
  std::vector<std::string> confounders;  // "driver 550 → 560", and the order in time
  std::vector<std::string> unstated;     // "machine", which imported measurements do not state
};

Differences differences_of(const Comparison& comparison, const Provenance& a, const Provenance& b);

// The facts that some imported measurement of SIDES states in no parameter.
std::vector<std::string> unstated_by(std::span<const Selected* const> sides);

// "kernel 6.1.0 → 6.5.0"; at most the first three values of a side.
std::string change_of(const std::string& name, const std::set<std::string>& a,
                      const std::set<std::string>& b);

// "single change: precision f16 → q8_0", "confounded by …", "no parameter differs". A change is not
// called single if something is unstated.
std::string summary_of(const Differences& differences);

// The load generator's work and the GPUs' reports as provenance: prompts, settings, how tokens were
// counted, formulas, throttling.

// The facts of the newest measurements in SELECTED, as for provenance_of(). Omits prompts and
// settings of a stage that reads one of the DIFFERING parameters: they differ as a consequence.
Result<Provenance> load_facts_of(sql::Database& database, const Selected& selected,
                                 const std::vector<std::string>& differing);

// The measurements in SELECTED whose pair is common to both sides of PAIRING: the others are not
// compared, so they cannot confound.
Selected compared_of(const Selected& selected, const Pairing& pairing);

// The inputs of the stages behind two sides besides their parameters: files, commands, models,
// images. Reports differences that follow from no compared parameter, and sides that pool several
// configurations. Reads the store.

// The digest components of the stages of a side's measurements and of the stages that these depend
// on.
struct Configuration {
  // "file scripts/serve.py of serve" with its values, hashes truncated to eight characters.
  std::map<std::string, std::set<std::string>> components;
  // The arguments of commands, by the stage's name.
  std::map<std::string, std::set<std::string>> words;
  // The parameters that a stage reads, by the stage's name.
  std::map<std::string, std::set<std::string>> parameters;
  std::set<std::string> manifests;  // digests of the runners' manifests; "": of an older run
  // "2 configurations, which differ in file scripts/serve.py of serve", of measurements that are
  // equal in every parameter; "" if none.
  std::string pooled;
};

// The configuration of the newest measurements in SELECTED.
Result<Configuration> configuration_of(sql::Database& database, const Selected& selected);

// The differences from A to B that do not follow from what PAIRING compares, a sentence for each.
// With one manifest on both sides every command follows from the parameters. With several
// manifests, only arguments that contain values of differing parameters follow, so a flag added by
// a condition on a compared parameter is reported as a difference.
std::vector<std::string> differing_components(const Configuration& a, const Configuration& b,
                                              const Pairing& pairing);

// Whether both sides came from one manifest, so that a parameter that was not chosen was computed
// from chosen ones.
bool have_one_manifest(const Configuration& a, const Configuration& b);

}  // namespace orch::compare
