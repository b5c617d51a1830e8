// One matrix with points of two runners: how it is divided, planned together and refused.
#include "app/session/planning.hpp"
#include "app/session/project_of_files.hpp"
#include "core/base/text.hpp"

#include <gmock/gmock.h>

namespace orch::session {
namespace several_runners_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// The stage `make` is as in the toy; the server has an own parameter.
constexpr const char* k_fast_runner = R"(
runner: fast
parameters:
  size: {type: text, values: [s, l], default: s}
  threads: {type: integer, default: 1}
  depth: {type: integer, optional: true}
stages:
  make: {kind: task, reads: [size], argv: [/bin/touch, "{out}/made"], outputs: [made]}
  serve: {kind: service, needs: [make], reads: [threads, depth], argv: [/bin/f, "{file:serve.py}"], ready: {port: http, get: [/]}, ports: [http]}
  bench: {kind: measure, needs: [serve], reads: [], argv: [/bin/x], outputs: [y]}
)";

class SeveralRunners : public ::testing::Test {
 protected:
  SeveralRunners() {
    project.write("runners/fast/runner.yaml", k_fast_runner);
    project.write("runners/fast/serve.py", "fast");
  }

  // The errors, without the path of the matrix.
  std::vector<std::string> load(const std::string& yaml, const std::string& where = "",
                                plan::Options options = {}) {
    Errors errors;
    ExperimentOptions how = project.options("name: a\nrunner: toy\n" + yaml);
    how.where = where;
    loaded = load_experiment(project.world, how, errors);
    planning.emplace(project.world.files, loaded, project.path("results"), options);
    planning->plan(errors);
    sort_by_place(errors);
    std::vector<std::string> texts;
    for (const Error& error : errors) {
      const std::string text = error.text(), file = project.path("m.yaml") + ":";
      texts.push_back(text.starts_with(file) ? text.substr(file.size()) : text);
    }
    return texts;
  }

  // "NAME runner", without the digits of the name.
  std::vector<std::string> points() const {
    std::vector<std::string> names;
    for (const plan::PlannedPoint& point : planning->current().points)
      names.push_back(point.point.name.substr(0, point.point.name.rfind('-')) + " " +
                      planning->current().runners[point.runner]);
    return names;
  }

  // Names of the stages in the order of the scheduler, with their runners.
  std::vector<std::string> stages(runner::Kind kind) const {
    std::vector<std::string> names;
    for (const plan::Stage& stage : planning->current().stages)
      if (stage.spec.kind == kind)
        names.push_back(fmt::format("{} {}", stage.spec.runner, stage.session));
    return names;
  }

  ProjectOfFiles project;
  Experiment loaded;
  std::optional<Planning> planning;
};

TEST_F(SeveralRunners, TheMapsOfAnAxisChooseTheRunnerAndSetItsParameters) {
  EXPECT_THAT(load("axes:\n  stack: [{tp: 2}, {runner: fast, threads: 4}]\n  size: [s, l]\n"),
              IsEmpty());
  EXPECT_THAT(points(), ElementsAre("tp2_s toy", "tp2_l toy", "fast_threads4_s fast",
                                    "fast_threads4_l fast"));
  const matrix::Parameters& fast = planning->current().points[2].point.parameters;
  EXPECT_EQ(fast.at("runner").text, "fast");
  EXPECT_EQ(fast.at("threads").text, "4");
  EXPECT_FALSE(fast.contains("tp"));
  EXPECT_EQ(planning->current().points[0].point.parameters.at("runner").text, "toy");
}

TEST_F(SeveralRunners, EqualStagesAreOneStage) {
  ASSERT_THAT(load("axes: {stack: [{runner: toy}, {runner: fast}], size: [s, l]}\n"), IsEmpty());
  EXPECT_EQ(stages(runner::Kind::task).size(), 2u);  // by size
  EXPECT_EQ(stages(runner::Kind::service).size(), 4u);
  for (const plan::Stage& stage : planning->current().stages)
    EXPECT_EQ(stage.points.size(), stage.spec.kind == runner::Kind::task ? 2u : 1u) << stage.id;
}

TEST_F(SeveralRunners, APlainAxisMayNameRunners) {
  ASSERT_THAT(load("axes: {runner: [fast, toy]}\n"), IsEmpty());
  EXPECT_THAT(points(), ElementsAre("toy toy", "fast fast"));
}

TEST_F(SeveralRunners, PointsOfTheDefaultRunnerKeepTheirNames) {
  ASSERT_THAT(load("axes: {size: [s, l]}\n"), IsEmpty());
  const std::string name = planning->current().points[0].point.name;
  const plan::StageId stage = planning->current().points[0].stages.back();
  ASSERT_THAT(load("axes: {size: [s, l]}\ninclude: [{runner: fast}]\n"), IsEmpty());
  EXPECT_THAT(points(), ElementsAre("s toy", "l toy", "s_fast fast", "l_fast fast"));
  EXPECT_EQ(planning->current().points[0].point.name, name);
  EXPECT_EQ(planning->current().points[0].stages.back(), stage);
}

TEST_F(SeveralRunners, AnEntryWithoutARunnerExpandsOverTheRunners) {
  ASSERT_THAT(load("axes: {stack: [{runner: toy}, {runner: fast}]}\ninclude: [{size: l}]\n"),
              IsEmpty());
  EXPECT_THAT(points(), ElementsAre("toy toy", "toy_l toy", "fast fast", "fast_l fast"));
}

TEST_F(SeveralRunners, ARunnerMayHaveDefaultsOfItsOwn) {
  ASSERT_THAT(load("axes: {runner: [toy, fast]}\ndefaults: {size: s, fast: {threads: 8, size: l}, "
                   "toy: {tp: 2}}\n"),
              IsEmpty());
  const auto& points = planning->current().points;
  EXPECT_EQ(points[0].point.parameters.at("size").text, "s");
  EXPECT_EQ(points[0].point.parameters.at("tp").text, "2");
  EXPECT_EQ(points[1].point.parameters.at("size").text, "l");
  EXPECT_EQ(points[1].point.parameters.at("threads").text, "8");
}

TEST_F(SeveralRunners, ExpressionsReadTheRunnerAndParametersOfOthersAreNull) {
  ASSERT_THAT(load("axes: {stack: [{tp: 1}, {tp: 2}, {runner: fast, threads: 4}, {runner: fast}]}\n"
                   "exclude: [runner = 'fast' AND threads = 4, tp = 1]\n"),
              IsEmpty());
  EXPECT_THAT(points(), ElementsAre("tp2 toy", "fast fast"));
  EXPECT_EQ(planning->current().excluded, 2u);
  ASSERT_THAT(load("axes: {runner: [toy, fast]}\n", "runner = 'fast'"), IsEmpty());
  EXPECT_THAT(points(), ElementsAre("fast fast"));
  EXPECT_THAT(planning->new_warnings(), IsEmpty());
}

TEST_F(SeveralRunners, AnAxisThatARunnerDoesNotReadIsAnError) {
  project.write("runners/toy/runner.yaml",
                std::string(k_toy_runner)
                    .replace(std::string_view(k_toy_runner).find("reads: [tp]"), 11, "reads: []"));
  std::string fast = k_fast_runner;
  fast.replace(fast.find("  threads:"), 0, "  tp: {type: integer, default: 1}\n")
      .replace(fast.find("[threads, depth]"), 16, "[threads, depth, tp]");
  project.write("runners/fast/runner.yaml", fast);
  EXPECT_THAT(
      load("axes: {runner: [toy, fast], tp: [1, 2]}\n"),
      ElementsAre("3:29: axis 'tp': no stage, rule, let or exclude of runner 'toy' reads tp, "
                  "so its values would only repeat the same points; write it in maps beside "
                  "the runners that read it"));
}

TEST_F(SeveralRunners, ServersTakeTurnsAndEachHasItsFirstSessionBeforeAnyItsSecond) {
  ASSERT_THAT(load("axes: {stack: [{tp: 1}, {tp: 2}, {runner: fast}, {runner: fast, threads: 2}]}\n"
                   "measure: {repeats: {serve: 2}}\n"),
              IsEmpty());
  EXPECT_THAT(stages(runner::Kind::service), ElementsAre("toy 0", "fast 0", "toy 0", "fast 0",
                                                         "fast 1", "toy 1", "fast 1", "toy 1"));
}

TEST_F(SeveralRunners, AParameterThatTheRunnerOfThePointLacksIsAnError) {
  EXPECT_THAT(
      load("axes:\n  stack:\n    - {runner: toy, threads: 2}\n    - {runner: fast}\n"),
      ElementsAre("5:30: axis 'stack': runner 'toy' of these points has no parameter "
                  "'threads'; runner 'fast' has it: write it in a map with runner: fast, or "
                  "take it out"));
  EXPECT_THAT(load("axes: {runner: [toy, fast]}\ndefaults: {toy: {threads: 2}}\n"),
              ElementsAre(StartsWith("4:27: defaults: runner 'toy' of these points")));
  EXPECT_THAT(
      load("axes: {runner: [toy, fast]}\ninclude: [{runner: fast, tp: 2}]\n"),
      ElementsAre(StartsWith("4:30: include: runner 'fast' of these points has no parameter "
                             "'tp'; runner 'toy' has it")));
}

TEST_F(SeveralRunners, AParameterOfOneRunnerInAPlainAxisIsAnErrorWithTheRemedy) {
  EXPECT_THAT(load("axes:\n  runner: [toy, fast]\n  threads: [1, 2]\n"),
              ElementsAre("5:13: axis 'threads' sets 'threads' for points of all runners, but only "
                          "runner 'fast' has it, not toy; write it beside runner: fast in a map of "
                          "an axis, or under defaults: {fast: {threads: VALUE}}"));
  EXPECT_THAT(load("axes: {runner: [toy, fast]}\ndefaults: {threads: 2}\n"),
              ElementsAre(StartsWith("4:21: defaults sets 'threads' for points of all runners")));
}

TEST_F(SeveralRunners, WhatNoRunnerHasIsReportedOnce) {
  EXPECT_THAT(load("axes: {runner: [toy, fast], sise: [s]}\n"),
              ElementsAre("3:36: unknown parameter 'sise' of runner 'toy'; did you mean 'size'?"));
  EXPECT_THAT(load("axes: {runner: [toy, fast], size: [x]}\n"), ElementsAre(StartsWith("3:36: ")));
}

TEST_F(SeveralRunners, AWrongRunnerIsAnErrorAtItsPlace) {
  EXPECT_THAT(load("axes: {stack: [{runner: toy}, {runner: fasst}]}\n"),
              ElementsAre("3:40: no runner 'fasst' (runners/fasst/runner.yaml); did you mean "
                          "'fast'?"));
  EXPECT_THAT(load("axes: {stack: [{runner: [toy, fast]}]}\n"),
              ElementsAre("3:25: 'runner' must be one word, not a list"));
  EXPECT_THAT(load("axes: {a: [{runner: toy}], b: [{runner: fast}]}\n"),
              ElementsAre(HasSubstr("axis 'b' sets 'runner', which axis 'a'")));
  EXPECT_THAT(load("defaults: {runner: fast}\n"),
              ElementsAre(StartsWith("3:12: 'runner' cannot be a default: write runner: NAME "
                                     "at the top")));
  EXPECT_THAT(load("axes: {runner: [toy, fast]}\ndefaults: {fats: {threads: 1}}\n"),
              ElementsAre("4:18: default 'fats' must be one value, not a map; several values make "
                          "an axis; a map is for one of the runners of this matrix: toy, fast"));
}

TEST_F(SeveralRunners, UntilNamesAStageOfAllRunnersWithPoints) {
  std::string only = k_fast_runner;
  only.replace(only.find("  make: {"), 9, "  pack: {").replace(only.find("[make]"), 6, "[pack]");
  project.write("runners/fast/runner.yaml", only);
  plan::Options until;
  until.until = "make";
  EXPECT_THAT(load("axes: {runner: [toy, fast]}\n", "", until),
              ElementsAre("--until names the stage 'make', which runner 'fast' does not have; "
                          "select the points of other runners with --where \"runner != 'fast'\""));
  EXPECT_THAT(load("axes: {runner: [toy, fast]}\n", "runner != 'fast'", until), IsEmpty());
}

TEST_F(SeveralRunners, EachRunnerHasItsOwnFolder) {
  ASSERT_THAT(load("axes: {runner: [toy, fast]}\n"), IsEmpty());
  const attempt::Layout layout = layout_of(loaded, "/store");
  EXPECT_EQ(layout.runner_file("a.py", "toy"), project.path("runners/toy/a.py"));
  EXPECT_EQ(layout.runner_file("a.py", "fast"), project.path("runners/fast/a.py"));
}

// Two runners whose points are compared by `weights` and share `batch`.
class Compared : public SeveralRunners {
 protected:
  Compared() {
    write("toy", "CASE size WHEN 's' THEN 'FP16' ELSE 'INT8 of toy' END", "4");
    write("fast", "CASE size WHEN 's' THEN 'FP16' ELSE 'INT8 of fast' END", "8");
  }

  void write(const std::string& runner, const std::string& weights, const std::string& batch) {
    project.write("runners/" + runner + "/runner.yaml", fmt::format(R"(
runner: {}
parameters:
  size: {{type: text, values: [s, l], default: s}}
  batch: {{type: integer, default: {}}}
  weights: {{type: text, compared: true, sql: "{}"}}
  prompts_as: {{type: text, compared: true, sql: "'text'"}}
stages:
  make: {{kind: task, reads: [size, batch], argv: [/bin/touch, "{{out}}/made"], outputs: [made]}}
  serve: {{kind: service, needs: [make], argv: [/bin/s], ready: {{port: http, get: [/]}}, ports: [http]}}
  bench: {{kind: measure, needs: [serve], argv: [/bin/x], outputs: [y]}}
)",
                                                                    runner, batch, weights));
  }

  // "weights: FP16 | INT8 (1)"
  std::vector<std::string> differences() const {
    std::vector<std::string> texts;
    for (const plan::Difference& one : planning->comparison().differences) {
      std::vector<std::string> values;
      for (const auto& own : one.values) values.push_back(own.empty() ? "-" : join(own, ","));
      texts.push_back(fmt::format("{}: {} ({})", one.parameter, join(values, " | "), one.groups));
    }
    return texts;
  }
};

TEST_F(Compared, WhatDiffersBetweenPointsOfTwoRunnersIsCounted) {
  ASSERT_THAT(load("axes: {runner: [toy, fast], size: [s, l]}\n"), IsEmpty());
  EXPECT_EQ(planning->comparison().groups, 2u);
  EXPECT_THAT(planning->comparison().by, ElementsAre("size"));
  EXPECT_THAT(planning->comparison().equal, ElementsAre("prompts_as"));
  EXPECT_THAT(differences(),
              ElementsAre("weights: INT8 of toy | INT8 of fast (1)", "batch: 4 | 8 (2)"));
}

TEST_F(Compared, ParametersBesideARunnerAreComparedAndGroupNothing) {
  ASSERT_THAT(load("axes:\n  stack: [{runner: toy, size: s}, {runner: fast, size: l}]\n"
                   "defaults: {batch: 2}\n"),
              IsEmpty());
  EXPECT_EQ(planning->comparison().groups, 1u);
  EXPECT_THAT(differences(), ElementsAre("weights: FP16 | INT8 of fast (1)", "size: s | l (1)"));
}

TEST_F(Compared, ARunnerWithSeveralPointsInAGroupShowsAllOfTheirValues) {
  ASSERT_THAT(load("axes:\n  stack: [{batch: 4}, {runner: fast, batch: 4}, {runner: fast, batch: "
                   "8}]\n"),
              IsEmpty());
  EXPECT_THAT(differences(), ElementsAre("batch: 4 | 4,8 (1)"));
}

TEST_F(Compared, PointsWithoutACounterpartCompareNothing) {
  ASSERT_THAT(load("axes: {size: [s]}\ninclude: [{size: l, runner: fast}]\n"), IsEmpty());
  EXPECT_EQ(planning->comparison().groups, 1u);  // `size` stands beside a runner
  ASSERT_THAT(load("axes: {runner: [toy, fast], size: [s, l]}\nexclude: [\"(runner = 'fast') = "
                   "(size = 's')\"]\n"),
              IsEmpty());
  EXPECT_EQ(planning->comparison().groups, 0u);
  ASSERT_THAT(load("axes: {size: [s, l]}\n"), IsEmpty());
  EXPECT_EQ(planning->comparison().groups, 0u);
}

TEST_F(Compared, NamesOfPointsDoNotHoldWhatIsCompared) {
  ASSERT_THAT(load("axes: {size: [s]}\n"), IsEmpty());
  const std::string name = planning->current().points[0].point.name;
  EXPECT_EQ(planning->current().points[0].point.parameters.at("weights").text, "FP16");
  write("toy", "'FP16, said otherwise'", "4");
  ASSERT_THAT(load("axes: {size: [s]}\n"), IsEmpty());
  EXPECT_EQ(planning->current().points[0].point.parameters.at("weights").text,
            "FP16, said otherwise");
  EXPECT_EQ(planning->current().points[0].point.name, name);
}

TEST_F(Compared, AMatrixCannotSetWhatPointsAreComparedBy) {
  EXPECT_THAT(load("axes: {size: [s]}\ndefaults: {weights: FP8}\n"),
              ElementsAre("4:21: parameter 'weights': points are compared by it, and runner 'toy' "
                          "computes it; take it out"));
  EXPECT_THAT(load("axes: {size: [s]}\nlet: {weights: \"'FP8'\"}\n"),
              ElementsAre(HasSubstr("let 'weights': points are compared by the parameter of this "
                                    "name, and runner 'toy' computes it; choose another name")));
}

}  // namespace several_runners_test
}  // namespace orch::session
