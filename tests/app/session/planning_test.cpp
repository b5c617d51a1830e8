#include "app/session/planning.hpp"

#include "app/session/project_of_files.hpp"
#include "fakes/own_mounts.hpp"

#include <gmock/gmock.h>

namespace orch::session {
namespace planning_test {

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
    errors.clear();
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

// A runner that knows a model of a hub, and a resolver that no plan asks.
class KnownModelTest : public PlanningTest {
 protected:
  KnownModelTest() {
    std::ifstream file(project.path("runners/toy/runner.yaml"));
    std::string runner{std::istreambuf_iterator<char>(file), {}};
    runner.replace(runner.find("  file: config.json"), 19,
                   "  file: config.json\n  known: known.yaml");
    project.write("runners/toy/runner.yaml", runner);
    project.write("runners/toy/known.yaml", "hf:o/n: {heads: 6}\n");
  }
  std::vector<std::string> statuses(const std::string& facts, const std::string& more = "") {
    const Planning& made = plan(
        "name: a\nrunner: toy\nmodels: {m: {source: 'hf:o/n', revision: " + std::string(40, 'a') +
        facts + "}}\ndefaults: {model: m}\naxes: {tp: [2, 4]}\n" + more);
    std::vector<std::string> words;
    for (const plan::PlannedPoint& point : made.current().points)
      words.emplace_back(to_string(point.status));
    return words;
  }
};

TEST_F(KnownModelTest, FactsThatTheRunnerKnowsDecideWithoutTheModel) {
  EXPECT_THAT(statuses(""), ElementsAre("run", "reject"));
  EXPECT_EQ(text_of(errors), "");
  EXPECT_THAT(
      planning->assumed_facts(),
      ElementsAre("the facts of model 'm' are those that runner 'toy' knows about hf:o/n; `run` "
                  "compares them with the model's config.json before anything is made"));
}

TEST_F(KnownModelTest, FactsOfTheMatrixComeBeforeThoseOfTheRunner) {
  EXPECT_THAT(statuses(", facts: {heads: 8}"), ElementsAre("run", "run"));
  EXPECT_THAT(planning->assumed_facts(), IsEmpty());
}

TEST_F(KnownModelTest, TheModelsOwnFileCountsAndADifferenceIsAWarning) {
  project.write("given/config.json", "{\"heads\": 8}");
  EXPECT_THAT(statuses("", "provide: {fetch: given}\n"), ElementsAre("run", "run"));
  EXPECT_EQ(text_of(errors), "");
  EXPECT_THAT(
      planning->new_warnings(),
      ElementsAre("model 'm': " + project.path("given/config.json") +
                  " differs from what runner 'toy' knows about hf:o/n: model_heads is 8, not 6; "
                  "the file takes precedence, and points were planned again"));
  EXPECT_THAT(planning->assumed_facts(), IsEmpty());
}

TEST_F(KnownModelTest, MistakesInTheFileOfKnownModelsAreErrorsAtTheirPlace) {
  project.write("runners/toy/known.yaml",
                "hf:o/n: {haeds: 6}\nother: {heads: 1}\nhf:o/m: {heads: x}\n");
  statuses("");
  const std::string text = text_of(errors);
  EXPECT_NE(
      text.find("known.yaml:1:10: known model 'hf:o/n': the runner declares no fact 'haeds' of "
                "models; did you mean 'heads'?"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find("known.yaml:2:1: known model 'other': the key must be the source hf:OWNER/NAME"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("known.yaml:3:17: "), std::string::npos) << text;
}

TEST_F(PlanningTest, PinnedPortsAreThoseOfTheServersAndInNoDigest) {
  const std::string matrix =
      "name: a\nrunner: toy\ndefaults: {tp: 1, model: m}\nmodels: {m: {source: 'generate:x'}}\n";
  const auto digests = [&] {
    std::string text;
    for (const plan::Stage& stage : planning->current().stages) text += stage.key.hex();
    return text;
  };
  plan(matrix);
  const std::string unpinned = digests();
  EXPECT_FALSE(plan::pinned_port(planning->current(), "http"));
  plan(matrix + "ports: {http: 18000}\n");
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(digests(), unpinned);
  EXPECT_EQ(plan::pinned_port(planning->current(), "http"), 18000);
  EXPECT_EQ(plan::pinned_port(planning->current(), "http.1"), 18000);
  EXPECT_FALSE(plan::pinned_port(planning->current(), "http.2"));
  plan(matrix + "ports: {htpp: 18000}\n");
  EXPECT_NE(text_of(errors).find("'ports' has 'htpp', but no server of runner 'toy' has a port of "
                                 "this name; did you mean 'http'?"),
            std::string::npos)
      << text_of(errors);
}

TEST_F(PlanningTest, AnAddressBeyondTheLoopbackIsAWarningAndInNoDigest) {
  const std::string matrix =
      "name: a\nrunner: toy\ndefaults: {tp: 1, model: m}\nmodels: {m: {source: 'generate:x'}}\n";
  plan(matrix);
  const std::string usual = planning->current().stages.back().key.hex();
  EXPECT_THAT(planning->new_warnings(), IsEmpty());
  project.write("site.yaml", "bind: 0.0.0.0\n");
  plan(matrix);
  EXPECT_EQ(planning->current().stages.back().key.hex(), usual);
  const auto warnings = planning->new_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with("servers will listen on 0.0.0.0 (`bind` in ")) << warnings[0];
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
    planning->facts().digests().hash_by({.workers = project.world.workers,
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

}  // namespace planning_test
}  // namespace orch::session
