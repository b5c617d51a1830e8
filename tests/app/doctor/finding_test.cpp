#include "app/doctor/finding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::doctor {
namespace finding_test {

std::vector<Section> two_sections() {
  Section one{.heading = "one"}, two{.heading = "two"};
  one.add(Level::ok, "fine");
  two.add(Level::missing, "no git", "apt-get install git");
  return {one, two};
}

TEST(Findings, AreALineBelowTheirHeadingWithTheRemedyBelow) {
  EXPECT_EQ(text_of(two_sections()),
            "one\n  ok       fine\n\ntwo\n  missing  no git\n             fix: apt-get install "
            "git\n\nexit status 0: nothing that you asked for is missing; ask with --runner NAME, "
            "--executor slurm or --store DIR\n");
}

TEST(Findings, EndWithWhyTheExitStatusIsWhatItIs) {
  auto sections = two_sections();
  sections[0].is_asked_for = true;
  EXPECT_THAT(text_of(sections),
              testing::EndsWith("\n\nexit status 0: nothing that you asked for is missing\n"));
  sections[1].is_asked_for = true;
  EXPECT_THAT(text_of(sections),
              testing::EndsWith("\n\nexit status 1: something that you asked for is missing\n"));
}

TEST(Findings, AreJsonForPrograms) {
  const auto json = nlohmann::json::parse(json_of(two_sections()));
  EXPECT_EQ(json[1]["section"], "two");
  EXPECT_EQ(json[1]["findings"][0]["level"], "missing");
  EXPECT_EQ(json[1]["findings"][0]["remedy"], "apt-get install git");
}

TEST(Findings, OnlyALackThatWasAskedForCounts) {
  auto sections = two_sections();
  sections[0].is_asked_for = true;
  EXPECT_FALSE(lacks_what_was_asked_for(sections));
  sections[1].is_asked_for = true;
  EXPECT_TRUE(lacks_what_was_asked_for(sections));
}

TEST(Findings, WriteNoControlCharactersOfPrograms) {
  Section section{.heading = "one"};
  section.add(Level::ok, "a\x1b[31m\nb");
  EXPECT_THAT(text_of({&section, 1}), testing::HasSubstr("a\\x1b[31m\\nb\n"));
}

}  // namespace finding_test
}  // namespace orch::doctor
