// A file of every released schema is migrated completely or not at all, and its views keep their
// rows.
#include "results/tables/schema.hpp"

#include "results/store/killed.hpp"
#include "results/store/sample.hpp"
#include "results/tables/views.hpp"

namespace orch {
namespace schema_test {

using namespace sample;
using store::Mode;
using store::Store;

// Restores results.db from a dump in data/.
void restore(const std::filesystem::path& root, int version) {
  std::ifstream file(
      fmt::format("{}/tests/results/tables/data/schema-{}.sql", ORCH_SOURCE_DIR, version));
  const std::string dump((std::istreambuf_iterator<char>(file)), {});
  auto database = sql::Database::open((root / "results.db").string(), {});
  ASSERT_TRUE(database.ok());
  const Status done = database->execute(dump);
  ASSERT_TRUE(done.ok()) << done.error().text();
}

// The columns that the views of schema 1 had.
std::map<std::string, std::string> columns_of_schema_1() {
  const TemporaryFolder folder;
  restore(folder.path(), 1);
  std::map<std::string, std::string> columns;
  for (const tables::View& view : tables::public_views())
    for (const std::string& name :
         rows(folder.path(), fmt::format("SELECT name FROM pragma_table_info('{}')", view.name))) {
      if (view.name == "results" && name.ends_with("_sd"))
        continue;  // it was the mean of the repeats' own values
      std::string& list = columns[std::string(view.name)];
      list += (list.empty() ? "" : ", ") + sql::quote_name(name);
    }
  return columns;
}

// Every row of every view of schema 1, unordered.
std::map<std::string, Rows> all_views(const std::filesystem::path& root) {
  static const auto k_columns = columns_of_schema_1();
  std::map<std::string, Rows> views;
  for (const tables::View& view : tables::public_views()) {
    if (!k_columns.contains(std::string(view.name))) continue;  // added later
    if (view.name == "results") continue;                       // see k_results
    Rows found = rows(
        root, fmt::format("SELECT {} FROM {}", k_columns.at(std::string(view.name)), view.name));
    std::sort(found.begin(), found.end());
    views[std::string(view.name)] = found;
  }
  return views;
}

void expect_same(const std::map<std::string, Rows>& now,
                 const std::map<std::string, Rows>& before) {
  ASSERT_EQ(now.size(), before.size());
  for (const auto& [name, found] : now) EXPECT_EQ(found, before.at(name)) << name;
}

// Run 3 asked for one repeat of the two that run 1 had measured: both count now.
const Rows k_results = {"quick|3|tiny_c1-aaaaaa|10.5|2", "quick|1|tiny_c4-aaaaaa|12.5|2"};
constexpr const char* k_select_results =
    "SELECT experiment, run, point, ttft_ms, repeats FROM results ORDER BY point";

TEST(Migration, of_schema_1_keeps_every_row_of_every_view) {
  const TemporaryFolder folder;
  restore(folder.path(), 1);
  const auto before = all_views(folder.path());
  for (const auto& [name, found] : before) EXPECT_FALSE(found.empty()) << name;
  { const Store store = open_store(folder.path()); }
  EXPECT_EQ(rows(folder.path(), "PRAGMA user_version"), Rows{std::to_string(newest_version())});
  expect_same(all_views(folder.path()), before);
  EXPECT_EQ(rows(folder.path(), k_select_results), k_results);
  EXPECT_EQ(rows(folder.path(), "PRAGMA integrity_check"), Rows{"ok"});
  EXPECT_EQ(rows(folder.path(), "PRAGMA foreign_key_check"), Rows{});
  // Before batches were recorded, every attempt had its own process.
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM attempt WHERE process IS NOT token"),
            Rows{"0"});
}

TEST(Migration, of_schema_2_gives_old_counters_their_family) {
  const TemporaryFolder folder;
  restore(folder.path(), 1);
  {
    const std::string path = (folder.path() / "results.db").string();
    auto database = sql::Database::open(path, {});
    ASSERT_TRUE(
        tables::migrate(*database, real_host().files, path, tables::migrations().first(2)).ok());
  }
  const auto before = all_views(folder.path());
  { const Store store = open_store(folder.path()); }
  EXPECT_EQ(rows(folder.path(), "PRAGMA user_version"), Rows{std::to_string(newest_version())});
  expect_same(all_views(folder.path()), before);
  EXPECT_EQ(
      rows(folder.path(),
           "SELECT DISTINCT family, model, kind, before, after, delta, n FROM server_metrics"),
      Rows{"nv_requests|-|-|3.0|5.0|2.0|-"});
}

TEST(Migration, of_schema_1_lets_the_next_run_recover_dead_attempts) {
  const TemporaryFolder folder;
  restore(folder.path(), 1);
  Store store = open_store(folder.path());
  std::vector<std::string> tokens;
  const auto unfinished = *store.unfinished();
  for (const auto& left : unfinished) tokens.push_back(left.token);
  EXPECT_EQ(tokens, (std::vector<std::string>{"serve-61746274-3", "bench-ed9188c6-1"}));
}

TEST(Migration, of_schema_3_packs_answers_line_by_line) {
  const TemporaryFolder folder;
  restore(folder.path(), 1);
  const std::string path = (folder.path() / "results.db").string();
  Rows before;
  {
    auto database = sql::Database::open(path, {});
    ASSERT_TRUE(
        tables::migrate(*database, real_host().files, path, tables::migrations().first(3)).ok());
    ASSERT_TRUE(
        database
            ->execute("CREATE TEMP TABLE numbers AS WITH RECURSIVE n(value) AS (VALUES (1) UNION "
                      "ALL SELECT value + 1 FROM n WHERE value < 700) SELECT value FROM n; "
                      "INSERT INTO request (measurement_id, line, idx, warmup) SELECT 1, 1000 + "
                      "value, value, 0 FROM numbers; "
                      "INSERT INTO answer SELECT 1, 1000 + value, 'answer ' || value || ', \"so\"' "
                      "FROM numbers")
            .ok());
  }
  before = rows(folder.path(),
                "SELECT measurement, idx, answer FROM answers ORDER BY measurement, idx, answer");
  EXPECT_GT(before.size(), 700u);
  { const Store store = open_store(folder.path()); }
  EXPECT_EQ(rows(folder.path(),
                 "SELECT measurement, idx, answer FROM answers ORDER BY measurement, idx, answer"),
            before);
  EXPECT_EQ(rows(folder.path(),
                 "SELECT count(*) > 1, sum(length(texts)) < 10000 FROM answer_block WHERE "
                 "measurement_id = 1"),
            Rows{"1|1"});
}

TEST(Migration, that_fails_leaves_the_version_before_it_and_keeps_a_copy) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "m.db").string();
  auto database = sql::Database::open(path, {});
  const tables::Migration first[] = {{1, "CREATE TABLE a(x INTEGER) STRICT"}};
  const tables::Migration second[] = {
      first[0],
      {2, "CREATE TABLE b(x INTEGER) STRICT"},
      {3, "CREATE TABLE c(x INTEGER) STRICT; INSERT INTO nowhere VALUES (1)"}};
  ASSERT_TRUE(tables::migrate(*database, real_host().files, path, first).ok());
  const Status status = tables::migrate(*database, real_host().files, path, second);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().text(),
              testing::HasSubstr("m.db: migrating to schema version 3; nothing was changed: "
                                 "SQLite: no such table: nowhere"));
  EXPECT_EQ(database->query_int("PRAGMA user_version").value(), 2);
  EXPECT_EQ(database->query_text("SELECT group_concat(name) FROM sqlite_schema").value(), "a,b");
  auto copy = sql::Database::open(path + ".version-1", {.access = sql::Access::read_only});
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(copy->query_int("PRAGMA user_version").value(), 1);
}

TEST(Migration, of_schema_4_adds_fields_that_older_measurements_lack) {
  const TemporaryFolder folder;
  restore(folder.path(), 1);
  const auto before = all_views(folder.path());
  {
    const std::string path = (folder.path() / "results.db").string();
    auto database = sql::Database::open(path, {});
    ASSERT_TRUE(
        tables::migrate(*database, real_host().files, path, tables::migrations().first(4)).ok());
  }
  { const Store store = open_store(folder.path()); }
  EXPECT_EQ(rows(folder.path(), "PRAGMA user_version"), Rows{std::to_string(newest_version())});
  expect_same(all_views(folder.path()), before);
  EXPECT_EQ(rows(folder.path(), "SELECT DISTINCT isl_cached FROM request"), Rows{"-"});
  EXPECT_EQ(rows(folder.path(), "SELECT DISTINCT isl_cached FROM requests"), Rows{"-"});
  EXPECT_EQ(rows(folder.path(), "SELECT DISTINCT steady FROM measurement"), Rows{"-"});
}

struct KilledMigration : testing::TestWithParam<const char*> {};

TEST(KilledMigrationChild, DISABLED_opens_the_store) {
  if (!folder_to_be_killed_in().empty())
    static_cast<void>(Store::open(real_host(), folder_to_be_killed_in(), Mode::write));
}

TEST_P(KilledMigration, leaves_the_old_version_or_the_new_one_and_a_copy) {
  const TemporaryFolder folder;
  restore(folder.path(), 1);
  const auto before = all_views(folder.path());
  ASSERT_TRUE(
      killed_at(GetParam(), 1, "KilledMigrationChild.DISABLED_opens_the_store", folder.path()));
  const bool committed = std::string_view(GetParam()) == "migration-committed";
  EXPECT_EQ(rows(folder.path(), "PRAGMA user_version"), Rows{committed ? "2" : "1"});
  EXPECT_EQ(rows(folder.path(), "PRAGMA integrity_check"), Rows{"ok"});
  expect_same(all_views(folder.path()), before);
  auto copy = sql::Database::open((folder.path() / "results.db.version-1").string(),
                                  {.access = sql::Access::read_only});
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(copy->query_int("PRAGMA user_version").value(), 1);
  EXPECT_EQ(copy->query_text("PRAGMA integrity_check").value(), "ok");
  { const Store store = open_store(folder.path()); }
  EXPECT_EQ(rows(folder.path(), "PRAGMA user_version"), Rows{std::to_string(newest_version())});
  expect_same(all_views(folder.path()), before);
}

INSTANTIATE_TEST_SUITE_P(Each, KilledMigration,
                         testing::Values("migration-backup-made", "migration-step-begun",
                                         "migration-step-done", "migration-committed"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Migration, refuses_a_newer_file_without_writing_to_it) {
  const TemporaryFolder folder;
  { const Store store = open_store(folder.path()); }
  {
    auto database = sql::Database::open((folder.path() / "results.db").string(), {});
    ASSERT_TRUE(database
                    ->execute(fmt::format("PRAGMA user_version = {}; PRAGMA journal_mode = DELETE",
                                          newest_version() + 1))
                    .ok());
  }
  const auto bytes = [&] {
    std::ifstream file(folder.path() / "results.db", std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  };
  const std::string before = bytes();
  const auto opened = Store::open(real_host(), folder.path(), Mode::write);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().text(),
            fmt::format("{}/results.db: has schema version {}, this program knows versions up to "
                        "{}: use the newer orchestrate that wrote it, or name "
                        "another store with --store",
                        std::filesystem::canonical(folder.path()).string(), newest_version() + 1,
                        newest_version()));
  EXPECT_EQ(bytes(), before);
}

}  // namespace schema_test
}  // namespace orch
