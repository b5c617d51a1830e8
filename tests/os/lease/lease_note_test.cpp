#include "core/base/fields_json.hpp"
#include "os/lease/lease.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace orch::lease {
namespace lease_note_test {

TEST(LeaseNote, ComesBackFromItsText) {
  const LeaseNote note{.owner = {.host = "a \"b\"",
                                 .kernel = "boot pid:[1]",
                                 .pid = 7,
                                 .start_ticks = 8,
                                 .job = "12",
                                 .since = "2025-01-31T12:00:00Z",
                                 .nonce = "n"},
                       .silent_s = 2.5,
                       .beat = 9,
                       .is_released = true};
  const auto again = from_json_text<LeaseNote>(to_json_text(note)).to_optional();
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json_text(*again), to_json_text(note));
  EXPECT_EQ(again->owner.text(), "pid 7 on a \"b\" (job 12 of Slurm) since 2025-01-31T12:00:00Z");
  EXPECT_EQ(again->beat, 9u);
  EXPECT_TRUE(again->is_released);
}

TEST(LeaseNote, IsNotReadFromOtherTexts) {
  for (const char* text : {"", "7", "{}", "{\"host\": 1}", "{\"host\": \"a\"}"})
    EXPECT_FALSE(from_json_text<LeaseNote>(text).to_optional()) << text;
}

TEST(LeaseNote, OfThisProcessNamesItAndIsNewEachTime) {
  const Owner one = this_process(1.7e9), other = this_process(1.7e9);
  EXPECT_EQ(one.pid, ::getpid());
  EXPECT_NE(one.start_ticks, 0u);
  EXPECT_EQ(one.since, "2023-11-14T22:13:20Z");
  EXPECT_NE(one.nonce, other.nonce);
  EXPECT_TRUE(is_near(one, other));
}

TEST(LeaseNote, AProcessIsLookedUpOnlyUnderItsOwnKernel) {
  const Owner self = this_process(0);
  Owner other = self;
  other.host = "elsewhere";
  EXPECT_FALSE(is_near(other, self)) << "one kernel under two names";
  other = self;
  other.kernel = "another boot";
  EXPECT_FALSE(is_near(other, self)) << "two hosts of one name, or a reboot";
  other = self;
  other.start_ticks = 0;
  EXPECT_FALSE(is_near(other, self)) << "a process that could not be identified";
}

}  // namespace lease_note_test
}  // namespace orch::lease
