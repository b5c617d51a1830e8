// What the stages of a plan that are still to be made need of a place: images, sources of models
// and datasets, programs, GPUs, shared memory. Pure: looks at nothing.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/session/experiment.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/container_host.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace orch::preflight {

using Points = std::set<std::size_t>;  // indices into Plan::points

// Whether a run would make STAGE or start it.
bool is_to_run(const plan::Stage& stage);
// The points of STAGE that a run would work for.
Points points_of(const plan::Plan& plan, const plan::Stage& stage);

// An image, and what its stages name in it.
struct ImageNeed {
  container::Settings settings;  // of its stages, without `version`
  std::string runner;            // whose files `settings` may name
  Points points;
  double gpus = 0;                                   // the most that a stage holds
  std::map<std::string, Points> words;               // programs, and absolute paths
  std::set<std::vector<std::string>> versions = {};  // commands that print those of programs

  // As the engine is told it.
  const std::string& name() const {
    return settings.pinned.empty() ? settings.image : settings.pinned;
  }
};

// A model or dataset that a stage fetches.
struct SourceNeed {
  std::string source, revision;  // "hf:OWNER/NAME"; "": the default one
  std::string runner;            // of the stage

  auto operator<=>(const SourceNeed&) const = default;
};

// A command that was to print the version of a program of this host when the plan was made, and
// did not.
struct VersionNeed {
  std::vector<std::string> argv;
  std::string runner;

  auto operator<=>(const VersionNeed&) const = default;
};

struct Needs {
  Points points;  // that a run would work for
  std::vector<ImageNeed> images;
  std::map<SourceNeed, Points> sources;
  std::map<std::string, Points> programs;  // of this host
  std::map<VersionNeed, Points> versions;
  std::map<int, Points> gpus;                   // how many at a time
  std::map<std::string, Points> shared_memory;  // sizes such as "16g" of the host's /dev/shm
  std::map<std::string, Points> ports;          // by their names in the manifest
};

// By the manifests of EXPERIMENT where a stage does not say it.
Needs needs_of(const plan::Plan& plan, const session::Experiment& experiment);

// Where a plan is to run, and how preflight asks about it.

// Borrows everything but the last.
struct Place {
  const doctor::Asking& asking;
  const session::Experiment& experiment;
  const attempt::Layout& layout;
  const plan::Plan& plan;
  attempt::ContainerHost containers = {};
};

// WORDS with the paths of the files of RUNNER in place of {file:...}, and with MORE.
std::vector<std::string> filled(const Place& place, const std::vector<std::string>& words,
                                const std::string& runner,
                                const std::map<std::string, std::string, std::less<>>& more = {});

// Findings about points of a plan: equal ones are one finding with all of their points.

using doctor::Level;

class Findings {
 public:
  // PLAN must outlive this.
  Findings(const plan::Plan& plan, std::string heading)
      : plan_(plan), section_{.heading = std::move(heading), .is_asked_for = true} {}

  void add(Level level, const Points& points, const std::string& what,
           const std::string& remedy = "");
  // ERROR names its remedy behind the last semicolon.
  void add(Level level, const Points& points, const Error& error);

  const doctor::Section& section() const { return section_; }

 private:
  const plan::Plan& plan_;
  doctor::Section section_;
};

}  // namespace orch::preflight
