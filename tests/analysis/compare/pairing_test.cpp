// What makes a pair: parameters that vary on both sides, and neither what differs nor what follows.
#include "analysis/compare/pairing.hpp"

#include "analysis/compare/selections.hpp"

#include <gmock/gmock.h>

namespace orch::compare {
namespace pairing_test {

using testing::ElementsAre;

TEST(Pairing, is_by_what_varies_and_does_not_differ_between_the_sides) {
  const Selected a = side_of("f16", 1, {100}), b = side_of("q8_0", 2, {110});
  const Pairing pairing = pairing_of(a, b);
  EXPECT_THAT(pairing.paired_by, ElementsAre("concurrency"));
  ASSERT_EQ(pairing.differing.size(), 1u);
  EXPECT_EQ(pairing.differing[0].parameter, "precision");
  EXPECT_THAT(pairing.differing[0].a, ElementsAre("f16"));
  EXPECT_THAT(pairing.differing[0].b, ElementsAre("q8_0"));
  EXPECT_THAT(pairing.pairs, ElementsAre("concurrency 1", "concurrency 4"));
}

TEST(Pairing, leaves_out_a_parameter_that_follows_from_another) {
  Selected a = side_of("f16", 1, {100}), b = side_of("q8_0", 2, {110});
  for (Selected* side : {&a, &b}) {
    side->parameters.emplace_back("num_prompts");
    for (Measured& row : side->rows) row.parameters.push_back(row.parameters[1] + "0");
  }
  EXPECT_THAT(pairing_of(a, b).paired_by, ElementsAre("concurrency"));
}

TEST(Pairing, lists_the_points_of_one_side_by_the_size_of_their_numbers) {
  Selected a = side_of("f16", 1, {100});
  const Selected b = side_of("q8_0", 2, {110});
  SideOf more{a};
  more.add(1, "f16", 16, 1).add(1, "f16", 8, 1);
  const Pairing pairing = pairing_of(more.selected, b);
  EXPECT_THAT(pairing.only_a, ElementsAre("concurrency 8", "concurrency 16"));
  EXPECT_TRUE(pairing.only_b.empty());
  EXPECT_EQ(pairing.pairs.size(), 2u);
}

TEST(Pairing, of_two_runs_of_one_matrix_is_by_everything_that_varies) {
  SideOf a{side_of("f16", 1, {100})}, b{side_of("f16", 2, {110})};
  a.add(1, "q8_0", 1, 1), b.add(2, "q8_0", 1, 1);
  const Pairing pairing = pairing_of(a.selected, b.selected);
  EXPECT_THAT(pairing.paired_by, ElementsAre("precision", "concurrency"));
  EXPECT_TRUE(pairing.differing.empty());
  EXPECT_EQ(pairing.pairs[0], "precision f16, concurrency 1");
}

TEST(Pairing, of_a_parameter_that_one_side_lacks_differs_from_no_value) {
  Selected a = side_of("f16", 1, {100});
  const Selected b = side_of("f16", 2, {110});
  a.parameters.emplace_back("tp");
  for (Measured& row : a.rows) row.parameters.emplace_back("2");
  const Pairing pairing = pairing_of(a, b);
  ASSERT_EQ(pairing.differing.size(), 1u);
  EXPECT_EQ(pairing.differing[0].parameter, "tp");
  EXPECT_THAT(pairing.differing[0].b, ElementsAre(""));
}

TEST(Pairing, of_sides_that_do_not_vary_is_one_pair) {
  SideOf a, b;
  a.add(1, "f16", 1, 100), b.add(2, "f16", 1, 100);
  EXPECT_THAT(pairing_of(a.selected, b.selected).pairs, ElementsAre("all"));
}

}  // namespace pairing_test
}  // namespace orch::compare
