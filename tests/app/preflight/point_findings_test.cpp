#include "app/preflight/needs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::preflight {
namespace findings_test {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Findings, EqualOnesAreOneWithAllOfTheirPoints) {
  plan::Plan plan;
  for (const char* name : {"a", "b", "c"}) {
    plan::PlannedPoint point;
    point.point.name = name;
    plan.points.push_back(point);
  }
  Findings found(plan, "images");
  found.add(Level::missing, {2, 0}, "no image", "pull it");
  found.add(Level::missing, {0, 1}, "no image", "pull it");
  found.add(Level::missing, {0}, invalid("it is gated; accept its terms; then set HF_TOKEN"));
  const auto& findings = found.section().findings;
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_THAT(findings[0].points, ElementsAre("a", "b", "c"));
  EXPECT_EQ(findings[1].what, "it is gated; accept its terms");
  EXPECT_EQ(findings[1].remedy, "then set HF_TOKEN");
  const std::vector<doctor::Section> sections = {found.section()};
  EXPECT_THAT(doctor::text_of(sections),
              HasSubstr("  missing  3 points: no image\n             fix: pull it\n"));
  EXPECT_THAT(doctor::text_of(sections), HasSubstr("exit status 1: 3 points cannot run here\n"));
}

}  // namespace findings_test
}  // namespace orch::preflight
