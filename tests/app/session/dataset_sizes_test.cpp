#include "app/session/experiment.hpp"
#include "app/session/planning.hpp"
#include "app/session/project_of_files.hpp"

namespace orch::session {
namespace dataset_sizes_test {

constexpr const char* k_runner = R"(
runner: toy
parameters:
  num_prompts: {type: integer, default: 20}
  reuse_prompts: {type: boolean, optional: true}
stages:
  prompts:
    kind: task
    reads: [num_prompts, reuse_prompts]
    argv: [/bin/touch, "{jobs}"]
    batch: true
    job: {out: "{out}", dataset: "{dataset.source}", requests: "{num_prompts}", warmup: "{measure.warmup}", blocks: "{measure.blocks}", reuse: "{reuse_prompts}"}
    outputs: [p]
  serve: {kind: service, argv: [/bin/x], ready: {port: http, get: [/]}, ports: [http]}
  bench: {kind: measure, needs: [serve, prompts], argv: [/bin/x], outputs: [y]}
)";

class DatasetSizes : public ::testing::Test {
 protected:
  // The errors for a dataset of ROWS rows, or of TEXT.
  std::string errors_of(const std::string& yaml, int rows, const std::string& text = "") {
    project.write("runners/toy/runner.yaml", k_runner);
    std::string dataset = text;
    for (int i = 0; i < rows; ++i) dataset += "{\"text_input\": \"a\"}\n";
    project.write("data.jsonl", dataset);
    Errors errors;
    const Experiment loaded = load_experiment(
        project.world,
        project.options("name: m\nrunner: toy\ndatasets: {d: {source: 'local:data.jsonl'}}\n" +
                        yaml),
        errors);
    Planning planning(project.world.files, loaded, project.path("results"), {});
    planning.plan(errors);
    EXPECT_EQ(text_of(errors), "");
    if (errors.empty())
      refuse_small_datasets(project.world.files, loaded.matrix, planning.current(), errors);
    return text_of(errors);
  }

  ProjectOfFiles project;
};

TEST_F(DatasetSizes, ThatDoNotSufficeNameThePointAndTheRemedy) {
  const std::string yaml =
      "axes: {num_prompts: [4, 20, 50]}\nmeasure: {prompts: d, warmup: \"2\"}\n";
  EXPECT_EQ(errors_of(yaml, 156), "");
  const std::string errors = errors_of(yaml, 60);
  EXPECT_NE(errors.find("m.yaml:3:24: dataset 'd' has 60 prompts, and 2 sets of prompts need more; "
                        "the largest, of point "),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find(" needs 156: 3 blocks of 50 measured and 2 warm-up prompts, none of which "
                        "is sent twice; set num_prompts to 18 at most, add rows, or send the same "
                        "prompts in every measurement: measure: {reuse_prompts: true}\n"),
            std::string::npos)
      << errors;
}

TEST_F(DatasetSizes, AreEnoughWhenPromptsAreReused) {
  EXPECT_EQ(errors_of("defaults: {num_prompts: 1376}\nmeasure: {prompts: d, warmup: \"2\", "
                      "reuse_prompts: true}\n",
                      1376),
            "");
}

TEST_F(DatasetSizes, OfAFileThatIsNoDatasetAreItsError) {
  const std::string errors = errors_of("measure: {prompts: d}\n", 1, "{\"text_input\": 1}\n");
  EXPECT_NE(errors.find("data.jsonl:1: 'text_input' is '1'"), std::string::npos) << errors;
}

}  // namespace dataset_sizes_test
}  // namespace orch::session
