// What something needs of a store, and what nothing does.
#include "results/keep/inventory.hpp"

#include "results/keep/support.hpp"

namespace orch {
namespace inventory_test {

using namespace sample;
using Inventory = KeepTest;

std::string build_of(const plan::Plan& plan) { return "artifacts/" + plan.stages[0].id; }

TEST_F(Inventory, of_a_store_whose_points_are_all_shown_has_nothing_unneeded) {
  two_experiments();
  EXPECT_EQ(unneeded(items()), Rows{});
  EXPECT_GE(items().size(), 4u);
}

TEST_F(Inventory, needs_nothing_of_an_experiment_that_was_forgotten_but_what_others_use) {
  two_experiments();
  ASSERT_TRUE(forget("quick"));
  const Rows left = unneeded(items());
  ASSERT_EQ(left.size(), 1u) << testing::PrintToString(left);
  EXPECT_THAT(left[0], testing::MatchesRegex("measurement artifacts/bench-.*-1/out: its point is "
                                             "no longer in any experiment"));
  ASSERT_TRUE(forget("other"));
  EXPECT_THAT(unneeded(items()), testing::Contains("output " + build_of(make_plan()) +
                                                   ": no experiment has a point that uses it"));
}

// The plan of a runner whose scripts have changed: other digests, and names to match.
plan::Plan changed_plan() {
  plan::Plan plan = make_plan();
  std::map<plan::StageId, plan::StageId> ids;
  for (plan::Stage& stage : plan.stages) {
    stage.components.add("script", "changed");
    stage.digest = stage.components.digest();
    const plan::StageId id = stage.spec.name + "-" + stage.digest.prefix(8);
    ids[stage.id] = id;
    stage.id = id;
    for (auto& [name, needed] : stage.needs) needed = ids.at(needed);
  }
  for (plan::PlannedPoint& point : plan.points)
    for (plan::StageId& stage : point.stages) stage = ids.at(stage);
  return plan;
}

TEST_F(Inventory, does_not_need_an_output_that_newer_plans_have_replaced) {
  run();
  {
    store::Store store = open_store(store_.path());
    KeepTest::run(store, changed_plan(), 10, true);
  }
  EXPECT_EQ(unneeded(items()), Rows{"output " + build_of(make_plan()) +
                                    ": newer plans of its points use another output"});
}

TEST_F(Inventory, keeps_the_outputs_of_points_that_the_user_names) {
  run();
  {
    store::Store store = open_store(store_.path());
    KeepTest::run(store, changed_plan(), 10, true);
  }
  EXPECT_EQ(unneeded(items({.keep = "concurrency = 4"})), Rows{});
  EXPECT_EQ(unneeded(items({.keep = "concurrency = 5"})).size(), 1u);
}

TEST_F(Inventory, refuses_a_condition_that_is_none) {
  run();
  store::Store store = open_store(store_.path(), store::Mode::read);
  for (const char* sql : {"no_such_column = 1", "1) ; DROP TABLE point; --", "1"}) {
    const auto found = keep::inventory(store, files_, {.keep = sql});
    EXPECT_EQ(found.ok(), std::string(sql) == "1") << sql;
  }
  EXPECT_NE(rows("SELECT count(*) FROM point").front(), "0");
}

TEST_F(Inventory, needs_the_inputs_of_an_attempt_that_has_no_end) {
  run();
  {
    auto database = sql::Database::open((store_.path() / "results.db").string());
    ASSERT_TRUE(database->execute(
        "DELETE FROM point_stage; UPDATE "
        "attempt SET ended_at = NULL WHERE stage_id = (SELECT id FROM stage WHERE name = "
        "'serve')"));
  }
  for (const std::string& line : unneeded(items()))
    EXPECT_THAT(line, testing::Not(testing::HasSubstr("output"))) << "the server reads the build";
}

TEST_F(Inventory, evicts_what_was_not_used_for_longest_until_the_rest_fits) {
  std::vector<keep::Item> all;
  for (int i = 0; i < 4; ++i)
    all.push_back({.path = fmt::format("artifacts/{}", i),
                   .bytes = 100,
                   .is_needed = true,
                   .used_at = 10.0 - i,
                   .may_be_evicted = i != 3});
  keep::evict(all, 250);
  EXPECT_FALSE(all[2].is_needed) << "older than 0 and 1; 3 may not go";
  EXPECT_FALSE(all[1].is_needed);
  EXPECT_TRUE(all[0].is_needed);
  EXPECT_TRUE(all[3].is_needed);
  keep::evict(all, 0);
  EXPECT_TRUE(all[3].is_needed) << "a point still waits for it";
  EXPECT_FALSE(all[0].is_needed);
}

TEST_F(Inventory, holds_the_outputs_of_points_that_still_lack_a_measurement) {
  run();
  const auto of_build = [&] {
    for (const keep::Item& item : items())
      if (item.path == build_of(make_plan())) return item.may_be_evicted;
    return false;
  };
  EXPECT_TRUE(of_build());
  {
    auto database = sql::Database::open((store_.path() / "results.db").string());
    ASSERT_TRUE(database->execute("UPDATE measurement SET valid = 0 WHERE id = 2"));
  }
  EXPECT_FALSE(of_build());
}

}  // namespace inventory_test
}  // namespace orch
