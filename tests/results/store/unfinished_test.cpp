// The attempts that a dead run leaves, and how the next run treats them.
#include "app/session/status.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace unfinished_test {

using namespace sample;
using schedule::Unfinished;
using store::Mode;
using store::Store;

// A run that dies with a server up, one measurement recorded and another in progress.
void leave_a_server(const std::filesystem::path& root) {
  Store store = open_store(root);
  Driver driver(store, make_plan());
  driver.run_build();
  const AttemptKey session = driver.run_serve();
  driver.run_bench(0, session, measurement(10, 100));
  driver.start(driver.stage_of("bench", 1));
  driver.commit();
}

TEST(Unfinished, lists_attempts_of_a_dead_run_without_an_end) {
  const TemporaryFolder folder;
  leave_a_server(folder.path());
  Store store = open_store(folder.path());
  const plan::Plan plan = make_plan();
  const auto left = *store.unfinished();
  ASSERT_EQ(left.size(), 2u);
  const Unfinished& server = left[0];
  EXPECT_EQ(server.attempt, (AttemptKey{plan.stages[1].id, 1}));
  EXPECT_EQ(server.kind, runner::Kind::service);
  EXPECT_EQ(server.token, token_of(server.attempt));
  EXPECT_EQ(server.process, token_of(server.attempt));
  EXPECT_EQ(server.ports, (std::map<std::string, int>{{"http", 8000}}));
  EXPECT_EQ(server.log, "logs/" + plan.stages[1].id + ".log");
  EXPECT_EQ(server.host, "here");
  EXPECT_TRUE(server.ready);
  EXPECT_EQ(server.measured, 1);
  EXPECT_EQ(server.attempts,
            (std::map<plan::StageId, int>{{plan.stages[2].id, 1}, {plan.stages[3].id, 1}}));
  const Unfinished& bench = left[1];
  EXPECT_EQ(bench.attempt, (AttemptKey{plan.stages[3].id, 1}));
  EXPECT_EQ(bench.kind, runner::Kind::measure);
  EXPECT_FALSE(bench.ready);
}

TEST(Unfinished, is_the_same_before_and_after_the_next_run_begins) {
  const TemporaryFolder folder;
  leave_a_server(folder.path());
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  driver.start(driver.stage_of("bench", 1));  // its own attempts are not unfinished
  driver.commit();
  EXPECT_EQ(store.unfinished()->size(), 2u);
}

TEST(Unfinished, cancels_every_stage_of_a_dead_run) {
  const TemporaryFolder folder;
  leave_a_server(folder.path());
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  EXPECT_EQ(rows(folder.path(), "SELECT name, state, why FROM stages WHERE run = 1 ORDER BY stage"),
            (Rows{"bench|done|nothing on record", "bench|cancelled|the run died",
                  "build|done|nothing on record", "serve|cancelled|the run died"}));
  const auto status =
      report::read_status(store.database(), {.run = 1, .holder = "somebody", .now = 0});
  EXPECT_EQ(status->state, "died");
  EXPECT_TRUE(status->working.empty());
}

TEST(Adopted, attempt_belongs_to_the_run_that_adopted_it) {
  const TemporaryFolder folder;
  leave_a_server(folder.path());
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  const AttemptKey server{driver.stage_of("serve").id, 1};
  driver.journal->append(
      schedule::AttemptAdopted{.attempt = server, .token = token_of(server), .at = 50});
  driver.commit();
  EXPECT_EQ(rows(folder.path(),
                 "SELECT a.run_id, a.adopted_from FROM attempt a WHERE token LIKE 'serve%'"),
            Rows{"2|1"});
  EXPECT_EQ(rows(folder.path(), "SELECT stage, attempt, detail FROM event WHERE kind = 'adopted'"),
            Rows{server.stage + "|1|{\"from_run\":1}"});
  EXPECT_EQ(store.unfinished()->size(), 1u);
  driver.run_bench(1, server, measurement(11, 100));
  driver.end(server);
  driver.commit();
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM service_session"), Rows{"1"});
  EXPECT_EQ(
      rows(folder.path(), "SELECT run, attempts FROM stages WHERE name = 'serve' ORDER BY run"),
      (Rows{"1|0", "2|1"}));
}

TEST(Lost, attempt_is_ended_and_counts_as_no_failure) {
  const TemporaryFolder folder;
  leave_a_server(folder.path());
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.experiment = "other",
                                  .concurrencies = {64}}));  // does not plan the lost measurement
  const std::string token = token_of({make_plan().stages[3].id, 1});
  driver.journal->append(
      schedule::AttemptLost{.token = token, .why = "the host was started again", .at = 60});
  driver.journal->append(schedule::AttemptLost{.token = token, .why = "reported twice", .at = 61});
  driver.commit();
  EXPECT_EQ(rows(folder.path(),
                 "SELECT run_id, ok, failure_class, failure_kind, message, ended_at FROM attempt "
                 "WHERE token = '" +
                     token + "'"),
            Rows{"1|0|lost|-|the host was started again|60.0"});
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM failures"), Rows{"0"});
  EXPECT_EQ(rows(folder.path(), "SELECT run_id, attempt, detail FROM event WHERE kind = 'lost'"),
            Rows{"2|1|{\"why\":\"the host was started again\"}"});
  EXPECT_EQ(store.unfinished()->size(), 1u);
  EXPECT_TRUE(store.done()->failed.empty());
}

struct Budget : testing::Test {
  TemporaryFolder folder;

  int failures_in_a_run_after(const std::vector<std::optional<store::Outcome>>& outcomes) {
    for (const auto& outcome : outcomes) {
      Store store = open_store(folder.path());
      Driver driver(store, make_plan());
      driver.end(driver.start(driver.stage_of("build")), "network", "no answer",
                 attempt::FailureKind::harness);
      driver.end(driver.start(driver.stage_of("build")), "crash", "it crashed",
                 attempt::FailureKind::system);
      driver.commit();
      if (outcome) driver.finish(*outcome);
    }
    Store store = open_store(folder.path());
    Driver driver(store, make_plan());
    return driver.journal->failures_so_far(driver.stage_of("build").id).value();
  }
};

TEST_F(Budget, counts_harness_failures_of_runs_that_died) {
  EXPECT_EQ(failures_in_a_run_after({std::nullopt, std::nullopt}), 2);
}
TEST_F(Budget, is_fresh_after_a_run_that_ended) {
  EXPECT_EQ(failures_in_a_run_after({std::nullopt, store::Outcome::failed}), 0);
}
TEST_F(Budget, of_a_dead_run_does_not_include_earlier_ended_runs) {
  EXPECT_EQ(failures_in_a_run_after({store::Outcome::interrupted, std::nullopt}), 1);
}

TEST_F(Budget, counts_committed_failures_and_no_lost_attempts) {
  leave_a_server(folder.path());
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  const plan::StageId& bench = driver.stage_of("bench", 1).id;
  driver.journal->append(schedule::AttemptLost{.token = bench + "-1", .why = "gone", .at = 1});
  driver.commit();
  EXPECT_EQ(driver.journal->failures_so_far(bench).value(), 0);
  driver.end(driver.start(driver.stage_of("bench", 1)), "network", "no answer",
             attempt::FailureKind::harness);
  EXPECT_EQ(driver.journal->failures_so_far(bench).value(),
            0);  // not committed: the caller counts it
  driver.commit();
  EXPECT_EQ(driver.journal->failures_so_far(bench).value(), 1);
}

TEST(Fence, passes_only_the_newest_attempt_of_a_stage) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  const AttemptKey first = driver.start(driver.stage_of("build"));
  EXPECT_TRUE(driver.journal->is_current(first, token_of(first)).value());
  driver.commit();
  EXPECT_TRUE(driver.journal->is_current(first, token_of(first)).value());
  EXPECT_FALSE(driver.journal->is_current(first, "another").value());
  const AttemptKey second = driver.start(driver.stage_of("build"));
  EXPECT_FALSE(driver.journal->is_current(first, token_of(first)).value());  // not yet committed
  driver.commit();
  EXPECT_FALSE(driver.journal->is_current(first, token_of(first)).value());
  EXPECT_TRUE(driver.journal->is_current(second, token_of(second)).value());
  EXPECT_FALSE(driver.journal->is_current({"ghost-1", 1}, "ghost-1-1").value());
}

}  // namespace unfinished_test
}  // namespace orch
