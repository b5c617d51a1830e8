// What else differs between two sides.
#include "analysis/compare/provenance.hpp"

#include "analysis/compare/selections.hpp"

#include <gmock/gmock.h>

namespace orch::compare {
namespace provenance_test {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Comparison of_precisions(bool disturbed = false) {
  Selected a = side_of("f16", 1, {100, 101});
  a.rows[0].disturbed = disturbed;
  return compare(a, side_of("q8_0", 2, {110, 111}), {});
}

TEST(Differences, are_facts_with_other_values) {
  const Differences found =
      differences_of(of_precisions(), {{"kernel", {"6.1"}}, {"server", {"own"}}},
                     {{"kernel", {"6.1", "6.2"}}, {"server", {"own"}}});
  EXPECT_THAT(found.confounders, testing::ElementsAre("kernel 6.1 → 6.1, 6.2"));
}

TEST(Differences, of_a_fact_that_a_side_lacks_are_unknown) {
  EXPECT_THAT(differences_of(of_precisions(), {{"driver", {"550"}}}, {}).confounders,
              Contains("driver 550 → unknown"));
}

TEST(Differences, in_what_disturbed_the_measurements_confound) {
  EXPECT_THAT(differences_of(of_precisions(true), {}, {}).confounders,
              Contains(HasSubstr("disturbed measurements 1 → 0")));
  EXPECT_THAT(differences_of(of_precisions(false), {}, {}).confounders, IsEmpty());
}

TEST(Differences, that_follow_from_another_are_told_apart) {
  Comparison comparison = of_precisions();
  comparison.pairing.differing.push_back(
      {.parameter = "weights", .a = {"FP16"}, .b = {"GGUF Q8_0"}, .follows = true});
  EXPECT_EQ(summary_of(differences_of(comparison, {}, {})),
            "single change: precision f16 → q8_0 (and with it weights FP16 → GGUF Q8_0)");
}

TEST(Differences, in_versions_of_another_runner_do_not_confound) {
  Comparison comparison = of_precisions();
  const Provenance a = {{"runner version", {"vllm 1"}}}, b = {{"runner version", {"llama 2"}}};
  EXPECT_THAT(differences_of(comparison, a, b).confounders, Contains(HasSubstr("runner version")));
  comparison.pairing.differing.push_back(
      {.parameter = "runner", .a = {"vllm"}, .b = {"llama-cpp"}});
  EXPECT_THAT(differences_of(comparison, a, b).confounders, IsEmpty());
}

TEST(Differences, show_no_endless_lists) {
  EXPECT_THAT(
      differences_of(of_precisions(), {{"host", {"a", "b", "c", "d", "e"}}}, {{"host", {"a"}}})
          .confounders,
      Contains("host a, b, c, 2 more → a"));
}

TEST(Summary, of_sides_without_a_difference_says_so) {
  EXPECT_EQ(summary_of({}), "no parameter differs");
}

TEST(Summary, of_imported_files_calls_no_change_single) {
  SideOf a, b;
  a.add(1, "f16", 1, 100), b.add(2, "q8_0", 1, 120);
  for (SideOf* side : {&a, &b}) side->selected.rows[0].imported = true;
  Differences found = differences_of(compare(a.selected, b.selected, {}), {}, {});
  const Selected* sides[] = {&a.selected, &b.selected};
  found.unstated = unstated_by(sides);
  EXPECT_EQ(
      summary_of(found),
      "change: precision f16 → q8_0; what the files do not state may differ as well: machine, "
      "server version");
  for (SideOf* side : {&a, &b}) {
    side->selected.parameters.emplace_back("system");
    side->selected.rows[0].parameters.emplace_back("dgx");
  }
  EXPECT_THAT(unstated_by(sides), testing::ElementsAre("server version"));
}

}  // namespace provenance_test
}  // namespace orch::compare
