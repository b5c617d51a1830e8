// A store on a file system that other hosts may use: its journal, and who may write to it.
#include "core/base/fields_json.hpp"
#include "fakes/faulty_files.hpp"
#include "results/store/core.hpp"
#include "results/store/sample.hpp"

#include <functional>

#include <sys/wait.h>
#include <unistd.h>

namespace orch {
namespace write_mode_test {

using namespace sample;
using store::Mode;
using store::Store;
using testing::HasSubstr;

// Sleeping moves the time.
struct DrivenClock final : system::Clock {
  double time_s = 0;
  std::function<void()> while_asleep = [] {};
  double now_s() override { return time_s; }
  double wall_s() override { return 1'700'000'000; }
  void sleep_s(double s) override {
    time_s += s;
    while_asleep();
  }
};

struct SharedStore : testing::Test {
  TemporaryFolder folder;
  fakes::FaultyFiles files{real_host().files};
  DrivenClock clock;
  // The thread of a lease renews it too seldom to do so during a test.
  store::Host host{.files = files, .clock = clock, .silent_s = 1e6};

  SharedStore() { files.stated_file_system = {.name = "NFS", .is_shared = true}; }

  Store open(Mode mode = Mode::write) { return std::move(*Store::open(host, folder.path(), mode)); }
  // Of another host, which has taken over.
  void write_lease(int number, std::uint64_t beat = 1) {
    const lease::LeaseNote note{.owner = {.host = "nodeb",
                                          .kernel = "its boot",
                                          .pid = 4321,
                                          .start_ticks = 1,
                                          .job = {},
                                          .since = "2025-01-31T12:00:00Z",
                                          .nonce = "other"},
                                .silent_s = 20,
                                .beat = beat,
                                .is_released = false};
    ASSERT_TRUE(real_host().files.make_folder((folder.path() / "lease").string()));
    ASSERT_TRUE(real_host().files.replace(
        (folder.path() / "lease" / std::to_string(number)).string(), to_json_text(note)));
  }
};

std::string journal_of(Store& store) {
  return store.database().query_text("PRAGMA journal_mode").value();
}

TEST_F(SharedStore, has_a_rollback_journal_that_survives_a_power_cut_and_says_so_once) {
  Store store = open();
  EXPECT_EQ(journal_of(store), "delete");
  EXPECT_EQ(store.database().query_int("PRAGMA synchronous").value(), 3);  // EXTRA
  EXPECT_EQ(store.database().query_int("PRAGMA mmap_size").value(), 0);
  EXPECT_EQ(store.database().query_text("PRAGMA locking_mode").value(), "normal");
  EXPECT_THAT(store.notices(),
              testing::ElementsAre(testing::HasSubstr(
                  "is on a file system that other hosts may use (NFS): using SQLite's rollback")));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "results.db-wal"));
}

TEST_F(SharedStore,
       that_looks_local_is_shared_where_the_site_says_so_and_stays_so_for_all_commands) {
  files.stated_file_system = system::FileSystem{};
  host.is_shared = true;
  { EXPECT_EQ(open().notices().size(), 1u); }
  Store later = open_store(folder.path());
  EXPECT_EQ(journal_of(later), "delete");
  EXPECT_THAT(later.notices().front(), HasSubstr("as its folder lease/ says"));
  EXPECT_EQ(Store::open(real_host(), folder.path(), Mode::write).error().kind, ErrorKind::conflict);
}

TEST_F(SharedStore, that_was_local_leaves_its_log_and_keeps_its_rows) {
  complete_run(folder.path());
  const Rows before = rows(folder.path(), "SELECT * FROM results");
  // A run that died has left its log.
  const pid_t child = fork();
  if (child == 0) {
    Store store = open_store(folder.path());
    if (!store.put_resolution("hf", "a", "1", 1).ok()) _exit(1);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_GT(std::filesystem::file_size(folder.path() / "results.db-wal"), 0u);
  Store store = open();
  EXPECT_EQ(journal_of(store), "delete");
  EXPECT_EQ(store.resolution("hf", "a").value(), "1");
  EXPECT_EQ(rows(folder.path(), "SELECT * FROM results"), before);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "results.db-wal"));
}

TEST_F(SharedStore, whose_log_a_reader_holds_is_refused_with_the_remedy) {
  complete_run(folder.path());
  auto reader = sql::Database::open((folder.path() / "results.db").string(), {});
  ASSERT_TRUE(reader->query_int("SELECT count(*) FROM run").ok());
  const auto refused = Store::open(host, folder.path(), Mode::write);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_THAT(refused.error().text(), HasSubstr("end that process and run again"));
  EXPECT_EQ(reader->query_text("PRAGMA journal_mode").value(), "wal");
}

TEST_F(SharedStore, is_read_between_the_commits_of_its_writer) {
  Store writer = open();
  ASSERT_TRUE(writer.put_resolution("hf", "a", "1", 1).ok());
  Store reader = open(Mode::read);
  EXPECT_EQ(reader.resolution("hf", "a").value(), "1");
  ASSERT_TRUE(writer.put_resolution("hf", "a", "2", 2).ok());
  EXPECT_EQ(reader.resolution("hf", "a").value(), "2");
  EXPECT_EQ(Store::writer(host, folder.path())->pid, getpid());
}

// The journal of a writer that died in a commit is hot: a read-only connection cannot undo it.
TEST_F(SharedStore, is_read_after_its_writer_died_in_a_commit) {
  {
    Store store = open();
    ASSERT_TRUE(store.put_resolution("hf", "a", "1", 1).ok());
  }
  const pid_t child = fork();
  if (child == 0) {
    auto database = sql::Database::open((folder.path() / "results.db").string(), {});
    const bool ok =
        database
            ->execute(
                "PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE resolution SET value = '2'; "
                "CREATE TABLE big(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + "
                "1 FROM n WHERE i < 1000) INSERT INTO big SELECT hex(randomblob(500)) FROM n")
            .ok();
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_GT(std::filesystem::file_size(folder.path() / "results.db-journal"), 0u);
  auto reader = Store::open(host, folder.path(), Mode::read);
  ASSERT_TRUE(reader.ok()) << reader.error().text();
  EXPECT_EQ(reader->resolution("hf", "a").value(), "1");
}

TEST_F(SharedStore, of_a_silent_host_is_taken_over_and_a_living_one_is_named) {
  { open(); }
  write_lease(9);
  std::vector<std::string> said;
  host.says = [&](const std::string& sentence) { said.push_back(sentence); };
  {
    const auto taken = Store::open(host, folder.path(), Mode::write);
    ASSERT_TRUE(taken.ok()) << taken.error().text();
  }
  EXPECT_EQ(said.size(), 2u);
  std::uint64_t beat = 1;
  write_lease(11);
  clock.while_asleep = [&] { write_lease(11, ++beat); };
  const auto refused = Store::free_to_write(host, folder.path());
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_THAT(refused.error().text(), HasSubstr("is in use by pid 4321 on nodeb since"));
}

// What an owner finds that was stopped, and whose view of the folder is old: the mark in the
// database has changed.
TEST_F(SharedStore, takes_no_write_of_an_owner_that_was_replaced) {
  Store store = open();
  ASSERT_TRUE(store.put_resolution("hf", "a", "1", 1).ok());
  auto successor = sql::Database::open((folder.path() / "results.db").string(), {});
  ASSERT_TRUE(successor->execute("UPDATE lease_owner SET nonce = 'other'").ok());
  const auto record = std::filesystem::file_size(folder.path() / "records/store.jsonl");
  const Status refused = store.put_resolution("hf", "a", "2", 2);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_THAT(refused.error().text(), HasSubstr("was taken over by another process"));
  EXPECT_EQ(successor->query_text("SELECT value FROM resolution").value(), "1");
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "records/store.jsonl"), record);
}

}  // namespace write_mode_test
}  // namespace orch
