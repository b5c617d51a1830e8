// A database is compared with another one by what it knows, not by its row ids.
#include "results/store/rebuild.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace knowledge_test {

using namespace sample;
using store::Knowledge;

Knowledge known(const std::filesystem::path& root) {
  auto database = sql::Database::open((root / "results.db").string(), {});
  tables::Statements statements(*database);
  return *store::knowledge_of(statements);
}

void drop(const std::filesystem::path& root, const std::string& sql) {
  auto database = sql::Database::open((root / "results.db").string(), {});
  ASSERT_TRUE(database->execute("PRAGMA foreign_keys = OFF; " + sql).ok()) << sql;
}

TEST(Knowledge, lacks_what_was_removed_from_the_database) {
  const TemporaryFolder folder;
  complete_run(folder.path());
  const Knowledge before = known(folder.path());
  EXPECT_EQ(store::missing(before, before), Rows{});
  drop(folder.path(), "DELETE FROM request WHERE measurement_id = 1 AND line = 1");
  EXPECT_THAT(
      store::missing(before, known(folder.path())),
      testing::ElementsAre(testing::StartsWith("a measurement of 2 requests in artifacts/")));
  drop(folder.path(), "UPDATE attempt SET ended_at = NULL WHERE id = 1");
  EXPECT_THAT(store::missing(before, known(folder.path())),
              testing::Contains("the end of attempt 1 at 'build' in run 1"));
  drop(folder.path(), "UPDATE run SET uid = 'other'");
  EXPECT_THAT(store::missing(before, known(folder.path())), testing::Contains("run 1"));
}

TEST(Knowledge, of_the_artifacts_is_in_their_manifests_and_records) {
  const TemporaryFolder folder;
  write_file(folder.path() / "artifacts/build-1/manifest.json", R"({"token": "t1"})");
  write_file(folder.path() / "artifacts/u1/record.json", R"({"uid": "u1"})");
  write_file(folder.path() / "artifacts/broken/manifest.json", "{");
  write_file(folder.path() / "artifacts/list/manifest.json", R"({"token": ["t2"]})");
  const Knowledge found =
      store::knowledge_of_artifacts(real_host().files, store::Layout{folder.path()});
  EXPECT_EQ(found, (Knowledge{{"output t1", "artifacts/build-1"}, {"run u1", "artifacts/u1"}}));
}

}  // namespace knowledge_test
}  // namespace orch
