// `orchestrate check --runner NAME`: checks a runner's manifest, files, scripts and command lines,
// then runs its smallest point.
#pragma once

#include "app/cli/commands.hpp"
#include "app/session/experiment.hpp"
#include "app/session/planning.hpp"
#include "app/session/world.hpp"
#include "core/base/enum_names.hpp"
#include "spec/runner/manifest.hpp"

#include <string>
#include <vector>

namespace orch::cli {

// Runs the smallest point of a runner in a separate store, and reports how each stage ended.

struct StageCheck {
  enum class End { ok, failed, skipped };

  std::string name;
  runner::Kind kind = runner::Kind::task;
  End end = End::skipped;
  std::string why{};   // why it is not ok
  double seconds = 0;  // of its last attempt
};

constexpr auto names_of(Tag<StageCheck::End>) { return value_names("ok", "failed", "skipped"); }

struct Smoke {
  std::vector<StageCheck> stages;  // all stages of the manifest, in its order
  bool interrupted = false;
  Errors errors{};  // of the run itself
  bool failed() const;
};

// The result if every stage of MANIFEST is skipped because of WHY.
Smoke skipped_smoke(const runner::Manifest& manifest, const std::string& why);

// Why the planned point of PLANNING cannot run here; "" if it can.
std::string why_no_smoke(const session::Planning& planning);

// Runs the point of PLANNING in the folder STORE, with progress on stderr.
Smoke run_smoke(session::World& world, session::Planning& planning, const std::string& store);

struct RunnerCheck {
  std::string name;
  session::ExperimentOptions options;  // without a matrix
  bool json = false;
  bool no_smoke = false;
};

// Returns Exit::done if nothing is wrong, even if stages were skipped; Exit::failed if a stage or
// the run failed; Exit::refused if the runner has errors; Exit::interrupted after a signal.
Exit check_runner(const RunnerCheck& check);

}  // namespace orch::cli
