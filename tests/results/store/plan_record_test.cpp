// Plans and runs as facts.
#include "results/store/plan_record.hpp"

#include "core/base/fields_json.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace plan_record_test {

using namespace sample;

Value fact(const std::string& text) { return parse_value(text).value_or(Value()); }

TEST(PlanRecord, a_plan_is_read_as_it_was_written) {
  const plan::Plan plan = make_plan();
  const store::PlanRecord record = store::record_of(plan);
  std::map<std::size_t, store::StageContent> made;
  for (std::size_t i = 0; i < record.stages.size(); ++i) made[i] = record.content(i).value();
  const auto read = store::parse_plan(fact(store::to_fact(record, made, true, 5)));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_TRUE(read->amended);
  EXPECT_EQ(read->at, 5);
  ASSERT_EQ(read->plan.stages.size(), plan.stages.size());
  EXPECT_EQ(read->plan.stages[1].needs, plan.stages[1].needs);
  EXPECT_EQ(read->plan.points[0].parameters, record.points[0].parameters);
  EXPECT_EQ(read->plan.content(1).value().argv, made[1].argv);
}

TEST(PlanRecord, a_plan_lacks_the_content_that_an_earlier_record_has) {
  const plan::Plan plan = make_plan();
  const auto read = store::parse_plan(fact(store::to_fact(store::record_of(plan), {}, false, 5)));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->plan.content(0).error().text(), "no record describes a planned stage");
}

TEST(PlanRecord, a_run_is_read_as_it_was_written) {
  const store::RunRecord run{.id = 3,
                             .uid = std::string(32, 'a'),
                             .experiment = "quick",
                             .runner = "sample",
                             .info = run_info(),
                             .pid = 9};
  const auto read = store::parse_run(fact(store::to_fact(run)));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->uid, run.uid);
  EXPECT_EQ(read->info.command, run.info.command);
  EXPECT_EQ(read->info.machine, run.info.machine);
  EXPECT_EQ(read->pid, 9);
}

TEST(PlanRecord, what_is_no_fact_is_an_error) {
  EXPECT_FALSE(store::parse_run(fact("{}")).ok());
  EXPECT_FALSE(store::parse_plan(fact(R"({"planned":{"at":1,"stages":[[1]],"points":[]}})")).ok());
}

}  // namespace plan_record_test
}  // namespace orch
