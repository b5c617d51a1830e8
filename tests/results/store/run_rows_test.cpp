// Runs as rows.
#include "results/store/run_rows.hpp"

#include "results/store/core.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace run_rows_test {

using namespace sample;

store::RunRecord run_of(std::string uid) {
  return {.id = 0,
          .uid = std::move(uid),
          .experiment = "quick",
          .runner = "sample",
          .info = run_info(),
          .pid = 1};
}

TEST(RunRows, a_stage_that_two_runs_plan_is_one_row_and_described_once) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  store::Core& core = store.core();
  const plan::Plan plan = make_plan();
  const store::PlanRecord record = store::record_of(plan);
  std::vector<std::size_t> made;
  const Status written = store::in_transaction(core, [&]() -> Status {
    for (const char* uid : {"a", "b"}) {
      ORCH_ASSIGN(store::RunRows rows, store::RunRows::begin(core, run_of(uid)));
      ORCH_ASSIGN(const auto contents, rows.write(record, 1));
      made.push_back(contents.size());
    }
    return {};
  });
  ASSERT_TRUE(written.ok()) << written.error().text();
  EXPECT_EQ(made, (std::vector<std::size_t>{plan.stages.size(), 0}));
  EXPECT_EQ(rows(folder.path(),
                 "SELECT (SELECT count(*) FROM stage), (SELECT count(*) FROM "
                 "run_stage), (SELECT count(*) FROM point)"),
            Rows{"4|8|4"});
  EXPECT_EQ(rows(folder.path(), "SELECT coalesce(outcome, '-') FROM run ORDER BY id"),
            (Rows{"died", "-"}))
      << "a run without an end has died when the next one begins";
}

TEST(RunRows, a_point_that_names_an_unknown_stage_is_an_error) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  store::Core& core = store.core();
  const plan::Plan plan = make_plan();
  store::PlanRecord record = store::record_of(plan);
  record.points[0].stages.push_back("nothing-1");
  const Status written = store::in_transaction(core, [&]() -> Status {
    ORCH_ASSIGN(store::RunRows rows, store::RunRows::begin(core, run_of("a")));
    ORCH_TRY(rows.write(record, 1));
    return {};
  });
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().text(), testing::HasSubstr("which is not in the plan"));
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM run"), Rows{"0"}) << "nothing was written";
}

}  // namespace run_rows_test
}  // namespace orch
