#include "results/store/inbox.hpp"
#include "results/store/sample.hpp"

#include <sqlite3.h>

namespace orch::store {
namespace history_test {

using namespace sample;

// One run of one point, with all of its stages done.
void one_run(Store& store, int concurrency = 1) {
  Driver driver(store, make_plan({.concurrencies = {concurrency}}));
  driver.run_build();
  driver.run_bench(0, driver.run_serve(), measurement(10, 100));
  driver.commit();
}

TEST(History, has_the_duration_and_parameters_of_each_stage) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  one_run(store);
  const plan::Done done = *store.done();
  ASSERT_EQ(done.earlier.size(), 3u);
  EXPECT_EQ(done.earlier[0].stage, "build");
  EXPECT_EQ(done.earlier[0].parameters, (std::map<std::string, std::string>{{"model", "tiny"}}));
  EXPECT_TRUE(done.earlier[0].seconds);
  EXPECT_TRUE(done.earlier[0].bytes);
  EXPECT_EQ(done.earlier[0].digest, make_plan().stages[0].digest);
  EXPECT_EQ(done.earlier[1].stage, "serve");
  EXPECT_FALSE(done.earlier[1].bytes);
  EXPECT_EQ(done.earlier[2].parameters, (std::map<std::string, std::string>{{"concurrency", "1"}}));
}

// The instructions of SQLite that reading takes with N imported rows.
std::int64_t steps_with(int n) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  one_run(store);
  Publication publication{.token = {}, .experiment = "bench", .info = run_info(), .points = {}};
  for (int i = 0; i < n; ++i)
    publication.points.push_back(
        {.name = fmt::format("p{}", i),
         .parameters = {},
         .measurement = json{{"schema", 1}, {"measurements", {measurement(10, 100)}}}.dump(),
         .requests = {}});
  EXPECT_TRUE(publish(real_host().files, Layout{folder.path()}, publication).ok());
  EXPECT_TRUE(store.ingest().ok());
  std::int64_t steps = 0;
  sqlite3_progress_handler(
      store.database().handle(), 100,
      [](void* count) { return ++*static_cast<std::int64_t*>(count), 0; }, &steps);
  EXPECT_TRUE(store.done().ok());
  sqlite3_progress_handler(store.database().handle(), 0, nullptr, nullptr);
  return steps;
}

TEST(History, is_read_in_steps_that_grow_as_the_rows_do) {
  const std::int64_t few = steps_with(200), many = steps_with(800);
  EXPECT_GT(few, 10);
  EXPECT_LT(many, 6 * few);
}

// Of the server's 40 s, its start took 3.25 s and the one measurement 12.5 s.
TEST(History, limits_the_stop_time_of_a_server_to_its_lifetime_when_the_clock_is_set) {
  for (const auto& [set_by_s, seconds] :
       std::map<double, double>{{0, 3.25 + 5}, {86400, 40 - 12.5}, {-86400, 3.25}}) {
    const TemporaryFolder folder;
    Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    driver.run_build();
    const AttemptKey server = driver.run_serve();
    driver.run_bench(0, server, measurement(10, 100));  // ends at now + 20
    driver.journal->append(schedule::AttemptEnded{.attempt = server,
                                                  .ok = true,
                                                  .failure_class = "",
                                                  .message = "",
                                                  .process = {.code = 0, .signal = 0, .wall_s = 40},
                                                  .at = driver.now + 25 + set_by_s});
    driver.commit();
    EXPECT_DOUBLE_EQ(store.done()->earlier[1].seconds.value_or(-1), seconds) << set_by_s;
  }
}

TEST(History, has_the_machine_and_version_of_each_output) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  one_run(store);
  const plan::Done done = *store.done();
  const plan::Made& made = done.made.at(make_plan().stages[0].digest);
  EXPECT_EQ(made.run, 1);
  EXPECT_EQ(
      *made.provenance,
      (plan::Provenance{{"cpu_model", "Sample CPU"}, {"host", "here"}, {"orchestrate", "0.1.0"}}));
}

TEST(History, keeps_the_components_of_every_planned_stage_and_whether_it_was_made) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  one_run(store);
  Driver planned_only(store, make_plan({.concurrencies = {4}}));
  const plan::Ancestors ancestors = *store.ancestors("sample");
  ASSERT_EQ(ancestors.at("bench").size(), 2u);
  EXPECT_EQ(ancestors.at("bench")[0].run, 1);
  EXPECT_TRUE(ancestors.at("bench")[0].made);
  EXPECT_EQ(ancestors.at("bench")[0].points, (std::set<std::string>{"tiny_c1-aaaaaa"}));
  EXPECT_EQ(ancestors.at("bench")[0].components.list(),
            make_plan({.concurrencies = {1}}).stages[2].components.list());
  EXPECT_EQ(ancestors.at("bench")[1].run, 2);
  EXPECT_FALSE(ancestors.at("bench")[1].made);
  ASSERT_EQ(ancestors.at("build").size(), 1u);
  EXPECT_EQ(ancestors.at("build")[0].run, 2);  // planned again
  EXPECT_TRUE(ancestors.at("build")[0].made);
}

// A store whose build failed as CLASS with MESSAGE and LOG, judged by the table JUDGED_BY.
struct FailedBuild {
  const char* failure_class = "exit_status";
  const char* message = "ended with exit status 1";
  const char* log = "step 3 of 7\ncp: error writing 'a': No space left on device\n";
  std::string judged_by = "";  // an older version
};

plan::Done done_after(const FailedBuild& build, std::vector<std::string>* notices = nullptr) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  driver.judged_by = build.judged_by;
  const plan::Stage& stage = driver.stage_of("build");
  write_file(folder.path() / "logs" / (stage.id + ".log"), build.log);
  driver.end(driver.start(stage), build.failure_class, build.message);
  driver.commit();
  plan::Done done = *store.done();
  if (notices) *notices = store.notices();
  return done;
}

TEST(History, judges_a_failure_again_when_the_table_of_classes_has_changed) {
  std::vector<std::string> notices;
  EXPECT_TRUE(done_after({}, &notices).failed.empty());
  EXPECT_THAT(notices, testing::ElementsAre(
                           "stage build failed in run 1 as exit_status; the current table of "
                           "failure classes calls that disk_full, the fault of the machine or the "
                           "harness, so the stage is retried"));
  EXPECT_TRUE(done_after({.judged_by = "0123456789ab"}).failed.empty());
  // The table that judged it is the present one.
  EXPECT_EQ(done_after({.judged_by = attempt::failure_table_digest()}, &notices).failed.size(), 1u);
  EXPECT_THAT(notices, testing::IsEmpty());
}

TEST(History, keeps_a_failure_of_the_system_that_stays_one) {
  const plan::Done done =
      done_after({.message = "ended with exit status 1\nthe end of the log", .log = "step 3\n"});
  ASSERT_EQ(done.failed.size(), 1u);
  EXPECT_EQ(done.failed.begin()->second.failure_class, "exit_status");
  EXPECT_EQ(done.failed.begin()->second.message, "ended with exit status 1");
  EXPECT_EQ(
      done_after({.failure_class = "timeout", .message = "did not end within 9 s"}).failed.size(),
      1u);
}

TEST(History, forgives_a_missing_output_that_was_an_error_of_the_machine) {
  EXPECT_TRUE(done_after({.failure_class = "output_missing",
                          .message = "cannot open /store/attempts/x/out/a: Input/output error"})
                  .failed.empty());
  EXPECT_EQ(done_after({.failure_class = "output_missing",
                        .message = "the output 'a' is missing or empty"})
                .failed.size(),
            1u);
}

// A run in which the second point waits for a fact.
plan::Plan waiting_plan() {
  plan::Plan plan = make_plan();
  plan::Stage& waits = plan.stages.back();
  waits.digest = {};
  waits.status = plan::Status::undecided;
  plan.points.back().status = plan::Status::undecided;
  return plan;
}

TEST(AmendedPlan, replaces_undecided_stages_and_points_and_keeps_finished_ones) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, waiting_plan());
  driver.run_build();
  driver.commit();
  plan::Plan decided = make_plan();
  decided.stages[0].status = plan::Status::reuse;
  decided.stages.back().id = "bench-renamed";
  decided.points.back().stages.back() = "bench-renamed";
  ASSERT_TRUE(driver.journal->amend(decided, 1'700'000'900));
  auto text = [&](const std::string& sql) { return *store.database().query_text(sql); };
  EXPECT_EQ(text("SELECT group_concat(plan_id || '=' || state, ' ') FROM (SELECT * FROM run_stage "
                 "ORDER BY plan_id)"),
            fmt::format("{}=planned bench-renamed=planned {}=done {}=planned", decided.stages[2].id,
                        decided.stages[0].id, decided.stages[1].id));
  EXPECT_EQ(text("SELECT group_concat(name || '=' || status, ' ') FROM point"),
            "tiny_c1-aaaaaa=run tiny_c4-aaaaaa=run");
  EXPECT_EQ(*store.database().query_int("SELECT count(*) FROM point_stage"), 6);
  // Events of new stages have a row from now on.
  driver.plan = decided;
  driver.journal->append(schedule::StageMoved{
      .stage = "bench-renamed", .from = State::planned, .to = State::failed, .why = "no", .at = 1});
  EXPECT_TRUE(driver.journal->commit());
}

}  // namespace history_test
}  // namespace orch::store
