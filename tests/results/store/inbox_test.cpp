// Published records are ingested once, and no entry of the inbox stops a run.
#include "results/store/inbox.hpp"

#include "results/store/killed.hpp"
#include "results/store/rebuild.hpp"
#include "results/store/sample.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch {
namespace inbox_test {

using namespace sample;
using store::Layout;
using store::Mode;
using store::Store;

store::PublishedPoint point_of(const std::string& name, const json& measured,
                               std::map<std::string, matrix::Value> parameters = {}) {
  std::string lines;
  for (const json& line : requests()) lines += line.dump() + "\n";
  return {.name = name,
          .parameters = std::move(parameters),
          .measurement = json{{"schema", 1}, {"measurements", {measured}}}.dump(),
          .requests = lines};
}

store::Publication two_loads() {
  store::Publication publication{
      .token = {}, .experiment = "bench", .info = run_info(), .points = {}};
  for (const int concurrency : {1, 4})
    publication.points.push_back(point_of(fmt::format("tiny_c{}", concurrency),
                                          measurement(10 * concurrency, 100),
                                          {{"concurrency", integer(concurrency)}}));
  return publication;
}

const char* const k_results =
    "SELECT experiment, point, concurrency, ttft_ms, repeats FROM results ORDER BY point";
const Rows k_both = {"bench|tiny_c1|1|10.0|1", "bench|tiny_c4|4|40.0|1"};

TEST(Inbox, record_without_an_attempt_becomes_its_own_run) {
  const TemporaryFolder folder;
  const Layout layout{folder.path()};
  const auto uid = store::publish(real_host().files, layout, two_loads());
  ASSERT_TRUE(uid.ok()) << uid.error().text();
  Store store = open_store(folder.path());
  ASSERT_TRUE(store.ingest().ok());
  EXPECT_EQ(store.notices(), Rows{});
  EXPECT_EQ(rows(folder.path(), k_results), k_both);
  EXPECT_EQ(rows(folder.path(), "SELECT uid, experiment, outcome, command FROM run"),
            Rows{*uid + "|bench|done|[\"orchestrate\",\"run\",\"quick.yaml\"]"});
  EXPECT_FALSE(std::filesystem::exists(layout.inbox() / *uid));
  EXPECT_TRUE(std::filesystem::exists(layout.artifacts() / *uid / "2/measurement.json"));
  EXPECT_EQ(rows(folder.path(), "SELECT path FROM measurement ORDER BY id"),
            (Rows{"artifacts/" + *uid + "/1", "artifacts/" + *uid + "/2"}));
}

TEST(Inbox, a_point_may_say_itself_when_it_was_measured) {
  const TemporaryFolder folder;
  store::Publication publication = two_loads();
  publication.points[0].measured_at = 1767225600;
  ASSERT_TRUE(store::publish(real_host().files, Layout{folder.path()}, publication).ok());
  Store store = open_store(folder.path());
  ASSERT_TRUE(store.ingest().ok());
  EXPECT_EQ(rows(folder.path(), "SELECT measured_at FROM results ORDER BY point").front(),
            "2026-01-01T00:00:00Z");
  EXPECT_NE(rows(folder.path(), "SELECT measured_at FROM results ORDER BY point").back(),
            "2026-01-01T00:00:00Z");
}

TEST(Inbox, partial_record_is_removed_once_its_writer_is_dead) {
  const TemporaryFolder folder;
  const Layout layout{folder.path()};
  const auto torn = layout.inbox() / ".0123", written = layout.inbox() / ".4567";
  for (const auto& each : {torn, written}) std::filesystem::create_directories(each / "1");
  const int writer = ::open(written.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  Store store = open_store(folder.path());
  ASSERT_TRUE(store.ingest().ok());
  EXPECT_FALSE(std::filesystem::exists(torn));
  EXPECT_TRUE(std::filesystem::exists(written));
  ::close(writer);
}

TEST(Inbox, is_ingested_when_a_run_begins) {
  const TemporaryFolder folder;
  ASSERT_TRUE(store::publish(real_host().files, Layout{folder.path()}, two_loads()).ok());
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  EXPECT_EQ(driver.journal->run_id(), 2);
  EXPECT_EQ(rows(folder.path(), k_results), k_both);
}

TEST(Inbox, record_that_is_published_twice_counts_once) {
  const TemporaryFolder folder;
  const Layout layout{folder.path()};
  const std::string uid = *store::publish(real_host().files, layout, two_loads());
  Store store = open_store(folder.path());
  ASSERT_TRUE(store.ingest().ok());
  std::filesystem::copy(layout.artifacts() / uid, layout.inbox() / uid,
                        std::filesystem::copy_options::recursive);
  ASSERT_TRUE(store.ingest().ok());
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM measurement"), Rows{"2"});
  EXPECT_EQ(store.notices().size(), 1u);  // the name in artifacts/ is taken
}

TEST(InboxChild, DISABLED_publishes_and_ingests) {
  const std::string root = folder_to_be_killed_in();
  if (root.empty()) return;
  static_cast<void>(store::publish(real_host().files, Layout{root}, two_loads()));
  Store store = open_store(root);
  static_cast<void>(store.ingest());
}

struct KilledInbox : testing::TestWithParam<const char*> {};

TEST_P(KilledInbox, is_ingested_completely_and_once_by_the_next_writer) {
  const TemporaryFolder folder;
  { const Store made = open_store(folder.path()); }
  ASSERT_TRUE(killed_at(GetParam(), 1, "InboxChild.DISABLED_publishes_and_ingests", folder.path()));
  {
    Store store = open_store(folder.path());
    ASSERT_TRUE(store.ingest().ok());
    EXPECT_EQ(store.notices(), Rows{});
  }
  // Before the rename nothing is published.
  const bool published = std::string_view(GetParam()) != "inbox-written";
  ASSERT_EQ(rows(folder.path(), "SELECT count(*) FROM run"), Rows{published ? "1" : "0"});
  if (!published) return;
  EXPECT_EQ(rows(folder.path(), k_results), k_both);
  const Rows before = rows(folder.path(), "SELECT * FROM requests");
  ASSERT_TRUE(store::rebuild(real_host(), folder.path()).ok());
  EXPECT_EQ(rows(folder.path(), k_results), k_both);
  EXPECT_EQ(rows(folder.path(), "SELECT * FROM requests"), before);
}

INSTANTIATE_TEST_SUITE_P(Each, KilledInbox,
                         testing::Values("inbox-written", "inbox-renamed", "inbox-ingested",
                                         "inbox-moved"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Inbox, record_that_was_ingested_and_not_moved_is_found_by_a_rebuild) {
  const TemporaryFolder folder;
  { const Store made = open_store(folder.path()); }
  ASSERT_TRUE(
      killed_at("inbox-ingested", 1, "InboxChild.DISABLED_publishes_and_ingests", folder.path()));
  ASSERT_TRUE(store::rebuild(real_host(), folder.path()).ok());
  EXPECT_EQ(rows(folder.path(), k_results), k_both);
}

TEST(Inbox, record_of_an_attempt_belongs_to_it_and_that_of_a_superseded_one_is_hidden) {
  const TemporaryFolder folder;
  const plan::Plan plan = make_plan({.concurrencies = {1}});
  {
    Store store = open_store(folder.path());
    Driver driver(store, plan);
    driver.start(driver.stage_of("bench"));
    driver.start(driver.stage_of("bench"));
    driver.commit();
  }
  for (const int number : {1, 2}) {
    const store::Publication one{.token = token_of({plan.stages[2].id, number}),
                                 .experiment = {},
                                 .info = run_info(),
                                 .points = {point_of("", measurement(number, 100))}};
    ASSERT_TRUE(store::publish(real_host().files, Layout{folder.path()}, one).ok());
  }
  Store store = open_store(folder.path());
  Driver driver(store, plan);
  EXPECT_EQ(rows(folder.path(),
                 "SELECT a.number, m.superseded FROM measurement m JOIN attempt a ON a.id = "
                 "m.attempt_id ORDER BY 1"),
            (Rows{"1|1", "2|0"}));
  EXPECT_EQ(rows(folder.path(), "SELECT ttft_ms FROM results_all"), Rows{"2.0"});
  EXPECT_EQ(
      rows(folder.path(),
           "SELECT kind, attempt FROM event WHERE kind IN ('measured', 'superseded') ORDER BY 2"),
      (Rows{"superseded|1", "measured|2"}));
  EXPECT_EQ(store.notices(), Rows{});
}

TEST(Inbox, does_not_follow_links_or_wait_for_pipes) {
  const TemporaryFolder folder, elsewhere;
  const Layout layout{folder.path()};
  ASSERT_TRUE(store::publish(real_host().files, Layout{elsewhere.path()}, two_loads()).ok());
  const auto foreign = std::filesystem::directory_iterator(elsewhere.path() / "inbox")->path();
  std::filesystem::create_directories(layout.inbox() / "piped");
  std::filesystem::create_directories(layout.inbox() / "linked");
  std::filesystem::create_directory_symlink(foreign, layout.inbox() / foreign.filename());
  std::filesystem::create_symlink(foreign / "record.json", layout.inbox() / "linked/record.json");
  ASSERT_EQ(::mkfifo((layout.inbox() / "piped/record.json").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((layout.inbox() / "pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((layout.inbox() / ".pipe").c_str(), 0600), 0);
  Store store = open_store(folder.path());
  ASSERT_TRUE(store.ingest().ok());
  EXPECT_THAT(
      store.notices(),
      testing::UnorderedElementsAre(
          "inbox/" + foreign.filename().string() +
              " was not ingested: it is a link; a record is a folder of files",
          "inbox/linked was not ingested: " + (layout.inbox() / "linked/record.json").string() +
              " is a link; put a regular file in its place",
          "inbox/piped was not ingested: " + (layout.inbox() / "piped/record.json").string() +
              " is not a regular file",
          testing::StartsWith("inbox/pipe was not ingested: ")));
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM measurement"), Rows{"0"});
  EXPECT_TRUE(std::filesystem::exists(foreign / "record.json"));
}

TEST(Inbox, leaves_other_entries_alone_with_a_notice) {
  const TemporaryFolder folder;
  const Layout layout{folder.path()};
  { const Store made = open_store(folder.path()); }
  write_file(layout.inbox() / "a file", "x");
  std::filesystem::create_directories(layout.inbox() / "empty");
  write_file(layout.inbox() / "torn/record.json", "{\"schema\": 1, ");
  write_file(layout.inbox() / "newer/record.json", "{\"schema\": 2}");
  write_file(layout.inbox() / "other/record.json", "{\"schema\": 1, \"uid\": \"../other\"}");
  write_file(layout.inbox() / ".being-written/record.json", "");
  store::Publication lost = two_loads();
  lost.points.resize(1);
  lost.token = "unknown-1";
  const std::string uid = *store::publish(real_host().files, layout, lost);
  Store store = open_store(folder.path());
  Driver driver(store, make_plan());
  EXPECT_THAT(store.notices(),
              testing::UnorderedElementsAre(
                  testing::StartsWith("inbox/a file was not ingested: "),
                  testing::StartsWith("inbox/empty was not ingested: "),
                  testing::StartsWith("inbox/torn was not ingested: record.json: "),
                  "inbox/newer was not ingested: record.json has schema 2; this program reads 1",
                  "inbox/other was not ingested: record.json names another uid",
                  "inbox/" + uid +
                      " was not ingested: it belongs to an attempt that this store does not have"));
  EXPECT_TRUE(std::filesystem::exists(layout.inbox() / "torn"));
}

}  // namespace inbox_test
}  // namespace orch
