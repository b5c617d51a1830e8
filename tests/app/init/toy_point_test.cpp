#include "app/init/new_runner.hpp"
#include "app/session/planning.hpp"
#include "app/session/project_of_files.hpp"

#include <gtest/gtest.h>

namespace orch::session {
namespace toy_point_test {

runner::Manifest manifest_of(const std::string& parameters, const std::string& reads) {
  Errors errors;
  runner::Manifest manifest = runner::parse_manifest(
      "runner: toy\nparameters: {" + parameters + "}\nstages:\n  make: {kind: task, reads: [" +
          reads + "], argv: [/bin/x], outputs: [y]}\n",
      "runners/toy/runner.yaml", errors);
  EXPECT_EQ(text_of(errors), "");
  return manifest;
}

TEST(ToyPoint, IsOnePointThatPlans) {
  ProjectOfFiles project;
  Errors errors;
  const RunnerFile toy{.name = "toy",
                       .file = project.path("runners/toy/runner.yaml"),
                       .folder = project.path("runners/toy"),
                       .common = "",
                       .project = ""};
  const auto manifest = read_manifest(project.world.files, toy, errors);
  ASSERT_TRUE(manifest) << text_of(errors);
  const auto text = toy_matrix(*manifest);
  ASSERT_TRUE(text) << text.error().text();
  const Experiment loaded = load_experiment(project.world, project.options(*text), errors);
  Planning planning(project.world.files, loaded, project.path("store"), {});
  planning.expand(errors);
  planning.plan(errors);
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(planning.current().points.size(), 1u);
}

TEST(ToyPoint, HasTheSmallestLoadAndWhatIsRequired) {
  const auto text = toy_matrix(manifest_of(
      "model: {type: text, help: 'generate:tiny or local:PATH'}, concurrency: {type: integer, "
      "min: 2, optional: true}, num_prompts: {type: integer, min: 1, default: 500}, isl: {type: "
      "integer, min: 16}, mode: {type: text, values: ['no', b]}, tp: {type: integer, default: 1}",
      "model, concurrency, num_prompts, isl, mode, tp"));
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_NE(text->find("models: {nano: {source: \"generate:nano\"}}\n"
                       "axes:\n  model: [nano]\n  concurrency: [2]\n  num_prompts: [4]\n"
                       "  isl: [16]\n  mode: ['no']\nmeasure:"),
            std::string::npos)
      << *text;
}

TEST(ToyPoint, NamesWhatOnlyAUserCanChoose) {
  EXPECT_EQ(
      toy_matrix(manifest_of("model: {type: text, help: 'hf:OWNER/NAME'}", "model"))
          .error()
          .message,
      "no model: the help of the parameter 'model' does not mention generate:nano; run a matrix of "
      "your own");
  EXPECT_EQ(toy_matrix(manifest_of("place: {type: path}", "place")).error().message,
            "parameter 'place' has no default; give it one, or run a matrix of your own");
}

}  // namespace toy_point_test
}  // namespace orch::session
