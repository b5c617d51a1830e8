// What the unfinished stages of a plan need: images, sources of models and datasets, programs,
// GPUs, shared memory. Pure.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/session/experiment.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/container_host.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::preflight {

using Points = std::set<std::size_t>;  // indices into Plan::points

// Whether a run would make or start STAGE, which is not finished yet.
bool is_to_run(const plan::Stage& stage);
// The points for which a run would work on STAGE.
Points points_of(const plan::Plan& plan, const plan::Stage& stage);

// An image, and what stages refer to inside it.
struct ImageNeed {
  container::Settings settings;  // those of its stages, without `version`
  std::string runner;            // `settings` may name files of this runner
  Points points = {};
  double gpus = 0;                                   // the largest number that a stage holds
  std::map<std::string, Points> words = {};          // programs, and absolute paths
  std::set<std::vector<std::string>> versions = {};  // commands that print programs' versions

  // The name that is passed to the engine.
  const std::string& name() const {
    return settings.pinned.empty() ? settings.image : settings.pinned;
  }
};

// A model or dataset that a stage fetches.
struct SourceNeed {
  std::string source, revision;  // "hf:OWNER/NAME"; revision "": the default revision
  std::string runner;            // the stage's runner

  auto operator<=>(const SourceNeed&) const = default;
};

// A command that prints the version of a program on this host, and failed when the plan was made.
struct VersionNeed {
  std::vector<std::string> argv;
  std::string runner;

  auto operator<=>(const VersionNeed&) const = default;
};

struct Needs {
  Points points;  // for which a run would work
  std::vector<ImageNeed> images;
  std::map<SourceNeed, Points> sources;
  std::map<std::string, Points> programs;  // programs that this host needs
  std::map<VersionNeed, Points> versions;
  std::map<int, Points> gpus;                   // by the number that is needed at a time
  std::map<std::string, Points> shared_memory;  // sizes such as "16g" of the host's /dev/shm
  std::map<std::string, Points> ports;          // by the port's name in the manifest
};

// The needs of PLAN. Takes what a stage does not state from the manifests of EXPERIMENT.
Needs needs_of(const plan::Plan& plan, const session::Experiment& experiment);

// The machine or cluster on which a plan is to run, and the means to examine it.

// Borrows everything except the last member.
struct Place {
  const doctor::Asking& asking;
  const session::Experiment& experiment;
  const attempt::Layout& layout;
  const plan::Plan& plan;
  attempt::ContainerHost containers = {};
};

// WORDS with the paths of RUNNER's files in place of {file:...}, and the values of MORE in place of
// other symbols.
std::vector<std::string> filled(const Place& place, const std::vector<std::string>& words,
                                const std::string& runner,
                                const std::map<std::string, std::string, std::less<>>& more = {});

// Findings about points of a plan. Equal findings are merged, with all their points.

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
