// Failures of container engines themselves, by the texts that they print.
#include "run/attempt/engine_rows.hpp"
#include "run/attempt/failure.hpp"

#include <gtest/gtest.h>

namespace orch::attempt {
namespace engine_causes_test {

TEST(EngineCauses, AreKnownByTheFormOfTheirLines) {
  EXPECT_TRUE(is_of_engine("error: image not known", 125));
  EXPECT_TRUE(is_of_engine("docker: error response from daemon: x", 126));
  EXPECT_TRUE(is_of_engine("time=\"now\" level=error msg=\"x\"", 127));
  EXPECT_FALSE(is_of_engine("time=\"now\" level=warning msg=\"x\"", 127));
  EXPECT_FALSE(is_of_engine("error: image not known", 1));
  EXPECT_TRUE(is_of_engine("fata[0000] x", 1));
  EXPECT_TRUE(is_of_engine("fatal:   x", 255));
  EXPECT_FALSE(is_of_engine("fatal:   x", 1));
  EXPECT_TRUE(is_of_engine("slurmstepd: error: pyxis: x", 1));
  EXPECT_FALSE(is_of_engine("pyxis: x", 1));
}

// Neither is a result of the point.
TEST(EngineCauses, AreOfTheHarness) {
  for (const FailureClass one :
       {FailureClass::container_engine, FailureClass::container_unavailable})
    EXPECT_EQ(traits_of(one).kind, FailureKind::harness) << to_string(one);
}

// A failure that an older table took for a result is tried again.
TEST(EngineCauses, ForgiveWhatAnOlderTableCalledAResult) {
  for (const FailureRow& row : k_engine_rows) {
    if (!std::string_view(row.failure_class).starts_with("container_")) continue;
    const std::string message = fmt::format("ended with exit status {}", row.ended.code);
    const std::optional<FailureClass> now = harness_class_of({.failure_class = "exit_status",
                                                              .message = message,
                                                              .judged_by = "0123456789ab",
                                                              .ended = row.ended},
                                                             row.log);
    ASSERT_TRUE(now) << row.name;
    EXPECT_EQ(to_string(*now), row.failure_class) << row.name;
  }
}

}  // namespace engine_causes_test
}  // namespace orch::attempt
