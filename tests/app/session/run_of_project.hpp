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

  // Loads the experiment of `options` and makes a run of it; what is wrong with it is in `errors`.
  MatrixRun& begin() {
    reporter.diary.clear();
    errors.clear();
    run.reset();
    loaded = load_experiment(project.world, options.experiment, errors);
    planning.emplace(project.world.files, loaded, options.store, options.plan);
    check_before_run(*planning, options, errors);
    run.emplace(MatrixRun::Tools{.world = project.world,
                                 .reporter = reporter,
                                 .interrupts = interrupts,
                                 .planning = *planning,
                                 .options = options});
    return *run;
  }

  ProjectOfFiles project;
  RunOptions options;
  Errors errors;
  Experiment loaded;
  DiaryReporter reporter;
  fakes::FakeInterrupts interrupts;
  std::optional<Planning> planning;
  std::optional<MatrixRun> run;
};

}  // namespace orch::session
