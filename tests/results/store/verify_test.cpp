// An intact store has no problem; each fault is reported with its remedy.
#include "results/store/rebuild.hpp"
#include "results/store/sample.hpp"

#include <atomic>
#include <thread>

#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch {
namespace verify_test {

using namespace sample;
using store::Mode;
using store::Store;

struct Verify : testing::Test {
  TemporaryFolder folder;
  std::string build = make_plan().stages[0].id;

  // One build of a few real bytes, and two measurements.
  void SetUp() override {
    Store store = open_store(folder.path());
    Driver driver(store, make_plan());
    const AttemptKey key = driver.start(driver.stage_of("build"));
    write_file(at("out/model.bin"), "weights");
    driver.journal->append(
        schedule::ArtifactPublished{.attempt = key,
                                    .path = "artifacts/" + build,
                                    .in_place = false,
                                    .not_cacheable = {},
                                    .files = {{"model.bin", 7, sha256("weights").hex()}},
                                    .at = 1});
    driver.end(key);
    const AttemptKey session = driver.run_serve();
    for (std::size_t nth : {0u, 1u}) driver.run_bench(nth, session, measurement(10, 100));
    driver.end(session);
    driver.commit();
    driver.finish(store::Outcome::done);
  }
  std::filesystem::path at(const std::string& path) const {
    return folder.path() / "artifacts" / build / path;
  }
  Rows problems(bool quick = false) {
    auto found = open_store(folder.path(), Mode::read).verify(quick);
    return found ? found->problems : Rows{found.error().text()};
  }
  bool made() {
    return open_store(folder.path(), Mode::read)
        .done()
        ->made.contains(make_plan().stages[0].digest);
  }
};

TEST_F(Verify, finds_no_problem_in_an_intact_store) {
  EXPECT_EQ(problems(), Rows{});
  EXPECT_EQ(problems(true), Rows{});
  const auto found = *open_store(folder.path()).verify_and_mark(1);
  EXPECT_EQ(found.problems, Rows{});
  EXPECT_EQ(fmt::format("{} {} {}", found.artifacts, found.files, found.measurements), "1 1 2");
  EXPECT_TRUE(made());
}

TEST_F(Verify, reads_contents_unless_quick) {
  write_file(at("out/model.bin"), "wEights");
  EXPECT_EQ(problems(true), Rows{});
  EXPECT_EQ(problems(), Rows{"artifacts/" + build +
                             "/out/model.bin has changed (its sha256 differs): the next run that "
                             "needs the output makes it again"});
}

TEST_F(Verify, marks_damaged_outputs_to_be_made_again) {
  write_file(at("out/model.bin"), "wEights");
  EXPECT_TRUE(made());  // the size is unchanged
  EXPECT_EQ(open_store(folder.path()).verify_and_mark(1)->problems.size(), 1u);
  EXPECT_FALSE(made());
  ASSERT_TRUE(store::rebuild(real_host(), folder.path()).ok());
  EXPECT_FALSE(made());
}

TEST_F(Verify, names_files_that_are_missing_or_of_another_size) {
  write_file(at("out/model.bin"), "w");
  EXPECT_EQ(problems(true), Rows{"artifacts/" + build +
                                 "/out/model.bin has 1 bytes instead of 7: the next run that needs "
                                 "the output makes it again"});
  std::filesystem::remove(at("out/model.bin"));
  EXPECT_EQ(problems(true),
            Rows{"artifacts/" + build +
                 "/out/model.bin is missing: the next run that needs the output makes it again"});
  std::filesystem::remove_all(folder.path() / "artifacts" / build);
  EXPECT_EQ(problems(true), Rows{"artifacts/" + build +
                                 " is missing: the next run that needs the output makes it again"});
}

TEST_F(Verify, reports_records_that_are_missing_or_changed) {
  const std::string path = rows(folder.path(), "SELECT path FROM measurement ORDER BY id").at(0);
  const std::string rest =
      ": the database still holds its content, but a rebuild would lose it; restore it from a "
      "backup";
  write_file(folder.path() / path / "measurement.json", "{}");
  EXPECT_EQ(problems(), Rows{path + "/measurement.json has changed (its sha256 differs)" + rest});
  const std::string run = "records/" + rows(folder.path(), "SELECT uid FROM run").at(0) + ".jsonl";
  std::filesystem::remove(folder.path() / run);
  EXPECT_EQ(
      problems(true),
      Rows{run +
           " is missing: the next run, or `orchestrate verify` with write access, restores it"});
}

TEST_F(Verify, reports_orphaned_folders) {
  write_file(folder.path() / "artifacts/stray/f", "x");
  write_file(folder.path() / "attempts/o123/f", "x");
  write_file(folder.path() / "inbox/torn/record.json", "x");
  EXPECT_EQ(problems(),
            (Rows{"artifacts/stray is not in the database: remove it if nothing was lost from the "
                  "database or its records; otherwise restore those first",
                  "attempts/o123 is orphaned: no attempt names it; remove it",
                  "inbox/torn has not been ingested: the next run tries again, and reports why if "
                  "it cannot"}));
}

TEST_F(Verify, reports_rows_with_missing_references) {
  {
    auto database = sql::Database::open((folder.path() / "results.db").string(), {});
    ASSERT_TRUE(database
                    ->execute("PRAGMA foreign_keys = OFF; INSERT INTO server_counter "
                              "(measurement_id, name, before, after) VALUES (99, 'x', 1, 2)")
                    .ok());
  }
  EXPECT_EQ(problems(),
            Rows{fmt::format("{}/results.db: 'server_counter' has 1 row with missing references: "
                             "`orchestrate verify --rebuild` rebuilds it from its records",
                             std::filesystem::canonical(folder.path()).string())});
}

TEST_F(Verify, of_a_damaged_database_recommends_a_rebuild) {
  const Rows before = rows(folder.path(), "SELECT * FROM results");
  write_file(folder.path() / "results.db", std::string(8192, 'x'));
  for (const Mode mode : {Mode::read, Mode::write}) {
    const auto opened = Store::open(real_host(), folder.path(), mode);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(
        opened.error().text(),
        fmt::format(
            "{}/results.db is damaged: `orchestrate verify --rebuild` rebuilds it from its records",
            std::filesystem::canonical(folder.path()).string()));
  }
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "results.db"), 8192u);
  ASSERT_TRUE(store::rebuild(real_host(), folder.path()).ok());
  EXPECT_EQ(rows(folder.path(), "SELECT * FROM results"), before);
}

TEST_F(Verify, reads_a_store_without_write_permission) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to change the user";
  chmod(folder.path().c_str(), 0755);
  for (const char* file : {"results.db-wal", "results.db-shm"})
    std::filesystem::remove(folder.path() / file);
  const pid_t child = fork();
  if (child == 0) {
    if (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0) _exit(9);
    auto store = Store::open(real_host(), folder.path(), Mode::read);
    if (!store) _exit(8);
    const auto count = store->database().query_int("SELECT count(*) FROM results");
    _exit(count.ok() && *count == 2 && store->notices().size() == 1 ? 0 : 7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "results.db-wal"));
}

TEST(StoreFile, that_is_a_pipe_is_refused) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder.path() / "results.db").c_str(), 0644), 0);
  for (const Mode mode : {Mode::read, Mode::write})
    EXPECT_EQ(
        Store::open(real_host(), folder.path(), mode).error().text(),
        fmt::format(
            "{}/results.db is not a regular file; move it away or name another store with --store",
            std::filesystem::canonical(folder.path()).string()));
}

// Readers open, read everything and close while a run writes.
TEST(StoreReader, is_never_locked_out_while_a_run_commits) {
  const TemporaryFolder folder;
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  const AttemptKey session = driver.run_serve();
  driver.run_bench(0, session, measurement(1, 1));
  driver.commit();
  std::atomic<bool> stop = false;
  std::atomic<int> reads = 0;
  Rows errors;
  std::thread reader([&] {
    while (!stop) {
      auto opened = Store::open(real_host(), folder.path(), Mode::read);
      const auto count = opened ? opened->database().query_int("SELECT count(*) FROM results_all")
                                : Result<std::int64_t>(opened.error());
      if (!count) errors.push_back(count.error().text());
      ++reads;
    }
  });
  for (int i = 0; i < 100 || reads < 100; ++i) {
    driver.run_bench(1, session, measurement(i, 1));
    driver.commit();
    if (i > 5000) break;
  }
  stop = true;
  reader.join();
  EXPECT_EQ(errors, Rows{});
  EXPECT_GE(reads, 100);
}

}  // namespace verify_test
}  // namespace orch
