// What `status` is told of jobs.
#include "run/slurm/job_board.hpp"

#include "fakes/temp_folder.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace orch::slurm {
namespace job_board_test {

TEST(ShownJob, SaysWhereItIsAndWhyItWaits) {
  EXPECT_EQ((ShownJob{.id = "12_3", .state = "PENDING", .reason = "Resources"}).text(),
            "job 12_3 pending: Resources");
  EXPECT_EQ((ShownJob{.id = "12"}).text(), "job 12 pending") << "Slurm was not asked yet";
  EXPECT_EQ((ShownJob{.id = "12", .state = "RUNNING", .node = "n[1-2]"}).text(),
            "job 12 running on n[1-2]");
  EXPECT_EQ((ShownJob{.id = "12", .state = "COMPLETED"}).text(), "job 12 completed");
  EXPECT_EQ(ShownJob{}.text(), "job without an id: Slurm has not confirmed its submission");
}

TEST(ShownJob, IsHeldUntilSomebodyReleasesIt) {
  for (const char* reason : {"JobHeldAdmin", "JobHeldUser", "launch failed requeued held"}) {
    const ShownJob job{.id = "12", .state = "PENDING", .reason = reason};
    EXPECT_TRUE(job.is_held()) << reason;
    EXPECT_EQ(job.text(), std::string("job 12 held: ") + reason);
  }
  EXPECT_FALSE((ShownJob{.id = "12", .state = "PENDING", .reason = "Resources"}).is_held());
}

class JobBoardTest : public testing::Test {
 protected:
  JobBoardTest() { std::filesystem::create_directory(store.file("slurm")); }

  fakes::TempFolder store;
  system::RealFiles files;
  JobBoard board{files, store.path()};
  const ShownJobs jobs = {{"o1", {.id = "12_0", .state = "PENDING", .reason = "JobHeldAdmin"}},
                          {"o2", {.id = "12_1", .state = "RUNNING", .node = "n1"}}};
};

TEST_F(JobBoardTest, IsReadByAnotherProcess) {
  EXPECT_EQ(JobBoard(files, store.path()).read(), ShownJobs());
  board.show(jobs);
  EXPECT_EQ(JobBoard(files, store.path()).read(), jobs);
}

TEST_F(JobBoardTest, IsWrittenOnlyWhenSomethingHasChanged) {
  board.show(jobs);
  const std::string path = store.file("slurm/jobs.json");
  std::filesystem::remove(path);
  board.show(jobs);
  EXPECT_FALSE(std::filesystem::exists(path));
  board.show({});
  EXPECT_EQ(board.read(), ShownJobs());
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(JobBoardTest, ADamagedFileSaysNothing) {
  for (const char* text : {"", "[]", "{\"o1\": 3}", "{\"o1\": {\"id\": 12}}"}) {
    ASSERT_TRUE(files.write(store.file("slurm/jobs.json"), text));
    EXPECT_EQ(board.read(), ShownJobs()) << text;
  }
}

}  // namespace job_board_test
}  // namespace orch::slurm
