// A fixture of tests that run a matrix of a ProjectOfFiles: what a run needs, and what is left of
// the last one.
#pragma once

#include "app/session/matrix_run.hpp"
#include "app/session/project_of_files.hpp"

#include <gtest/gtest.h>

namespace orch::session {

class RunOfProject : public ::testing::Test {
 protected:
  RunOfProject() { options.store = project.path("results"); }

  // Loads the experiment of `options`; what is wrong with it is in `errors`.
  void load() {
    reporter.diary.clear();
    errors.clear();
    outcome = {};
    planned.reset();
    open.reset();
    loaded = load_experiment(project.world, options.experiment, errors);
    planning.emplace(project.world.files, loaded, options.store, options.plan);
    check_before_run(*planning, options, errors);
  }
  Context context() {
    return {.world = project.world,
            .reporter = reporter,
            .interrupts = interrupts,
            .planning = *planning,
            .options = options};
  }
  // The steps of a run after load(). False: `errors` says why.
  bool open_and_plan() {
    if (!errors.empty() || !take(open_store(context()), open)) return false;
    if (auto made = plan_run(context(), *open, errors)) planned.emplace(std::move(*made));
    return planned.has_value();
  }
  bool drive_plan() {
    std::optional<FinishedRun> run;
    if (!take(drive(context(), *planned), run)) return false;
    id = run->id;
    outcome = run->outcome;
    return true;
  }
  bool run_all() {
    load();
    return open_and_plan() && drive_plan();
  }

  template <class T> bool take(Result<T> result, std::optional<T>& to) {
    if (!result) errors.push_back(result.error());
    else to.emplace(std::move(*result));
    return result.ok();
  }

  ProjectOfFiles project;
  RunOptions options;
  Errors errors;
  Experiment loaded;
  DiaryReporter reporter;
  fakes::FakeInterrupts interrupts;
  std::optional<Planning> planning;
  std::optional<OpenStore> open;
  std::optional<PlannedRun> planned;
  std::int64_t id = 0;
  schedule::Outcome outcome;
};

}  // namespace orch::session
