#include "experiment/planning.hpp"

#include "experiment/project_of_files.hpp"
#include "fakes/own_mounts.hpp"

#include <gmock/gmock.h>

namespace orch::experiment {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Rejects points by a fact from the files of a local model, and warns about large sizes.
constexpr const char* k_rules = R"(
facts:
  from: fetch
  file: config.json
  names: {model_heads: {type: integer, keys: [heads]}}
rules:
  - {name: whole-heads, require: model_heads % tp = 0, because: "{model_heads} heads on {tp}"}
  - {name: small, level: warn, require: size = 's', because: "size {size} is slow"}
)";

class PlanningTest : public ::testing::Test {
 protected:
  PlanningTest() {
    std::string runner = k_toy_runner;
    runner.insert(runner.find("stages:"), k_rules + 1);
    runner.replace(runner.find("  size:"), 0, "  model: {type: text}\n");
    runner.insert(runner.find("  make:"),
                  "  fetch: {kind: task, argv: [/bin/touch, \"{model.source}\", "
                  "\"{out}/config.json\"], outputs: [config.json]}\n");
    runner.replace(runner.find("reads: [size]"), 13, "needs: [fetch], reads: [size]");
    project.write("runners/toy/runner.yaml", runner);
  }

  const Planning& plan(const std::string& yaml) {
    loaded = load_experiment(project.world, project.options(yaml), errors);
    planning.emplace(project.world.files, loaded, project.path("results"), plan::Options{});
    planning->plan(errors);
    return *planning;
  }

  ProjectOfFiles project;
  Errors errors;
  Experiment loaded;
  std::optional<Planning> planning;
};

TEST_F(PlanningTest, FilesThatAreMountedInALocalModelBelongToIt) {
  const std::string matrix =
      "name: a\nrunner: toy\nmodels: {m: {source: 'local:model'}}\ndefaults: {model: m}\naxes: "
      "{tp: [2]}\n";
  project.write("model/config.json", "{\"heads\": 6}");
  project.write("model/weights/a", "one");
  project.write("other/a", "one");
  const auto digest = [&] { return plan(matrix).current().stages.front().digest.hex(); };
  const std::string in_place = digest();
  ORCH_WITH_OWN_MOUNTS([&] {
    fakes::bind(project.path("other"), project.path("model/weights"));
    EXPECT_EQ(digest(), in_place);
    project.write("other/a", "two");
    EXPECT_NE(digest(), in_place);
  });
}

TEST_F(PlanningTest, FactsOfALocalModelDecideItsPoints) {
  project.write("model/config.json", "{\"heads\": 6}");
  const Planning& made = plan(
      "name: a\nrunner: toy\nmodels: {m: {source: 'local:model'}}\ndefaults: {model: m}\naxes: "
      "{tp: [2, 4]}\n");
  EXPECT_EQ(text_of(errors), "");
  ASSERT_EQ(made.current().points.size(), 2u);
  EXPECT_EQ(made.current().points[0].status, plan::Status::run);
  EXPECT_EQ(made.current().points[1].status, plan::Status::reject);
  EXPECT_EQ(made.current().points[1].why, "whole-heads: 6 heads on 4");
}

TEST_F(PlanningTest, ReturnsEachWarningOnce) {
  project.write("model/config.json", "{\"heads\": 6}");
  plan(
      "name: a\nrunner: toy\nmodels: {m: {source: 'local:model'}}\ndefaults: {model: m}\naxes: "
      "{size: [s, l]}\n");
  const auto warnings = planning->new_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("size l is slow"), std::string::npos) << warnings[0];
  EXPECT_THAT(planning->new_warnings(), IsEmpty());
}

TEST_F(PlanningTest, ARevisionWithoutAResolverIsAnError) {
  plan("name: a\nrunner: toy\nmodels: {m: {source: 'hf:o/n'}}\ndefaults: {model: m}\n");
  EXPECT_NE(text_of(errors).find("model 'm': runner 'toy' has no resolver for hf:o/n@main; write "
                                 "revision: COMMIT, or local:PATH"),
            std::string::npos)
      << text_of(errors);
}

TEST_F(PlanningTest, AMissingModelFolderIsAnErrorAtItsPlace) {
  plan("name: a\nrunner: toy\nmodels: {m: {source: 'local:nowhere'}}\ndefaults: {model: m}\n");
  EXPECT_NE(text_of(errors).find("the model folder '" + project.path("nowhere") + "' cannot be"),
            std::string::npos)
      << text_of(errors);
}

// By links, as a model hub's cache has them.
TEST_F(PlanningTest, LargeModelsAreHashedByOtherThreadsOnceForAStore) {
  project.write("model/config.json", "{\"heads\": 6}").write("blob", "weights");
  std::filesystem::resize_file(project.path("blob"), 8 << 20);
  std::filesystem::create_symlink("../blob", project.path("model/weights"));
  project.clock.day_s = 4e9;  // long after the file was written
  for (const int shown : {1, 0}) {
    auto store =
        store::Store::open(project.world.host(), project.path("results"), store::Mode::write);
    ASSERT_TRUE(store);
    loaded = load_experiment(
        project.world,
        project.options("name: a\nrunner: toy\nmodels: {m: {source: 'local:model'}}\ndefaults: "
                        "{model: m}\n"),
        errors);
    planning.emplace(project.world.files, loaded, project.path("results"), plan::Options{});
    planning->use(*store);
    int over = 0;
    planning->hash_by({.workers = project.world.workers,
                       .go_on = [](const system::LongWork&) { return true; },
                       .over = [&] { ++over; }});
    planning->plan(errors);
    EXPECT_EQ(text_of(errors), "");
    EXPECT_EQ(over, shown);
  }
}

TEST_F(PlanningTest, AnExperimentWithoutAManifestHasNoPoints) {
  loaded = load_experiment(project.world, project.options("name: a\nrunner: none\n"), errors);
  Planning empty(project.world.files, loaded, project.path("results"), {});
  EXPECT_TRUE(empty.expand(errors).points.empty());
  EXPECT_EQ(errors.size(), 1u);
}

}  // namespace
}  // namespace orch::experiment
