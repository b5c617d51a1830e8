// The status of runs.
#include "app/session/status.hpp"

#include "analysis/report/support.hpp"
#include "results/tables/statements.hpp"

namespace orch {
namespace status_test {

using namespace sample;
using Status = ReportTest;

TEST_F(Status, status_has_counts_running_stages_and_an_estimate) {
  store::Store store = open_store(folder_.path());
  plan::Plan plan = make_plan({.concurrencies = {1, 4, 16}});
  plan.stages[0].status = plan::Status::reuse;
  plan.points.push_back({.point = {}, .status = plan::Status::reject, .why = "rule", .stages = {}});
  plan.points.back().point.name = "refused-bbbbbb";
  Driver driver(store, plan);
  driver.now = 1'700'000'100;
  const AttemptKey session = driver.run_serve();
  driver.run_bench(0, session, measurement(1, 1));
  driver.end(driver.start(driver.stage_of("bench", 1)), "server_died", "it went away\nlast line");
  driver.commit();
  const auto status = report::read_status(
      reader().database(), {.run = {}, .holder = "pid 1 on here since now", .now = 1'700'000'111});
  ASSERT_TRUE(status.ok()) << status.error().text();
  EXPECT_EQ(report::status_text(*status),
            fmt::format(
                "run 2 of quick: running (pid 1 on here since now), started 2023-11-14T22:13:20Z\n"
                "  command: orchestrate run quick.yaml\n"
                "  points:  1 done, 1 failed, 1 left, 1 rejected\n"
                "  stages:  1 done, 1 failed, 1 planned, 1 reused, 1 running\n"
                "  now:     {} running for 10.0 s\n"
                "  failed:  {} (server_died, 1 point): it went away\n"
                "  left:    about 12.5 s of work, one stage after the other\n",
                driver.stage_of("serve").id, driver.stage_of("bench", 1).id));
  const json object = json::parse(report::status_json(*status));
  EXPECT_EQ(object["points"], (json{{"done", 1}, {"failed", 1}, {"left", 1}, {"rejected", 1}}));
  EXPECT_EQ(object["left_s"], 12.5);
}

TEST_F(Status, points_of_a_run_until_a_stage_are_not_measured) {
  store::Store store = open_store(folder_.path());
  plan::Plan plan = make_plan({.concurrencies = {1, 4}});
  for (plan::Stage& stage : plan.stages)
    if (stage.spec.name != "build") stage.status = plan::Status::idle;
  Driver driver(store, plan);
  driver.run_build();
  driver.commit();
  driver.finish(store::Outcome::done);
  const auto status =
      report::read_status(reader().database(), {.run = {}, .holder = {}, .now = 1'700'000'111});
  ASSERT_TRUE(status.ok()) << status.error().text();
  EXPECT_EQ(status->points, (std::map<std::string, std::int64_t>{{"not measured", 2}}));
}

TEST_F(Status, status_has_the_jobs_of_a_cluster) {
  store::Store store = open_store(folder_.path());
  Driver driver(store, make_plan({.concurrencies = {1, 4}}));
  driver.now = 1'700'000'100;
  driver.run_serve();
  driver.commit();
  std::string process;
  ASSERT_TRUE(tables::Statements(reader().database())
                  .rows("SELECT process FROM attempt WHERE ended_at IS NULL",
                        [&](sql::Statement& row) { process = row.column_text(0); })
                  .ok());
  const auto shown = [&](const slurm::ShownJob& job) {
    const auto status = report::read_status(
        reader().database(),
        {.run = {}, .holder = "pid 1", .now = 1'700'000'111, .jobs = {{process, job}}});
    EXPECT_TRUE(status.ok());
    return std::pair(report::status_text(*status),
                     json::parse(report::status_json(*status))["working"][0]["job"]);
  };
  const std::string serve = driver.stage_of("serve").id;
  auto [text, job] = shown({.id = "12_3", .state = "PENDING", .reason = "JobHeldAdmin"});
  EXPECT_NE(text.find("  now:     " + serve + " queued for 10.0 s (job 12_3 held: JobHeldAdmin)\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(job, (json{{"id", "12_3"},
                       {"state", "PENDING"},
                       {"reason", "JobHeldAdmin"},
                       {"node", ""},
                       {"held", true}}));
  std::tie(text, job) = shown({.id = "12_3", .state = "RUNNING", .node = "n1"});
  EXPECT_NE(text.find(serve + " running for 10.0 s (job 12_3 running on n1)\n"), std::string::npos)
      << text;
}

TEST_F(Status, status_of_a_run_without_a_process_is_died) {
  {
    store::Store store = open_store(folder_.path());
    Driver driver(store, make_plan());
  }
  const auto died = report::read_status(reader().database(), {.run = {}, .holder = {}, .now = 0});
  EXPECT_EQ(died->state, "died");
  EXPECT_TRUE(report::status_text(*died).ends_with("  to continue: orchestrate resume\n"));
  EXPECT_EQ(report::read_status(reader().database(), {.run = 1, .holder = {}, .now = 0})->state,
            "done");
  EXPECT_EQ(
      report::read_status(reader().database(), {.run = 5, .holder = {}, .now = 0}).error().kind,
      ErrorKind::not_found);
}

TEST_F(Status, mean_stage_seconds_are_wall_times_and_start_times_of_servers) {
  const auto means = report::mean_stage_seconds(reader().database());
  ASSERT_TRUE(means.ok());
  EXPECT_EQ(ask("SELECT name, printf('%g', avg(wall_s)) AS s FROM stages WHERE name = 'build' "
                "GROUP BY name"),
            fmt::format("name,s\nbuild,{:g}\n", means->at("build")));
  EXPECT_EQ(ask("SELECT printf('%g', max(server_start_s)) AS s FROM results"),
            fmt::format("s\n{:g}\n", means->at("serve")));
}

}  // namespace status_test
}  // namespace orch
