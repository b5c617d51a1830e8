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

}  // namespace stage_place_test
}  // namespace orch::attempt
