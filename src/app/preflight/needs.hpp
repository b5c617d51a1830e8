// What the unfinished stages of a plan need: images, sources of models and datasets, programs,
// GPUs, shared memory. Pure: examines nothing.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/session/experiment.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/container_host.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::preflight {

using Points = std::set<std::size_t>;  // indices into Plan::points

// Whether a run would make or start STAGE.
bool is_to_run(const plan::Stage& stage);
// The points for which a run would work on STAGE.
Points points_of(const plan::Plan& plan, const plan::Stage& stage);

// An image, and what its stages refer to in it.
struct ImageNeed {
  container::Settings settings;  // of its stages, without `version`
  std::string runner;            // whose files `settings` may name
  Points points;
  double gpus = 0;                                   // the most that any stage holds
  std::map<std::string, Points> words;               // programs, and absolute paths
  std::set<std::vector<std::string>> versions = {};  // commands that print programs' versions

  // As passed to the engine.
  const std::string& name() const {
    return settings.pinned.empty() ? settings.image : settings.pinned;
  }
};

// A model or dataset that a stage fetches.
struct SourceNeed {
  std::string source, revision;  // "hf:OWNER/NAME"; revision "": the default one
  std::string runner;            // of the stage

  auto operator<=>(const SourceNeed&) const = default;
};

// A command that should have printed the version of a program of this host when the plan was made,
// but did not.
struct VersionNeed {
  std::vector<std::string> argv;
  std::string runner;

  auto operator<=>(const VersionNeed&) const = default;
};

struct Needs {
  Points points;  // for which a run would work
  std::vector<ImageNeed> images;
  std::map<SourceNeed, Points> sources;
  std::map<std::string, Points> programs;  // of this host
  std::map<VersionNeed, Points> versions;
  std::map<int, Points> gpus;                   // number needed at a time
  std::map<std::string, Points> shared_memory;  // sizes such as "16g" of the host's /dev/shm
  std::map<std::string, Points> ports;          // by their names in the manifest
};

// Uses the manifests of EXPERIMENT for what a stage does not state.
Needs needs_of(const plan::Plan& plan, const session::Experiment& experiment);

// Where a plan is to run, and how preflight queries it.

// Borrows everything except the last member.
struct Place {
  const doctor::Asking& asking;
  const session::Experiment& experiment;
  const attempt::Layout& layout;
  const plan::Plan& plan;
  attempt::ContainerHost containers = {};
};

// WORDS with the paths of RUNNER's files in place of {file:...}, and with MORE.
std::vector<std::string> filled(const Place& place, const std::vector<std::string>& words,
                                const std::string& runner,
                                const std::map<std::string, std::string, std::less<>>& more = {});

// Findings about points of a plan: equal ones are merged, with all of their points.

using doctor::Level;

class Findings {
 public:
  // PLAN must outlive this object.
  Findings(const plan::Plan& plan, std::string heading)
      : plan_(plan), section_{.heading = std::move(heading), .is_asked_for = true} {}

  void add(Level level, const Points& points, const std::string& what,
           const std::string& remedy = "");
  // ERROR's remedy follows its last semicolon.
  void add(Level level, const Points& points, const Error& error);

  const doctor::Section& section() const { return section_; }

 private:
  const plan::Plan& plan_;
  doctor::Section section_;
};

}  // namespace orch::preflight
