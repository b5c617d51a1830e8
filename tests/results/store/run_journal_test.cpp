// Events become rows: one transaction per commit, no event twice, and none lost without an error.
#include "results/store/rebuild.hpp"
#include "results/store/sample.hpp"

#include <sqlite3.h>

namespace orch {
namespace run_journal_test {

using namespace sample;
using store::Mode;
using store::Store;

TEST(Journal, shows_nothing_before_commit_and_everything_after) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  driver.run_build();
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM attempt"), Rows{"0"});
  driver.commit();
  EXPECT_EQ(rows(folder.path(),
                 "SELECT number, argv, env, log, ports, pid, start_ticks, ok, exit_code, signal, "
                 "failure_class, wall_s, cpu_s, max_rss_bytes FROM attempt"),
            (Rows{fmt::format("1|[\"/usr/bin/build\",\"--go\"]|{{\"K\":\"v\"}}|logs/"
                              "{}.log|{{\"http\":8000}}|4242|77|1|0|-|-|12.5|10.0|1048576",
                              driver.stage_of("build").id)}));
  EXPECT_EQ(rows(folder.path(), "SELECT path, bytes, files, in_place FROM artifact"),
            (Rows{"artifacts/" + driver.stage_of("build").id + "|1073741824|1|0"}));
  EXPECT_EQ(rows(folder.path(), "SELECT group_concat(kind, ' ') FROM event"),
            Rows{"moved intended spawned moved published ended moved"});
}

TEST(Journal, makes_one_transaction_of_a_commit) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  static int commits;
  commits = 0;
  sqlite3_commit_hook(
      store.database().handle(), [](void*) { return ++commits, 0; }, nullptr);
  driver.run_build();
  const AttemptKey session = driver.run_serve();
  driver.run_bench(0, session, measurement(1, 1));
  driver.run_bench(1, session, measurement(2, 2));
  driver.commit();
  EXPECT_EQ(commits, 1);
  driver.commit();  // no events
  EXPECT_EQ(commits, 1);
}

TEST(Journal, reports_a_failed_commit_and_every_later_one) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  driver.run_build();
  sqlite3_commit_hook(
      store.database().handle(), [](void*) { return 1; }, nullptr);  // the commit fails
  const Status first = driver.journal->commit();
  ASSERT_FALSE(first.ok());
  EXPECT_EQ(first.error().text(),
            fmt::format(
                "run 1 cannot be recorded in {}/results.db: SQLite: constraint failed, in: COMMIT",
                store.layout().root.string()));
  sqlite3_commit_hook(store.database().handle(), nullptr, nullptr);
  EXPECT_FALSE(driver.journal->commit().ok());
  EXPECT_FALSE(driver.journal->finish(store::Outcome::done, 1).ok());
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM attempt"), Rows{"0"});
  EXPECT_EQ(rows(folder.path(), "SELECT outcome FROM run"), Rows{"-"});
}

TEST(Journal, columns_added_in_a_commit_that_failed_are_added_again) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  const plan::Plan plan = make_plan({.concurrencies = {1}});
  sqlite3_commit_hook(
      store.database().handle(), [](void*) { return 1; }, nullptr);
  EXPECT_FALSE(store.begin_run(plan, run_info()).ok());
  sqlite3_commit_hook(store.database().handle(), nullptr, nullptr);
  Driver driver(store, plan);
  driver.run_bench(0, driver.run_serve(), measurement(10, 100));
  driver.commit();
  EXPECT_EQ(rows(folder.path(), "SELECT model, concurrency, ttft_ms FROM results"),
            Rows{"tiny|1|10.0"});
}

TEST(Journal, numbers_attempts_of_a_stage_over_all_runs) {
  const TemporaryFolder folder;
  {
    Store store = open_store(folder.path());
    Driver driver(store, make_plan());
    EXPECT_EQ(driver.journal->next_attempt(driver.stage_of("build").id).value(), 1);
    driver.end(driver.start(driver.stage_of("build")), "network", "down");
    EXPECT_EQ(driver.journal->next_attempt(driver.stage_of("build").id).value(),
              2);  // not yet committed
    driver.end(driver.start(driver.stage_of("build")), "network", "down");
    driver.commit();
  }
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.experiment = "other"}));
  EXPECT_EQ(driver.journal->next_attempt(driver.stage_of("build").id).value(), 3);
  EXPECT_EQ(driver.journal->next_attempt(driver.stage_of("serve").id).value(), 1);
}

TEST(Journal, knows_outputs_that_only_its_experiment_uses_and_removes_them) {
  const TemporaryFolder folder;
  {
    Store store = open_store(folder.path());
    Driver driver(store, make_plan());
    const std::string build = driver.stage_of("build").id;
    driver.run_build();
    EXPECT_EQ(driver.journal->makers_of(build).value(), std::vector<std::string>())
        << "not committed";
    driver.commit();
    EXPECT_EQ(driver.journal->makers_of(build)->size(), 1u);
    EXPECT_EQ(driver.journal->makers_of(driver.stage_of("serve").id)->size(), 0u);
  }
  Store store = open_store(folder.path());
  Driver other(store, make_plan({.experiment = "other"}));
  const std::string build = other.stage_of("build").id;
  EXPECT_EQ(other.journal->makers_of(build)->size(), 0u) << "the first experiment uses it too";
  const auto token = rows(folder.path(), "SELECT token FROM attempt").front();
  other.journal->append(schedule::OutputRemoved{.stage = build, .tokens = {token}, .at = 9});
  other.commit();
  EXPECT_EQ(rows(folder.path(), "SELECT removed_at FROM artifact"), Rows{"9.0"});
  EXPECT_EQ(other.journal->removed_outputs()->size(), 1u);
  ASSERT_TRUE(store.database().execute("UPDATE artifact SET path = 'artifacts/../../precious'"));
  EXPECT_EQ(other.journal->removed_outputs()->size(), 0u) << "no folder of the store's runs";
  EXPECT_FALSE(store.done()->made.contains(other.stage_of("build").digest));
}

TEST(Journal, an_event_appended_twice_changes_nothing) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  for (int time = 0; time < 2; ++time) {
    const AttemptKey build{driver.stage_of("build").id, 1}, serve{driver.stage_of("serve").id, 1},
        bench{driver.stage_of("bench").id, 1};
    for (const AttemptKey& key : {build, serve, bench})
      driver.journal->append(schedule::AttemptIntended{.attempt = key,
                                                       .token = "t-" + key.stage,
                                                       .process = {},
                                                       .argv = {},
                                                       .env = {},
                                                       .work = "",
                                                       .log = "",
                                                       .ports = {},
                                                       .at = 1});
    driver.journal->append(schedule::ServiceReady{.attempt = serve, .start_s = 2, .at = 2});
    driver.journal->append(schedule::ArtifactPublished{.attempt = build,
                                                       .path = "artifacts/b",
                                                       .in_place = false,
                                                       .not_cacheable = {},
                                                       .files = {{"f", 1, "aa"}},
                                                       .at = 3});
    write_record(store.layout().at("artifacts/m"), measurement(10, 100));
    driver.journal->append(schedule::MeasurementProduced{
        .attempt = bench, .session = serve, .path = "artifacts/m", .order = 1, .at = 4});
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(),
                 "SELECT (SELECT count(*) FROM attempt), (SELECT count(*) FROM artifact), (SELECT "
                 "count(*) FROM artifact_file), (SELECT count(*) FROM service_session), "
                 "(SELECT count(*) FROM measurement), (SELECT count(*) FROM request), (SELECT "
                 "count(*) FROM answers)"),
            Rows{"3|1|1|1|1|2|2"});
}

TEST(Journal, two_attempts_with_one_number_are_an_error) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  for (const char* token : {"one", "two"})
    driver.journal->append(schedule::AttemptIntended{.attempt = {driver.stage_of("build").id, 1},
                                                     .token = token,
                                                     .process = {},
                                                     .argv = {},
                                                     .env = {},
                                                     .work = "",
                                                     .log = "",
                                                     .ports = {},
                                                     .at = 1});
  const Status status = driver.journal->commit();
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().text(),
              testing::HasSubstr("UNIQUE constraint failed: attempt.stage_id, attempt.number"));
}

TEST(Journal, an_event_of_a_stage_that_was_not_planned_is_an_error) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  driver.journal->append(schedule::StageMoved{
      .stage = "ghost-00000000", .from = State::planned, .to = State::ready, .why = "", .at = 1});
  EXPECT_THAT(driver.journal->commit().error().text(),
              testing::EndsWith("stage ghost-00000000 is not in the plan of run 1"));
}

TEST(Journal, reports_why_a_measurement_is_invalid) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  const AttemptKey session = driver.run_serve();
  const AttemptKey bad = driver.run_bench(0, session, invalid_measurement({"the client was busy"}));
  const AttemptKey good = driver.run_bench(0, session, measurement(1, 1));
  driver.commit();
  EXPECT_EQ(driver.journal->invalid_reasons(bad), "the client was busy");
  EXPECT_EQ(driver.journal->invalid_reasons(good), "");
  EXPECT_EQ(driver.journal->invalid_reasons(session), "no measurement was recorded");
}

TEST(Journal, an_invalid_measurement_has_a_reason_even_if_the_record_lacks_one) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  const AttemptKey session = driver.run_serve();
  const AttemptKey bad = driver.run_bench(0, session, invalid_measurement({""}));
  driver.commit();
  EXPECT_EQ(driver.journal->invalid_reasons(bad), "the load generator gave no reason");
  EXPECT_EQ(rows(folder.path(), "SELECT reasons FROM results_all"),
            Rows{"the load generator gave no reason"});
  ASSERT_TRUE(
      store.database().execute("UPDATE measurement SET reasons = ''").ok());  // as in older stores
  EXPECT_EQ(driver.journal->invalid_reasons(bad), "the load generator gave no reason");
}

// A malformed record and the reason in its row.
struct BadRecord {
  const char* name;
  const char* measurement_json;
  const char* requests_jsonl;
  const char* reason;
};

class BadRecords : public testing::TestWithParam<BadRecord> {};

TEST_P(BadRecords, make_an_invalid_row_and_do_not_stop_the_run) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  const AttemptKey key = driver.start(driver.stage_of("bench"));
  write_file(store.layout().at("artifacts/m/measurement.json"), GetParam().measurement_json);
  if (GetParam().requests_jsonl)
    write_file(store.layout().at("artifacts/m/requests.jsonl"), GetParam().requests_jsonl);
  driver.journal->append(schedule::MeasurementProduced{
      .attempt = key, .session = {}, .path = "artifacts/m", .order = 1, .at = 4});
  driver.commit();
  EXPECT_EQ(driver.journal->invalid_reasons(key),
            std::string("the record cannot be read: ") + GetParam().reason);
  EXPECT_EQ(rows(folder.path(), "SELECT valid FROM results_all"), Rows{"0"});
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadRecords,
    testing::Values(
        BadRecord{"no_json", "{\"schema\": 1, ", "", "measurement.json: not JSON"},
        BadRecord{"newer", R"({"schema": 2, "measurements": []})", "",
                  "measurement.json: schema 2; this program reads 1"},
        BadRecord{"empty", R"({"schema": 1, "measurements": []})", "",
                  "measurement.json: it contains no measurements"},
        BadRecord{"no_verdict", R"({"schema": 1, "measurements": [{"metrics": {}}]})", "",
                  "measurement.json: a measurement without 'valid': true or false"},
        BadRecord{"broken_line", R"({"schema": 1, "measurements": [{"valid": true}]})",
                  "{\"index\": 0}\n{\"index\":", "requests.jsonl:2: not a JSON object"},
        BadRecord{"stray_line", R"({"schema": 1, "measurements": [{"valid": true}]})",
                  "{\"measurement\": 1}\n",
                  "requests.jsonl:1: measurement 1 is not in measurement.json"},
        BadRecord{"bad_gap", R"({"schema": 1, "measurements": [{"valid": true}]})",
                  "{\"gaps_ns\": [1, -1]}\n",
                  "requests.jsonl:1: gaps_ns holds a value that is not a non-negative integer"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(Journal, a_record_with_too_deep_nesting_is_refused) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  json deep = measurement(1, 1);
  for (int depth = 0; depth < 100; ++depth) deep["load"] = json{{"x", deep["load"]}};
  const AttemptKey key = driver.run_bench(0, {}, deep);
  driver.commit();
  EXPECT_EQ(driver.journal->invalid_reasons(key),
            "the record cannot be read: measurement.json: nested deeper than 16");
}

TEST(Journal, keeps_what_a_failure_was_judged_by) {
  const TemporaryFolder folder;
  {
    Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    driver.journal->append(schedule::AttemptEnded{.attempt = driver.start(driver.stage_of("build")),
                                                  .ok = false,
                                                  .failure_class = "disk_full",
                                                  .message = "",
                                                  .process = {.code = 3,
                                                              .signal = 0,
                                                              .oom_killed = true,
                                                              .log_error = 28,
                                                              .full_disk = "/store/work"},
                                                  .judged_by = "0123456789ab",
                                                  .at = 9});
    driver.end(driver.start(driver.stage_of("serve")));
    driver.commit();
  }
  const Rows expected = {"1|28|/store/work|0123456789ab", "0|-|-|-"};
  const char* kept = "SELECT oom_killed, log_error, full_disk, judged_by FROM attempt ORDER BY id";
  EXPECT_EQ(rows(folder.path(), kept), expected);
  ASSERT_TRUE(store::rebuild(real_host(), folder.path()).ok());
  EXPECT_EQ(rows(folder.path(), kept), expected);
}

TEST(Run, keeps_its_description_and_its_outcome) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  EXPECT_EQ(rows(folder.path(),
                 "SELECT id, experiment, runner, matrix_file, matrix_text, command, version, "
                 "started_at, ended_at, outcome, length(uid) FROM run"),
            (Rows{"1|quick|sample|quick.yaml|name: "
                  "quick\n|[\"orchestrate\",\"run\",\"quick.yaml\"]|0.1.0|1700000000.0|1700000060."
                  "0|done|32"}));
}

TEST(Run, without_an_outcome_is_marked_as_died_when_the_next_begins) {
  const TemporaryFolder folder;
  {
    Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
  }
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  EXPECT_EQ(rows(folder.path(), "SELECT id, outcome FROM run"), (Rows{"1|died", "2|-"}));
}

TEST(Run, shares_stages_of_equal_digest_with_earlier_runs) {
  const TemporaryFolder folder;
  complete_run(folder.path());
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.experiment = "other", .concurrencies = {4, 8}}));
  EXPECT_EQ(rows(folder.path(), "SELECT count(*), count(DISTINCT digest) FROM stage"), Rows{"5|5"});
  EXPECT_EQ(rows(folder.path(), "SELECT run_id, count(*) FROM run_stage GROUP BY run_id"),
            (Rows{"1|4", "2|4"}));
  EXPECT_EQ(rows(folder.path(),
                 "SELECT s.name, n.name, (SELECT name FROM stage WHERE id = n.needs_id) FROM "
                 "stage_need n JOIN stage s ON s.id = n.stage_id GROUP BY s.name"),
            (Rows{"bench|serve|serve", "serve|build|build"}));
  EXPECT_EQ(rows(folder.path(), "PRAGMA foreign_key_check"), Rows{});
}

}  // namespace run_journal_test
}  // namespace orch
