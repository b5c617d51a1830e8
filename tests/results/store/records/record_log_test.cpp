// A run record is durable before the commit that it stands for, and whole again from the copy in
// the database after any damage.
#include "results/store/records/record_log.hpp"

#include "fakes/faulty_files.hpp"
#include "os/system/clock.hpp"
#include "results/store/rebuild.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace record_log_test {

using namespace sample;
using store::Mode;
using store::Store;
using testing::HasSubstr;

struct RunRecord : testing::Test {
  TemporaryFolder folder;
  fakes::FaultyFiles files{real_host().files};
  store::Host host{files, real_host().clock};

  void SetUp() override { complete_run(folder.path()); }

  std::filesystem::path record() {
    return folder.path() / "records" /
           (rows(folder.path(), "SELECT uid FROM run WHERE id = 1").at(0) + ".jsonl");
  }
  std::string text() {
    std::ifstream in(record(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void overwrite(std::size_t at, const std::string& bytes) {
    std::fstream out(record(), std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(at));
    out << bytes;
  }
  Rows notices() { return open_store(folder.path()).notices(); }
};

TEST_F(RunRecord, that_lost_its_end_is_restored_when_the_store_is_opened) {
  const std::string whole = text();
  const std::string name = "records/" + record().filename().string();
  for (const std::size_t kept : {whole.size() - 1, whole.size() / 2, std::size_t{0}}) {
    std::filesystem::resize_file(record(), kept);
    EXPECT_EQ(notices(), Rows{fmt::format("{} is truncated ({} of {} bytes); it is restored from "
                                          "the database",
                                          name, kept, whole.size())});
    EXPECT_EQ(text(), whole);
  }
  std::filesystem::remove(record());
  EXPECT_EQ(notices(), Rows{name + " is missing; it is restored from the database"});
  EXPECT_EQ(text(), whole);
  EXPECT_EQ(notices(), Rows{});
}

TEST_F(RunRecord, that_ends_in_zeros_is_restored_when_the_store_is_opened) {
  const std::string whole = text();
  overwrite(whole.size() - 100, std::string(100, '\0'));
  EXPECT_EQ(notices(), Rows{fmt::format("records/{} is damaged at byte {}; it is restored from the "
                                        "database",
                                        record().filename().string(), whole.size() - 100)});
  EXPECT_EQ(text(), whole);
}

TEST_F(RunRecord, that_is_damaged_in_the_middle_is_reported_and_restored_by_verify) {
  const std::string whole = text();
  const std::size_t middle = 50;
  ASSERT_GT(whole.size(), 4096 + middle + 64);  // beyond what is read at each opening
  overwrite(middle, std::string(64, '#'));
  const std::string damaged =
      fmt::format("records/{} is damaged at byte {}", record().filename().string(), middle);
  const auto read = open_store(folder.path(), Mode::read).verify(true);
  EXPECT_EQ(read->problems,
            Rows{damaged + ": the next run, or `orchestrate verify` with write access, "
                           "restores it"});
  EXPECT_EQ(open_store(folder.path()).verify(true)->problems,
            Rows{damaged + "; it is restored from the database"});
  EXPECT_EQ(text(), whole);
  EXPECT_EQ(open_store(folder.path()).verify(true)->problems, Rows{});
}

TEST_F(RunRecord, that_was_cut_during_a_run_is_whole_after_the_next_commit) {
  Store store = open_store(folder.path());
  ASSERT_TRUE(store.put_resolution("hf", "a", "1", 1).ok());
  std::filesystem::resize_file(folder.path() / "records/store.jsonl", 3);
  ASSERT_TRUE(store.put_resolution("hf", "a", "2", 2).ok());
  EXPECT_EQ(store.verify(true)->problems, Rows{});
}

TEST_F(RunRecord, is_durable_before_its_commit_is_acknowledged) {
  for (const auto order :
       {store::SyncOrder::before, store::SyncOrder::after, store::SyncOrder::together}) {
    std::vector<std::string> calls;
    host.sync_order = order;
    auto store = Store::open(host, folder.path(), Mode::write);
    ASSERT_TRUE(store.ok());
    const std::string count = rows(folder.path(), "SELECT count(*) FROM resolution").at(0);
    files.fault = [&](std::string_view verb, const std::string& path) {
      const bool committed = rows(folder.path(), "SELECT count(*) FROM resolution") != Rows{count};
      if (order == store::SyncOrder::together)  // the commit may come at any moment
        calls.push_back(fmt::format("{} {}", verb, std::filesystem::path(path).stem().string()));
      else
        calls.push_back(fmt::format("{} {}{}", verb, std::filesystem::path(path).stem().string(),
                                    committed ? " after the commit" : ""));
      return Status();
    };
    ASSERT_TRUE(store->put_resolution("hf", "a" + count, "1", 1).ok());
    files.fault = [](std::string_view, const std::string&) { return Status(); };
    const std::string late = order == store::SyncOrder::after ? " after the commit" : "";
    std::vector<std::string> expected = {"open store", "append store", "sync store" + late};
    if (count == "0") expected.push_back("sync records" + late);
    EXPECT_EQ(calls, expected);
  }
}

TEST_F(RunRecord, that_cannot_be_synced_is_not_acknowledged_and_whole_again_next_time) {
  for (const auto order : {store::SyncOrder::after, store::SyncOrder::together}) {
    host.sync_order = order;
    auto store = Store::open(host, folder.path(), Mode::write);
    ASSERT_TRUE(store.ok());
    files.fault = [](std::string_view verb, const std::string& path) {
      return verb == "sync" ? Status(io_error(verb, path, EIO)) : Status();
    };
    EXPECT_FALSE(store->put_resolution("hf", "a", "1", 1).ok());
    files.fault = [](std::string_view, const std::string&) { return Status(); };
    EXPECT_FALSE(store->put_resolution("hf", "b", "1", 1).ok());  // until it is opened again
    store = Store::open(host, folder.path(), Mode::read);
    EXPECT_EQ(open_store(folder.path()).verify(true)->problems, Rows{});
  }
}

TEST_F(RunRecord, whose_line_cannot_be_cut_off_takes_no_other_line) {
  host.sync_order = store::SyncOrder::before;
  auto store = Store::open(host, folder.path(), Mode::write);
  ASSERT_TRUE(store.ok());
  files.fault = [](std::string_view verb, const std::string& path) {
    return verb == "sync" || verb == "truncate" ? Status(io_error(verb, path, EIO)) : Status();
  };
  EXPECT_THAT(store->put_resolution("hf", "a", "1", 1).error().text(), HasSubstr("cannot sync"));
  files.fault = [](std::string_view, const std::string&) { return Status(); };
  EXPECT_THAT(store->put_resolution("hf", "b", "2", 2).error().text(), HasSubstr("cannot"));
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM resolution"), Rows{"0"});
}

TEST_F(RunRecord, of_an_older_version_is_copied_when_the_store_is_opened) {
  const std::string whole = text();
  {
    auto database = sql::Database::open((folder.path() / "results.db").string(), {});
    ASSERT_TRUE(database->execute("DELETE FROM record_copy").ok());
  }
  EXPECT_EQ(notices(), Rows{});
  std::filesystem::resize_file(record(), 10);
  EXPECT_EQ(notices().size(), 1u);
  EXPECT_EQ(text(), whole);
}

TEST_F(RunRecord, is_one_piece_in_the_database_once_its_run_is_over) {
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM record_copy"), Rows{"1"});
}

}  // namespace record_log_test
}  // namespace orch
