#include "app/cli/progress/progress.hpp"

#include <gtest/gtest.h>

namespace orch::cli {
namespace stage_labels_test {

plan::PlannedPoint point_of(const std::map<std::string, std::string>& values) {
  plan::PlannedPoint point;
  for (const auto& [name, value] : values)
    point.point.parameters.set(name, {matrix::Type::text, value});
  return point;
}

plan::Stage stage_of(const char* name, const char* id, std::vector<std::size_t> points,
                     std::int64_t repeat = 0) {
  plan::Stage stage;
  stage.spec.name = name;
  stage.id = id;
  stage.points = std::move(points);
  stage.repeat = repeat;
  return stage;
}

const std::vector<std::string> k_names = {"model",       "precision",    "batch_size",
                                          "concurrency", "request_rate", "kv_reuse"};

TEST(StageLabels, NameWhatDiffersInTheOrderOfTheMatrix) {
  plan::Plan plan;
  for (const char* rate : {"5", "10"})
    plan.points.push_back(point_of({{"model", "tiny"},
                                    {"precision", "q8_0"},
                                    {"batch_size", "4"},
                                    {"request_rate", rate},
                                    {"kv_reuse", "true"}}));
  plan.points.push_back(point_of({{"model", "tiny"},
                                  {"precision", "f16"},
                                  {"batch_size", "8"},
                                  {"concurrency", "8"},
                                  {"kv_reuse", "false"}}));
  plan.stages = {stage_of("download", "download-1", {0, 1, 2}),
                 stage_of("serve", "serve-2", {0, 1}), stage_of("bench", "bench-3", {0}),
                 stage_of("bench", "bench-4", {1}, 2), stage_of("bench", "bench-5", {2})};
  const StageLabels labels(plan, k_names);
  EXPECT_EQ(labels.of("download-1"), "download tiny");
  EXPECT_EQ(labels.of("serve-2"), "serve tiny q8_0 bs4 kv_reuse=true");
  EXPECT_EQ(labels.of("bench-3"), "bench tiny q8_0 bs4 5 req/s kv_reuse=true");
  EXPECT_EQ(labels.of("bench-4"), "bench tiny q8_0 bs4 10 req/s kv_reuse=true repeat 2");
  EXPECT_EQ(labels.with_id("bench-5"), "bench tiny f16 bs8 c8 kv_reuse=false (bench-5)");
}

TEST(StageLabels, AStageOfAnotherPlanKeepsItsId) {
  const StageLabels labels(plan::Plan{}, k_names);
  EXPECT_EQ(labels.of("bench-9"), "bench-9");
  EXPECT_EQ(labels.with_id("bench-9"), "bench-9");
}

}  // namespace stage_labels_test
}  // namespace orch::cli
