#include "app/session/experiment.hpp"

#include "app/session/project_of_files.hpp"
#include "run/slurm/slurm.hpp"

namespace orch::session {
namespace experiment_test {

TEST(LoadExperiment, ReadsMatrixRunnerSiteAndMachine) {
  ProjectOfFiles project;
  Errors errors;
  const Experiment loaded = load_experiment(
      project.world, project.options("name: first\nrunner: toy\naxes: {size: [s, l]}\n"), errors);
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(loaded.matrix.name, "first");
  ASSERT_EQ(loaded.runners.size(), 1u);
  EXPECT_EQ(loaded.runners.front().manifest.name, "toy");
  EXPECT_EQ(loaded.runners.front().file.folder, project.path("runners/toy"));
  EXPECT_EQ(loaded.site.prices.gpu_hour, 2);
  EXPECT_EQ(loaded.host.machine_class, "Test CPU x 2");
}

TEST(LoadExperiment, MakesPathsAbsoluteBesideTheFileThatNamesThem) {
  ProjectOfFiles project;
  project.write("sub/base.yaml", "models: {m: {source: 'local:model'}}\n");
  Errors errors;
  const Experiment loaded = load_experiment(
      project.world,
      project.options("name: first\nrunner: toy\nbase: sub/base.yaml\nprovide: {make: made}\n"),
      errors);
  EXPECT_EQ(loaded.matrix.models.at("m").source, "local:" + project.path("sub/model"));
  ASSERT_EQ(loaded.matrix.provide.size(), 1u);
  EXPECT_EQ(loaded.matrix.provide[0].path, project.path("made"));
  EXPECT_NE(loaded.matrix_text.find("# --- base: "), std::string::npos);
}

TEST(LoadExperiment, RefusesForAClusterWhatOnlyAMachineOfItsOwnCanDo) {
  ProjectOfFiles project;
  ExperimentOptions options = project.options(
      "name: a\nrunner: toy\nmeasure:\n  gpu_clock_mhz: 1410\n  check_isolation: 2\n");
  Errors errors;
  load_experiment(project.world, options, errors);
  EXPECT_EQ(text_of(errors), "");
  project.write("site.yaml", "machine: {gpus: 8}\ngpu_ids: [4, 5]\n");
  options.site_file = project.path("site.yaml");
  options.placement = slurm::k_jobs;
  load_experiment(project.world, options, errors);
  const std::string file = project.path("m.yaml");
  EXPECT_EQ(text_of(errors),
            options.site_file +
                ":2:10: GPUs '4, 5' are chosen by --gpus or gpu_ids of the site file, but with "
                "--executor slurm Slurm chooses; leave them out, or keep a site file for the "
                "cluster (--site FILE) without gpu_ids\n" +
                file +
                ":5:20: 'measure.check_isolation' is 2, but with --executor slurm no "
                "server is started a second time to be measured alone; leave it out, and "
                "compare with a run under `isolation: strict`, where each server has a "
                "node to itself\n");
}

TEST(LoadExperiment, SuggestsARunner) {
  ProjectOfFiles project;
  Errors errors;
  const Experiment loaded =
      load_experiment(project.world, project.options("name: first\nrunner: toi\n"), errors);
  EXPECT_TRUE(loaded.runners.empty());
  EXPECT_EQ(text_of(errors),
            project.path("m.yaml") +
                ":2:9: no runner 'toi' (runners/toi/runner.yaml); did you mean 'toy'?\n");
}

TEST(LoadExperiment, ChosenRunnersComeFirstAndThoseOfTheSiteAfterTheProject) {
  ProjectOfFiles project;
  project.write("site/toy/runner.yaml", k_toy_runner).write("site/more/runner.yaml", "");
  project.write("mine/toy/runner.yaml", k_toy_runner);
  project.write("site.yaml", "runners: site\n");
  Errors errors;
  ExperimentOptions options = project.options("name: a\nrunner: toy\n");
  EXPECT_EQ(load_experiment(project.world, options, errors).runners.front().file.folder,
            project.path("runners/toy"));
  options.runners = project.path("mine");
  EXPECT_EQ(load_experiment(project.world, options, errors).runners.front().file.folder,
            project.path("mine/toy"));
  EXPECT_EQ(text_of(errors), "");
}

TEST(LoadExperiment, TheMatrixStatesTheMachineBeforeTheSite) {
  ProjectOfFiles project;
  project.write("site.yaml", "machine: {gpus: 4}\n");
  Errors errors;
  EXPECT_EQ(load_experiment(project.world, project.options("name: a\nrunner: toy\n"), errors)
                .host.facts.at("host_gpus")
                .text,
            "4");
  const ExperimentOptions stated = project.options("name: a\nrunner: toy\nmachine: {gpus: 8}\n");
  EXPECT_EQ(load_experiment(project.world, stated, errors).host.facts.at("host_gpus").text, "8");
  EXPECT_EQ(text_of(errors), "");
}

TEST(LoadExperiment, RepeatsOfTheCommandLineReplaceThoseOfTheMatrix) {
  ProjectOfFiles project;
  ExperimentOptions options =
      project.options("name: a\nrunner: toy\nmeasure: {repeats: {measure: 2}}\n");
  options.repeats = 5;
  Errors errors;
  EXPECT_EQ(load_experiment(project.world, options, errors).matrix.measure.repeats, 5);
}

TEST(LayoutOf, NamesTheFoldersOfStoreAndRunner) {
  Experiment loaded;
  loaded.runners.push_back({.file = {.name = "toy",
                                     .file = "",
                                     .folder = "/p/runners/toy",
                                     .common = "/usr/share/orchestrate/runners/common",
                                     .project = "/p"},
                            .manifest = {}});
  const attempt::Layout layout = layout_of(loaded, "/somewhere/../store");
  EXPECT_EQ(layout.store, "/store");
  EXPECT_EQ(layout.runner, "/p/runners/toy");
  EXPECT_EQ(layout.runner_file("common/a.py"), "/usr/share/orchestrate/runners/common/a.py");
}

}  // namespace experiment_test
}  // namespace orch::session
