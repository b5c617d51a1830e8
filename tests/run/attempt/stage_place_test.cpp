#include "run/attempt/container_host.hpp"

#include <tuple>

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

plan::Plan plan_with(matrix::Isolation isolation, std::vector<plan::Stage> stages = {}) {
  plan::Plan plan;
  plan.isolation = isolation;
  plan.stages = std::move(stages);
  return plan;
}

void share(plan::Stage& stage, int cpus, double memory_gib) {
  stage.share = std::make_shared<const plan::Share>(
      plan::Share{.cores = {}, .memory_gib = memory_gib, .tokens = {}, .cpus = cpus});
}

TEST(StagePlace, OfATaskHasItsTimeLimit) {
  plan::Stage task = stage(runner::Kind::task);
  share(task, 6, 1.5);
  const execute::Place place = place_of(plan_with(matrix::Isolation::strict), task, {});
  EXPECT_EQ(place.gpus, 2);
  EXPECT_EQ(place.cores, 6);
  EXPECT_EQ(place.memory_gib, 1.5);
  EXPECT_EQ(place.seconds, 600);
  EXPECT_FALSE(place.alone);
  EXPECT_FALSE(place.is_server);
}

TEST(StagePlace, OfAStageWithCoresOfItsOwnHasThese) {
  plan::Stage task = stage(runner::Kind::task);
  task.share = std::make_shared<const plan::Share>(
      plan::Share{.cores = 3, .memory_gib = 0, .tokens = {}, .cpus = 6});
  EXPECT_EQ(place_of(plan_with(matrix::Isolation::gpu), task, {}).cores, 3);
}

TEST(StagePlace, OfAServerHasTheTimeOfItsMeasurements) {
  const execute::Place place =
      place_of(plan_with(matrix::Isolation::strict), stage(runner::Kind::service),
               {.grace_s = 60, .server_s = 7200});
  EXPECT_EQ(place.seconds, 7200);
  EXPECT_EQ(place.stop_s, 30);
  EXPECT_EQ(place.grace_s, 60);
  EXPECT_EQ(place.ports, std::vector<std::string>{"http"});
  EXPECT_TRUE(place.is_server);
  EXPECT_TRUE(place.alone);
}

TEST(StagePlace, OfAServerIsSharedUnlessItsMeasurementsMustBeAlone) {
  for (const auto isolation : {matrix::Isolation::gpu, matrix::Isolation::none})
    EXPECT_FALSE(place_of(plan_with(isolation), stage(runner::Kind::service), {}).alone);
}

// A server with two measurements, which run beside it one after the other, and one of another.
class ServerPlace : public testing::Test {
 protected:
  ServerPlace() {
    server.id = "serve-1";
    share(server, 8, 100);
    for (const auto& [id, cpus, memory_gib] :
         {std::tuple("serve-1", 2, 4.0), std::tuple("serve-1", 4, 1.0),
          std::tuple("serve-2", 64, 64.0)}) {
      plan::Stage bench = stage(runner::Kind::measure);
      bench.needs["serve"] = id;
      share(bench, cpus, memory_gib);
      measurements.push_back(bench);
    }
  }
  execute::Place place(const PlaceOptions& options = {},
                       matrix::Isolation isolation = matrix::Isolation::gpu) const {
    return place_of(plan_with(isolation, measurements), server, options);
  }

  plan::Stage server = stage(runner::Kind::service);
  std::vector<plan::Stage> measurements;
};

TEST_F(ServerPlace, HasRoomForTheLargestMeasurement) {
  EXPECT_EQ(place().cores, 12);
  EXPECT_EQ(place().memory_gib, 104);
}

TEST_F(ServerPlace, IsNotThatOfTheMeasurementsWhereTheServerStatesNothing) {
  server.share.reset();
  EXPECT_EQ(place().cores, 0);
  EXPECT_EQ(place().memory_gib, 0);
  server.spec.server = std::make_shared<const plan::RunningService>();
  EXPECT_EQ(place().cores, 4) << "it runs elsewhere";
  EXPECT_EQ(place().memory_gib, 4);
}

TEST_F(ServerPlace, IsWhatTheSiteSaysOfItsStageOrElseOfItsKind) {
  const SiteRequest most{.cpus = 48, .memory_gib = 900}, less{.cpus = {}, .memory_gib = 0};
  EXPECT_EQ(place({.requests = {{"service", most}, {"task", less}}}).cores, 48);
  server.spec.name = "serve";
  const execute::Place own = place({.requests = {{"service", most}, {"serve", less}}});
  EXPECT_EQ(own.cores, 48);
  EXPECT_EQ(own.memory_gib, 0);
}

TEST_F(ServerPlace, IsTheNodeWhereItHasThatToItself) {
  const execute::Place alone = place({}, matrix::Isolation::strict);
  EXPECT_EQ(alone.cores, 0);
  EXPECT_EQ(alone.memory_gib, 0);
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

plan::Plan two_nodes() {
  plan::Plan plan;
  plan.nodes = {.count = 2, .gpus = 8};
  return plan;
}

TEST(StagePlace, OfRanksIsTheFewestNodesWithTheirGpus) {
  const execute::Place two = place_of(two_nodes(), server_of_ranks(16), {});
  EXPECT_EQ(two.nodes, 2);
  EXPECT_EQ(two.ranks, 16);
  EXPECT_EQ(two.gpus, 16);
  const execute::Place one = place_of(two_nodes(), server_of_ranks(8), {});
  EXPECT_EQ(one.nodes, 1);
  EXPECT_EQ(one.ranks, 1) << "mpirun starts them, in one task";
}

TEST(StagePlace, IsOneNodeForATask) {
  plan::Stage task = server_of_ranks(16);
  task.spec.kind = runner::Kind::task;
  EXPECT_EQ(place_of(two_nodes(), task, {}).nodes, 1);
}

}  // namespace stage_place_test
}  // namespace orch::attempt
