#include "attempt/stage_place.hpp"

#include <gtest/gtest.h>

namespace orch::attempt {
namespace stage_place_test {

plan::Stage stage(runner::Kind kind) {
  plan::Stage stage;
  stage.spec.kind = kind;
  stage.spec.timeout_s = 600;
  stage.spec.stop_s = 30;
  stage.spec.ports = {"http"};
  stage.gpus = 1.5;
  return stage;
}

TEST(StagePlace, OfATaskHasItsTimeLimit) {
  plan::Stage task = stage(runner::Kind::task);
  plan::Share share;
  share.cores = 6;
  share.memory_gib = 1.5;
  task.share = std::make_shared<const plan::Share>(share);
  const execute::Place place = place_of(task, {.isolation = matrix::Isolation::strict});
  EXPECT_EQ(place.gpus, 2);
  EXPECT_EQ(place.cores, 6);
  EXPECT_EQ(place.memory_gib, 1.5);
  EXPECT_EQ(place.seconds, 600);
  EXPECT_FALSE(place.alone);
  EXPECT_FALSE(place.is_server);
}

TEST(StagePlace, OfAServerHasTheTimeOfItsMeasurements) {
  const execute::Place place =
      place_of(stage(runner::Kind::service),
               {.isolation = matrix::Isolation::strict, .grace_s = 60, .server_s = 7200});
  EXPECT_EQ(place.seconds, 7200);
  EXPECT_EQ(place.stop_s, 30);
  EXPECT_EQ(place.grace_s, 60);
  EXPECT_EQ(place.ports, std::vector<std::string>{"http"});
  EXPECT_TRUE(place.is_server);
  EXPECT_TRUE(place.alone);
}

TEST(StagePlace, OfAServerIsSharedUnlessItsMeasurementsMustBeAlone) {
  for (const auto isolation : {matrix::Isolation::gpu, matrix::Isolation::none})
    EXPECT_FALSE(place_of(stage(runner::Kind::service), {.isolation = isolation}).alone);
}

plan::Stage server_of_ranks(double gpus) {
  plan::Stage server = stage(runner::Kind::service);
  server.spec.argv = {"enter", "{container}", "mpirun", "-n", "1", "serve", "0"};
  for (int rank = 1; rank < static_cast<int>(gpus); ++rank)
    server.spec.argv.insert(server.spec.argv.end(),
                            {":", "-n", "1", "serve", std::to_string(rank)});
  server.gpus = gpus;
  return server;
}

TEST(StagePlace, OfRanksIsTheFewestNodesWithTheirGpus) {
  const PlaceOptions options{.nodes = {.count = 2, .gpus = 8}};
  const execute::Place two = place_of(server_of_ranks(16), options);
  EXPECT_EQ(two.nodes, 2);
  EXPECT_EQ(two.ranks, 16);
  EXPECT_EQ(two.gpus, 16);
  const execute::Place one = place_of(server_of_ranks(8), options);
  EXPECT_EQ(one.nodes, 1);
  EXPECT_EQ(one.ranks, 1) << "mpirun starts them, in one task";
}

TEST(StagePlace, IsOneNodeForATask) {
  plan::Stage task = server_of_ranks(16);
  task.spec.kind = runner::Kind::task;
  EXPECT_EQ(place_of(task, {.nodes = {.count = 2, .gpus = 8}}).nodes, 1);
}

}  // namespace stage_place_test
}  // namespace orch::attempt
