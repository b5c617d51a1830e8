// The database is rebuilt from the run records, and a crash between a record and its commit leaves
// no trace.
#include "results/store/rebuild.hpp"

#include "app/session/status.hpp"
#include "results/store/killed.hpp"
#include "results/store/records/record_log.hpp"
#include "results/store/sample.hpp"
#include "results/tables/views.hpp"

#include <sqlite3.h>

namespace orch {
namespace rebuild_test {

using namespace sample;
using store::Mode;
using store::Store;

// Failures of both kinds, repeats, an amended plan, an invalid measurement, a dead run, and a run
// that adopts its server.
void sweep(const std::filesystem::path& root) {
  {
    Store store = open_store(root);
    ASSERT_TRUE(store.put_resolution("hf-revision", "Qwen/X@main", "0123", 5).ok());
    plan::Plan first = make_plan({.concurrencies = {1}, .repeats = 2});
    plan::Plan amended = make_plan({.concurrencies = {1, 4},
                                    .repeats = 2,
                                    .more = {{"note", text("it's \"so\"")},
                                             {"ratio", {matrix::Type::real, "1.0"}},
                                             {"on", {matrix::Type::boolean, "true"}}}});
    for (plan::Stage& stage : first.stages)
      if (stage.spec.name == "bench")
        stage.digest = {}, stage.status = plan::Status::undecided,
        stage.why = "model_heads is not known";
    Driver driver(store, first);
    driver.end(driver.start(driver.stage_of("build")), "network", "no answer\nat all",
               attempt::FailureKind::harness);
    driver.run_build();
    driver.commit();
    ASSERT_TRUE(driver.journal->amend(amended, driver.now + 5).ok());
    driver.plan = amended;
    const AttemptKey session = driver.run_serve();
    driver.run_bench(0, session, measurement(10, 100));
    driver.run_bench(1, session, invalid_measurement({"the client was busy"}));
    driver.commit();
    driver.run_bench(1, session, measurement(11, 100));
    driver.run_bench(2, session, measurement(12, 100));
    driver.end(session, "crash", "the server crashed");
    driver.commit();
    driver.finish(store::Outcome::failed);
  }
  {
    Store store = open_store(root);
    Driver driver(store, make_plan({.experiment = "other", .concurrencies = {8, 16}}));
    driver.now += 1000;
    const AttemptKey session = driver.run_serve();
    driver.run_bench(0, session, measurement(20, 50));
    driver.start(driver.stage_of("bench", 1));
    driver.commit();  // and dies
  }
  Store store = open_store(root);
  Driver driver(store, make_plan({.experiment = "other", .concurrencies = {8, 16}}));
  driver.now += 2000;
  const AttemptKey server{driver.stage_of("serve").id, 2};
  driver.journal->append(
      schedule::AttemptAdopted{.attempt = server, .token = token_of(server), .at = driver.now});
  driver.journal->append(
      schedule::AttemptLost{.token = token_of({driver.stage_of("bench", 1).id, 1}),
                            .why = "measurements are made again",
                            .at = driver.now});
  driver.run_bench(1, server, measurement(21, 50));
  driver.end(server);
  driver.commit();
  ASSERT_TRUE(store.put_resolution("hf-revision", "Qwen/X@main", "4567", 6).ok());
}

// Every row of every view, in no order, and the status of every run.
std::map<std::string, Rows> everything(const std::filesystem::path& root) {
  std::map<std::string, Rows> all;
  for (const tables::View& view : tables::public_views())
    all[std::string(view.name)] = rows(root, fmt::format("SELECT * FROM {}", view.name));
  for (const char* table : {"run", "attempt", "artifact_file", "resolution", "run_stage", "stage",
                            "stage_need", "event", "record_file", "goodput"})
    all[table] = rows(root, fmt::format("SELECT * FROM {}", table));
  for (auto& [name, found] : all) std::sort(found.begin(), found.end());
  Store store = open_store(root, Mode::read);
  for (std::int64_t run = 1; run <= 3; ++run) {
    auto status = report::read_status(store.database(), {.run = run, .holder = {}, .now = 0});
    all[fmt::format("status {}", run)] = {status ? report::status_json(*status)
                                                 : status.error().text()};
  }
  return all;
}

TEST(Rebuild, makes_the_same_rows_from_the_records) {
  const TemporaryFolder folder;
  sweep(folder.path());
  const auto before = everything(folder.path());
  for (const char* name : {"results", "results_all", "failures", "stages", "provenance", "requests",
                           "answers", "resolution"})
    EXPECT_FALSE(before.at(name).empty()) << name;
  const auto rebuilt = store::rebuild(real_host(), folder.path());
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.error().text();
  EXPECT_EQ(rebuilt->runs, 3u);
  EXPECT_EQ(rebuilt->notices, Rows{});
  EXPECT_EQ(rebuilt->kept_as,
            (std::filesystem::canonical(folder.path()) / "results.db.replaced-1").string());
  const auto after = everything(folder.path());
  for (const auto& [name, found] : before) EXPECT_EQ(after.at(name), found) << name;
  EXPECT_EQ(rows(folder.path(), "PRAGMA integrity_check"), Rows{"ok"});
  EXPECT_EQ(rows(folder.path(), "PRAGMA foreign_key_check"), Rows{});
  Store store = open_store(folder.path());  // and continues with the next run
  Driver driver(store, make_plan());
  EXPECT_EQ(driver.journal->run_id(), 4);
  EXPECT_EQ(store.notices(), Rows{});
}

TEST(Rebuild, needs_no_database) {
  const TemporaryFolder folder;
  sweep(folder.path());
  const auto before = everything(folder.path());
  for (const char* file : {"results.db", "results.db-wal", "results.db-shm"})
    std::filesystem::remove(folder.path() / file);
  const auto opened = Store::open(real_host(), folder.path(), Mode::write);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().text(),
            fmt::format("{}/results.db is missing, but its records exist: `orchestrate verify "
                        "--rebuild` rebuilds it from them",
                        std::filesystem::canonical(folder.path()).string()));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "results.db"));
  ASSERT_TRUE(store::rebuild(real_host(), folder.path()).ok());
  const auto after = everything(folder.path());
  for (const auto& [name, found] : before) EXPECT_EQ(after.at(name), found) << name;
}

TEST(Rebuild, leaves_out_a_torn_last_line_and_reports_a_damaged_one) {
  const TemporaryFolder folder;
  sweep(folder.path());
  const auto before = everything(folder.path());
  const std::string file = rows(folder.path(), "SELECT uid FROM run WHERE id = 3").at(0) + ".jsonl";
  std::ofstream(folder.path() / "records" / file, std::ios::app)
      << "no json\n[{\"moved\": {\"stage\"";
  const auto rebuilt = store::rebuild(real_host(), folder.path());
  ASSERT_TRUE(rebuilt.ok());
  EXPECT_EQ(rebuilt->notices,
            Rows{fmt::format("records/{}:3: not a JSON list; this line is lost", file)});
  EXPECT_EQ(everything(folder.path()).at("results"), before.at("results"));
}

// The path of the record of RUN.
std::filesystem::path record_of(const std::filesystem::path& root, int run) {
  const auto uid = rows(root, fmt::format("SELECT uid FROM run WHERE id = {}", run)).at(0);
  return root / "records" / (uid + ".jsonl");
}

void forget_copies(const std::filesystem::path& root) {
  auto database = sql::Database::open((root / "results.db").string(), {});
  ASSERT_TRUE(database->execute("DELETE FROM record_copy").ok());
}

TEST(Rebuild, restores_the_records_from_the_database_first) {
  const TemporaryFolder folder;
  sweep(folder.path());
  const auto before = everything(folder.path());
  std::filesystem::remove(record_of(folder.path(), 2));
  std::filesystem::resize_file(record_of(folder.path(), 1), 500);
  const auto rebuilt = store::rebuild(real_host(), folder.path());
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.error().text();
  EXPECT_EQ(rebuilt->notices.size(), 2u);
  const auto after = everything(folder.path());
  for (const auto& [name, found] : before) EXPECT_EQ(after.at(name), found) << name;
}

TEST(Rebuild, refuses_to_lose_what_the_database_knows) {
  const TemporaryFolder folder;
  sweep(folder.path());
  const auto before = everything(folder.path());
  forget_copies(folder.path());
  const auto record = record_of(folder.path(), 2);
  std::filesystem::resize_file(record, std::filesystem::file_size(record) / 2);
  const auto rebuilt = store::rebuild(real_host(), folder.path());
  ASSERT_FALSE(rebuilt.ok());
  EXPECT_THAT(
      rebuilt.error().text(),
      testing::AllOf(testing::StartsWith("the records hold less than the database: a rebuild would "
                                         "lose "),
                     testing::HasSubstr("a measurement of 2 requests in artifacts/"),
                     testing::EndsWith("restore the records from a backup, or accept the loss with "
                                       "--accept-loss")));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "results.db.rebuilding"));
  EXPECT_EQ(everything(folder.path()).at("results"), before.at("results"));
  EXPECT_TRUE(store::rebuild(real_host(), folder.path(), {.accept_loss = true}).ok());
}

TEST(Rebuild, refuses_to_lose_the_outputs_that_no_record_mentions) {
  const TemporaryFolder folder;
  sweep(folder.path());
  write_file(folder.path() / "artifacts/serve-1/manifest.json", R"({"token": "t-unknown"})");
  for (const char* file : {"results.db", "results.db-wal", "results.db-shm"})
    std::filesystem::remove(folder.path() / file);
  EXPECT_THAT(store::rebuild(real_host(), folder.path()).error().text(),
              testing::HasSubstr("a rebuild would lose artifacts/serve-1; restore"));
  EXPECT_TRUE(store::rebuild(real_host(), folder.path(), {.accept_loss = true}).ok());
}

TEST(Rebuild, reports_a_line_that_was_changed) {
  const TemporaryFolder folder;
  sweep(folder.path());
  const auto record = record_of(folder.path(), 1);
  std::ifstream in(record);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t at = text.find("\"build\"");
  ASSERT_NE(at, std::string::npos);
  write_file(record, text.replace(at, 7, "\"bvild\""));
  for (const char* file : {"results.db", "results.db-wal", "results.db-shm"})
    std::filesystem::remove(folder.path() / file);
  const auto rebuilt = store::rebuild(real_host(), folder.path(), {.accept_loss = true});
  ASSERT_TRUE(rebuilt.ok());
  EXPECT_THAT(fmt::format("{}", fmt::join(rebuilt->notices, "\n")),
              testing::HasSubstr("its checksum differs: it was changed, or a line before it is "
                                 "missing; this line is lost"));
}

TEST(Rebuild, is_refused_while_another_process_writes) {
  const TemporaryFolder folder;
  sweep(folder.path());
  const Store store = open_store(folder.path());
  EXPECT_EQ(store::rebuild(real_host(), folder.path()).error().kind, ErrorKind::conflict);
}

TEST(RebuildChild, DISABLED_rebuilds) {
  if (!folder_to_be_killed_in().empty())
    static_cast<void>(store::rebuild(real_host(), folder_to_be_killed_in()));
}

struct KilledRebuild : testing::TestWithParam<const char*> {};

TEST_P(KilledRebuild, can_be_repeated_and_loses_nothing) {
  const TemporaryFolder folder;
  sweep(folder.path());
  const auto before = everything(folder.path());
  ASSERT_TRUE(killed_at(GetParam(), 1, "RebuildChild.DISABLED_rebuilds", folder.path()));
  EXPECT_EQ(everything(folder.path()).at("results"), before.at("results"));
  ASSERT_TRUE(store::rebuild(real_host(), folder.path()).ok());
  const auto after = everything(folder.path());
  for (const auto& [name, found] : before) EXPECT_EQ(after.at(name), found) << name;
}

INSTANTIATE_TEST_SUITE_P(Each, KilledRebuild,
                         testing::Values("rebuild-begun", "rebuild-built", "rebuild-swapped"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// --- the content of the files

TEST(RecordsChild, DISABLED_records_a_build) {
  if (folder_to_be_killed_in().empty()) return;
  Store store = open_store(folder_to_be_killed_in());
  Driver driver(store, make_plan());
  driver.run_build();
  driver.commit();
  driver.finish(store::Outcome::failed);
}

struct KilledRecord : testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(KilledRecord, agrees_with_the_database_when_the_store_is_opened_next) {
  const TemporaryFolder folder;
  sweep(folder.path());
  const auto& [point, hit] = GetParam();
  ASSERT_TRUE(killed_at(point, hit, "RecordsChild.DISABLED_records_a_build", folder.path()));
  const Rows runs = rows(folder.path(), "SELECT id FROM run");
  const Rows attempts = rows(folder.path(), "SELECT token FROM attempt ORDER BY token");
  {
    const Store store = open_store(folder.path());
    EXPECT_EQ(store.notices(), Rows{});
  }
  const auto before = everything(folder.path());
  ASSERT_TRUE(store::rebuild(real_host(), folder.path()).ok());
  const auto after = everything(folder.path());
  for (const auto& [name, found] : before) EXPECT_EQ(after.at(name), found) << name;
  EXPECT_EQ(rows(folder.path(), "SELECT id FROM run"), runs);
  EXPECT_EQ(rows(folder.path(), "SELECT token FROM attempt ORDER BY token"), attempts);
}

INSTANTIATE_TEST_SUITE_P(
    Each, KilledRecord,
    testing::Values(std::tuple("record-appended", 1), std::tuple("record-appended", 2),
                    std::tuple("record-appended", 3), std::tuple("record-committed", 1),
                    std::tuple("record-committed", 2), std::tuple("journal-before-commit", 1),
                    std::tuple("journal-after-commit", 1), std::tuple("run-begun", 1)),
    [](const auto& each) {
      std::string name = fmt::format("{}_{}", std::get<0>(each.param), std::get<1>(each.param));
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(Records, of_a_failed_transaction_are_removed) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  ASSERT_TRUE(store.put_resolution("hf", "a", "1", 1).ok());
  const auto size = std::filesystem::file_size(folder.path() / "records/store.jsonl");
  sqlite3_commit_hook(
      store.database().handle(), [](void*) { return 1; }, nullptr);  // the commit fails
  EXPECT_FALSE(store.put_resolution("hf", "b", "1", 1).ok());
  sqlite3_commit_hook(store.database().handle(), nullptr, nullptr);
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "records/store.jsonl"), size);
}

TEST(Records, that_are_newer_than_the_database_stop_a_writer) {
  const TemporaryFolder folder;
  sweep(folder.path());
  std::filesystem::copy_file(folder.path() / "results.db", folder.path() / "old.db");
  complete_run(folder.path(), {.concurrencies = {32}});
  for (const char* file : {"results.db-wal", "results.db-shm"})
    std::filesystem::remove(folder.path() / file);
  std::filesystem::rename(folder.path() / "old.db", folder.path() / "results.db");
  const auto names = [&] {
    return store::record_files(real_host().files, store::Layout{folder.path()});
  };
  const auto before = names();
  const auto opened = Store::open(real_host(), folder.path(), Mode::write);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().text(),
              testing::EndsWith("it is older than its records or belongs to another store; "
                                "`orchestrate verify --rebuild` rebuilds it from them"));
  EXPECT_EQ(names(), before);
}

TEST(Records, that_are_truncated_and_have_no_copy_are_reported) {
  const TemporaryFolder folder;
  sweep(folder.path());
  forget_copies(folder.path());
  const std::string file =
      "records/" + rows(folder.path(), "SELECT uid FROM run WHERE id = 3").at(0) + ".jsonl";
  std::filesystem::resize_file(folder.path() / file, 10);
  const Store store = open_store(folder.path());
  EXPECT_THAT(store.notices(),
              testing::ElementsAre(testing::AllOf(
                  testing::StartsWith(file + " is truncated (10 of "),
                  testing::EndsWith("; the database still holds its content, but `orchestrate "
                                    "verify --rebuild` would lose it; restore it from a backup"))));
}

}  // namespace rebuild_test
}  // namespace orch
