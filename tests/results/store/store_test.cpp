// The folder and its database: access, content and reusable outputs.
#include "results/store/sample.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch {
namespace store_test {

using namespace sample;
using store::Mode;
using store::Store;

TEST(StoreFolder, is_created_with_its_subfolders) {
  const TemporaryFolder folder;
  const Store store = open_store(folder.path() / "results");
  for (const char* part : {"results.db", "artifacts", "logs", "inbox", "reports"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "results" / part)) << part;
}

TEST(StoreFolder, that_is_absent_is_not_found_by_a_reader) {
  const TemporaryFolder folder;
  const auto opened = Store::open(real_host(), folder.path() / "none", Mode::read);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind, ErrorKind::not_found);
  EXPECT_EQ(opened.error().text(), fmt::format("no results in {}: make some with 'orchestrate run "
                                               "MATRIX' or 'orchestrate bench --db STORE', or name "
                                               "another store with --store",
                                               (folder.path() / "none").string()));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "none"));
}

TEST(StoreFile, has_an_application_id_a_schema_version_and_a_durable_journal) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  EXPECT_EQ(store.database().query_int("PRAGMA application_id").value(), 0x6f726368);
  EXPECT_EQ(store.database().query_int("PRAGMA user_version").value(), newest_version());
  EXPECT_EQ(store.database().query_text("PRAGMA journal_mode").value(), "wal");
  EXPECT_EQ(store.database().query_int("PRAGMA synchronous").value(), 2);  // FULL
  EXPECT_EQ(store.database().query_int("PRAGMA foreign_keys").value(), 1);
  EXPECT_EQ(store.database().query_int("PRAGMA trusted_schema").value(), 0);
  EXPECT_EQ(rows(folder.path(),
                 "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND "
                 "strict = 0 AND name NOT LIKE 'sqlite%'"),
            Rows{});
}

TEST(StoreFile, of_a_newer_version_is_refused_by_writers_and_readers) {
  const TemporaryFolder folder;
  { const Store store = open_store(folder.path()); }
  {
    auto database = sql::Database::open((folder.path() / "results.db").string(), {});
    const auto newer = fmt::format("PRAGMA user_version = {}", newest_version() + 1);
    ASSERT_TRUE(database->execute(newer).ok());
  }
  for (const Mode mode : {Mode::write, Mode::read}) {
    const auto opened = Store::open(real_host(), folder.path(), mode);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().text(),
              fmt::format("{}/results.db: has schema version {}, this program knows versions up to "
                          "{}: use the newer orchestrate that wrote it, or name "
                          "another store with --store",
                          std::filesystem::canonical(folder.path()).string(), newest_version() + 1,
                          newest_version()));
  }
}

TEST(StoreFile, of_another_program_is_refused_and_unchanged) {
  const TemporaryFolder folder;
  {
    auto database = sql::Database::open((folder.path() / "results.db").string(), {});
    ASSERT_TRUE(database->execute("CREATE TABLE theirs(a)").ok());
  }
  const auto opened = Store::open(real_host(), folder.path(), Mode::write);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().text(),
              testing::EndsWith("results.db: is a database of another program; move it away or "
                                "name another store with --store"));
  EXPECT_EQ(rows(folder.path(), "SELECT name FROM sqlite_schema"), Rows{"theirs"});
  EXPECT_EQ(rows(folder.path(), "PRAGMA journal_mode"), Rows{"delete"});
}

TEST(StoreReader, sees_committed_rows_during_a_transaction_of_a_writer) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  Store writer = open_store(folder.path());
  auto transaction = sql::Transaction::begin(writer.database());
  ASSERT_TRUE(writer.database()
                  .execute("UPDATE metric SET mean = 0; UPDATE result_wide SET ttft_ms = 0")
                  .ok());
  Store reader = open_store(folder.path(), Mode::read);
  EXPECT_EQ(reader.database().query_int("SELECT ttft_ms FROM results").value(), 10);
  ASSERT_TRUE(transaction->commit().ok());
  EXPECT_EQ(reader.database().query_int("SELECT ttft_ms FROM results").value(), 0);
}

TEST(StoreReader, cannot_write) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  Store reader = open_store(folder.path(), Mode::read);
  EXPECT_FALSE(reader.database().execute("DELETE FROM metric").ok());
  EXPECT_FALSE(reader.database().execute("CREATE TEMP TABLE t(a)").ok());
}

TEST(StoreReader, may_be_the_plain_sqlite3_shell_during_a_run) {
  if (std::system("command -v sqlite3 > /dev/null") != 0)
    GTEST_SKIP() << "sqlite3 is not installed";
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  driver.run_build();
  driver.run_bench(0, driver.run_serve(), measurement(10, 100));
  driver.commit();
  auto transaction = sql::Transaction::begin(store.database());
  const std::string command = fmt::format(
      "sqlite3 {}/results.db 'SELECT point, ttft_ms, ttft_ms_p99 FROM results; SELECT count(*) "
      "FROM provenance; SELECT count(*) FROM requests; SELECT count(*) FROM model_times' 2>&1",
      folder.path().string());
  std::string output;
  FILE* shell = popen(command.c_str(), "r");
  for (std::array<char, 256> bytes{}; std::fgets(bytes.data(), bytes.size(), shell);)
    output += bytes.data();
  EXPECT_EQ(pclose(shell), 0);
  EXPECT_EQ(output, "tiny_c1-aaaaaa|10.0|11.5\n3\n2\n0\n");
}

TEST(Done, includes_existing_artifacts_and_valid_measurements) {
  const TemporaryFolder folder;
  complete_run(folder.path());
  const plan::Plan plan = make_plan();
  std::map<Digest, std::int64_t> runs;
  const plan::Done done = *open_store(folder.path(), Mode::read).done();
  for (const auto& [digest, made] : done.made) runs[digest] = made.run;
  EXPECT_EQ(runs, (std::map<Digest, std::int64_t>{{plan.stages[0].digest, 1},
                                                  {plan.stages[2].digest, 1},
                                                  {plan.stages[3].digest, 1}}));
}

TEST(Done, forgets_an_artifact_whose_folder_is_gone) {
  const TemporaryFolder folder;
  complete_run(folder.path());
  const plan::Plan plan = make_plan();
  std::filesystem::remove_all(folder.path() / "artifacts" / plan.stages[0].id);
  EXPECT_FALSE(open_store(folder.path(), Mode::read).done()->made.contains(plan.stages[0].digest));
}

TEST(Done, counts_an_artifact_only_if_every_file_exists_with_its_size) {
  const TemporaryFolder folder;
  complete_run(folder.path());
  const plan::Plan plan = make_plan();
  const auto file = folder.path() / "artifacts" / plan.stages[0].id / "out/model.bin";
  EXPECT_TRUE(open_store(folder.path(), Mode::read).done()->made.contains(plan.stages[0].digest));
  std::filesystem::resize_file(file, 5);
  {
    Store store = open_store(folder.path(), Mode::read);
    EXPECT_FALSE(store.done()->made.contains(plan.stages[0].digest));
    EXPECT_FALSE(store.done()->made.contains(plan.stages[0].digest));
    EXPECT_EQ(store.notices(),
              Rows{fmt::format(
                  "artifacts/{}: model.bin has 5 bytes instead of 1073741824, so it is made again",
                  plan.stages[0].id)});
  }
  std::filesystem::remove(file);
  Store store = open_store(folder.path(), Mode::read);
  EXPECT_FALSE(store.done()->made.contains(plan.stages[0].digest));
  EXPECT_EQ(store.notices(),
            Rows{fmt::format("artifacts/{}: model.bin is missing, so it is made again",
                             plan.stages[0].id)});
}

TEST(Done, leaves_out_artifacts_that_are_not_cacheable) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  const AttemptKey key = driver.start(driver.stage_of("build"));
  write_file(store.layout().at("artifacts/b/out/f"), "x");
  driver.journal->append(
      schedule::ArtifactPublished{.attempt = key,
                                  .path = "artifacts/b",
                                  .in_place = false,
                                  .not_cacheable = "/m.bin changed while the stage ran",
                                  .files = {{"f", 1, "aa"}},
                                  .at = 3});
  driver.end(key);
  driver.commit();
  EXPECT_EQ(rows(folder.path(), "SELECT not_cacheable FROM artifact"),
            Rows{"/m.bin changed while the stage ran"});
  EXPECT_TRUE(store.done()->made.empty());
}

TEST(Done, leaves_out_measurements_whose_inputs_changed) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  driver.run_bench(0, driver.run_serve(), measurement(10, 100));
  driver.commit();
  ASSERT_EQ(store.done()->made.size(), 1u);
  driver.journal->append(schedule::ArtifactPublished{.attempt = {driver.stage_of("bench").id, 1},
                                                     .path = "artifacts/m",
                                                     .in_place = false,
                                                     .not_cacheable = "/ds.jsonl changed",
                                                     .files = {{"f", 1, "aa"}},
                                                     .at = 3});
  driver.commit();
  EXPECT_TRUE(store.done()->made.empty());
  EXPECT_EQ(rows(folder.path(), "SELECT warnings LIKE '/ds.jsonl changed%' FROM results"),
            Rows{"1"});
}

TEST(Done, lists_system_failures_and_no_harness_failures) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  const auto failed = [&] {
    driver.commit();
    Rows out;
    const plan::Done done = *store.done();
    for (const auto& [digest, before] : done.failed)
      out.push_back(fmt::format("{} {} {}", before.run, before.failure_class, before.message));
    return out;
  };
  driver.end(driver.start(driver.stage_of("build")), "cuda_oom", "out of memory\nline two");
  EXPECT_EQ(failed(), Rows{"1 cuda_oom out of memory"});
  driver.end(driver.start(driver.stage_of("build")), "interrupted", "stopped",
             attempt::FailureKind::harness);
  EXPECT_EQ(failed(), Rows{"1 cuda_oom out of memory"});
  driver.end(driver.start(driver.stage_of("build")), "network", "no answer",
             attempt::FailureKind::harness);
  EXPECT_EQ(failed(), Rows{});
  driver.end(driver.start(driver.stage_of("build")), "crash", "it crashed");
  EXPECT_EQ(failed(), Rows{"1 crash it crashed"});
  driver.run_build();
  EXPECT_EQ(failed(), Rows{});
}

TEST(Done, has_the_probe_of_a_server_that_was_not_ready) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  const plan::Stage serve = driver.stage_of("serve");
  driver.end(driver.start(serve), "not_ready", "GET / answered 404");
  driver.commit();
  const plan::Done done = *store.done();
  ASSERT_TRUE(done.failed.contains(serve.digest));
  EXPECT_EQ(done.failed.at(serve.digest).probe,
            R"({"port":"http","get":["/ready"],"timeout_s":90.0})");
}

TEST(Done, has_an_in_place_artifact_only_at_its_original_path_and_with_its_files) {
  const TemporaryFolder folder;
  const plan::Plan plan = make_plan({.concurrencies = {1}});
  {
    Store store = open_store(folder.path() / "first");
    Driver driver(store, plan);
    const AttemptKey key = driver.start(driver.stage_of("build"));
    write_file(store.layout().at("artifacts/env/manifest.json"), "{}");
    write_file(store.layout().at("artifacts/env/out/activate"), "x");
    driver.journal->append(schedule::ArtifactPublished{.attempt = key,
                                                       .path = "artifacts/env",
                                                       .in_place = true,
                                                       .not_cacheable = {},
                                                       .files = {},
                                                       .at = 1});
    driver.end(key);
    driver.commit();
  }
  const auto is_made = [&](const char* name) {
    return open_store(folder.path() / name, Mode::read)
        .done()
        ->made.contains(plan.stages[0].digest);
  };
  EXPECT_TRUE(is_made("first"));
  std::filesystem::rename(folder.path() / "first", folder.path() / "second");
  EXPECT_FALSE(is_made("second"));
  std::filesystem::rename(folder.path() / "second", folder.path() / "first");
  EXPECT_TRUE(is_made("first"));
  std::filesystem::remove_all(folder.path() / "first/artifacts/env/out");
  EXPECT_FALSE(is_made("first"));
}

TEST(Done, does_not_count_an_invalid_measurement) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  const AttemptKey session = driver.run_serve();
  driver.run_bench(0, session, invalid_measurement({"busy"}));
  driver.commit();
  EXPECT_TRUE(store.done()->made.empty());
  driver.run_bench(0, session, measurement(1, 1));
  driver.commit();
  EXPECT_TRUE(store.done()->made.contains(driver.stage_of("bench").digest));
}

TEST(Resolutions, are_kept_until_replaced) {
  const TemporaryFolder folder;
  {
    Store store = open_store(folder.path());
    EXPECT_EQ(store.resolution("hf", "Qwen@main").value(), std::nullopt);
    ASSERT_TRUE(store.put_resolution("hf", "Qwen@main", "abc", 1).ok());
  }
  Store store = open_store(folder.path());
  EXPECT_EQ(store.resolution("hf", "Qwen@main").value(), "abc");
  ASSERT_TRUE(store.put_resolution("hf", "Qwen@main", "def", 2).ok());
  EXPECT_EQ(store.resolution("hf", "Qwen@main").value(), "def");
}

TEST(FileIdentity, is_remembered_until_a_stat_fact_changes) {
  const TemporaryFolder folder;
  const system::FileStamp stamp{
      .path = "/models/a.bin", .size = 5, .mtime_ns = 10, .ctime_ns = 11, .inode = 12};
  const Digest digest = sha256("content");
  {
    Store store = open_store(folder.path());
    store.remember_file(stamp, digest);
    EXPECT_EQ(store.known_file(stamp).value(), digest);
  }
  Store store = open_store(folder.path(), Mode::read);
  EXPECT_EQ(store.known_file(stamp).value(), digest);
  for (auto field : {&system::FileStamp::size, &system::FileStamp::mtime_ns,
                     &system::FileStamp::ctime_ns, &system::FileStamp::inode}) {
    system::FileStamp other = stamp;
    ++(other.*field);
    EXPECT_EQ(store.known_file(other).value(), std::nullopt);
  }
}

TEST(FileIdentity, of_a_recently_changed_file_is_not_remembered) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  write_file(folder.path() / "fresh", "x");
  const auto stamp = system::FileStamp::of((folder.path() / "fresh").string());
  ASSERT_TRUE(stamp.ok());
  store.remember_file(*stamp, sha256("x"));
  EXPECT_EQ(store.known_file(*stamp).value(), std::nullopt);
}

}  // namespace store_test
}  // namespace orch
