// The log files of points and stages.
#include "analysis/report/support.hpp"
#include "app/session/status.hpp"

namespace orch {
namespace logs_test {

using namespace sample;
using Logs = ReportTest;

TEST_F(Logs, logs_of_a_point_are_those_of_its_failed_stages_or_of_all) {
  const report::Named point{report::Named::Kind::point, "tiny_c1-aaaaaa"};
  auto names = [&] {
    std::vector<std::string> out;
    store_.reset();
    const auto logs = report::logs_of(reader().database(), "/store", point);
    for (const auto& log : *logs)
      out.push_back(log.stage.substr(0, 5) + " " + std::to_string(log.attempt) + " " + log.state +
                    " " + log.file.string().substr(0, 18));
    store_.reset();
    return out;
  };
  EXPECT_EQ(names(),
            (Rows{"build 1 done /store/logs/build-", "serve 1 not ended /store/logs/serve-",
                  "bench 1 done /store/logs/bench-"}));
  {
    store::Store store = open_store(folder_.path());
    Driver driver(store, make_plan());
    driver.end(driver.start(driver.stage_of("build")), "out_of_memory", "killed");
    driver.commit();
  }
  EXPECT_EQ(names(), Rows{"build 2 failed: out_of_memory /store/logs/build-"});
}

TEST_F(Logs, of_a_measurement_whose_server_died_have_its_class) {
  const report::Named point{report::Named::Kind::point, "tiny_c1-aaaaaa"};
  const auto state = [&] {
    const auto logs = report::logs_of(reader().database(), "/store", point);
    store_.reset();
    return logs->front().stage.substr(0, 5) + " " + logs->front().state;
  };
  store::Store store = open_store(folder_.path());
  Driver driver(store, make_plan());
  const AttemptKey bench = driver.run_bench(0, {}, invalid_measurement({"no request succeeded"}));
  driver.commit();
  EXPECT_EQ(state(), "bench failed: invalid_measurement");
  driver.journal->append(schedule::StageMoved{.stage = bench.stage,
                                              .from = State::done,
                                              .to = State::failed,
                                              .why = "server_crash: ended by SIGSEGV: 11",
                                              .at = driver.now});
  driver.commit();
  EXPECT_EQ(state(), "bench failed: server_crash");
}

TEST_F(Logs, logs_of_a_stage_that_never_started_are_an_error) {
  {
    store::Store store = open_store(folder_.path());
    Driver driver(store, make_plan({.concurrencies = {9}}));
  }
  const plan::Plan plan = make_plan({.concurrencies = {9}});
  const auto logs = report::logs_of(reader().database(), "/store",
                                    {report::Named::Kind::stage, plan.stages[2].id});
  EXPECT_EQ(
      logs.error().text(),
      fmt::format(
          "{0} has not been started, so it has no log; `orchestrate show {0}` gives the reason",
          plan.stages[2].id));
}

}  // namespace logs_test
}  // namespace orch
