// Which places a user's output may not have.
#include "os/system/process.hpp"
#include "results/store/layout.hpp"
#include "results/store/sample.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace orch::store {
namespace own_places_test {

namespace fs = std::filesystem;

class OwnPlaces : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(store_ / "artifacts/bench-1/out");
    fs::create_directories(store_ / "attempts/token");
    fs::create_directories(store_ / "reports");
    std::ofstream(store_ / "results.db") << "rows";
  }
  bool may_write(const fs::path& path) { return check_output(path).ok(); }

  const sample::TemporaryFolder folder_;
  const fs::path root_ = folder_.path(), store_ = root_ / "results";
};

TEST_F(OwnPlaces, AreTheFilesAndFoldersThatAStoreMakes) {
  EXPECT_EQ(check_output(store_ / "results.db").error().message,
            fmt::format("'{0}/results.db' is in the results folder '{0}', where 'results.db' "
                        "belongs to the store, and nothing was written; name another path",
                        store_.string()));
  EXPECT_EQ(check_output(store_).error().message,
            fmt::format("'{}' is a results folder, and nothing was written; name another path",
                        store_.string()));
  for (const char* name :
       {"results.db-wal", "results.db-journal", "lock", "lease", "ballast", "records/run.jsonl",
        "inbox/uid/x", "logs/x", "guardians/x", "artifacts/bench-1/out/measurement.json",
        "artifacts/new", "attempts/token/out", "slurm/jobs.json", "diagnostics.log",
        "reports/../results.db", "artifacts/"})
    EXPECT_FALSE(may_write(store_ / name)) << name;
}

TEST_F(OwnPlaces, LeaveFreeWhatIsBesideThem) {
  for (const char* name : {"reports/page.html", "answers.jsonl", "notes/results.db"})
    EXPECT_TRUE(may_write(store_ / name)) << name;
  for (const char* name : {"artifacts/x", "results.db", "logs"})
    EXPECT_TRUE(may_write(root_ / name)) << name;
}

TEST_F(OwnPlaces, AreFoundBehindLinks) {
  fs::create_symlink(store_ / "results.db", root_ / "answers.jsonl");
  fs::create_directory_symlink(store_ / "artifacts", root_ / "elsewhere");
  fs::create_directory_symlink(root_, store_ / "artifacts/out");
  EXPECT_FALSE(may_write(root_ / "answers.jsonl"));
  EXPECT_FALSE(may_write(root_ / "elsewhere/x"));
  EXPECT_FALSE(may_write(store_ / "artifacts/out")) << "it would replace the link";
  EXPECT_TRUE(may_write(store_ / "artifacts/out/x")) << "it is not in the store";
}

TEST_F(OwnPlaces, OfOutputsAreOpenToStages) {
  ::setenv(system::k_token_variable, "token", 1);
  EXPECT_TRUE(may_write(store_ / "attempts/token/out/measurement.json"));
  EXPECT_TRUE(may_write(store_ / "artifacts/build-1/out/config.pbtxt")) << "made in place";
  EXPECT_FALSE(may_write(store_ / "results.db"));
  EXPECT_FALSE(may_write(store_ / "records/store.jsonl"));
  ::unsetenv(system::k_token_variable);
}

}  // namespace own_places_test
}  // namespace orch::store
