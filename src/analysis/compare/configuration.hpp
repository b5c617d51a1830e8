// What the stages behind two sides were made of, beyond their parameters: files, commands, models,
// images. Tells what differs between the sides and follows from no parameter that is compared, and
// where one side pools several configurations. Reads the store.
#pragma once

#include "core/base/result.hpp"
#include "analysis/compare/observations.hpp"
#include "analysis/compare/pairing.hpp"
#include "core/sql/database.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace orch::compare {

// The components of the digests of the stages that a side's measurements are of and need.
struct Configuration {
  // "file scripts/serve.py of serve" with its values, hashes cut to eight characters.
  std::map<std::string, std::set<std::string>> components;
  std::map<std::string, std::set<std::string>> words;       // of commands, by the stage's name
  std::map<std::string, std::set<std::string>> parameters;  // that a stage reads, by its name
  std::set<std::string> manifests;  // digests of the runners' manifests; "": of an older run
  // "2 configurations, which differ in file scripts/serve.py of serve", of measurements that are
  // equal in every parameter; "": none are.
  std::string pooled;
};

// Of the newest measurements in SELECTED, at most k_most_provenance.
Result<Configuration> configuration_of(sql::Database& database, const Selected& selected);

// What differs from A to B and does not follow from what PAIRING compares, a sentence each. With
// one manifest on both sides every command follows from the parameters. With several, a command
// follows as far as its words have the values of parameters that differ; so a flag that a
// condition on a compared parameter adds is told as a difference then.
std::vector<std::string> differing_components(const Configuration& a, const Configuration& b,
                                              const Pairing& pairing);

// Whether both sides came from one manifest, so that a parameter that nobody chose was computed
// from those that were chosen.
bool have_one_manifest(const Configuration& a, const Configuration& b);

}  // namespace orch::compare
