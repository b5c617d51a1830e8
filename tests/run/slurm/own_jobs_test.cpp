// Which of the jobs that a controller lists are found, and which are cancelled.
#include "run/slurm/fake_slurm.hpp"
#include "run/slurm/job_board.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::slurm {
namespace own_jobs_test {

using testing::ElementsAre;
using testing::IsEmpty;

class OwnJobsTest : public testing::Test {
 protected:
  // The controller has a job at INDEX of the batch "b".
  void has(const std::string& id, int index, const std::string& state) {
    cluster.jobs.push_back({.id = id, .batch = "b", .index = index, .state = state});
  }
  // The id of the job that is found at INDEX of the batch "b"; "" for none.
  std::string id_at(int index) const {
    const JobState* job = jobs.find({"b", index});
    return job ? job->id : "";
  }

  FakeCluster cluster;
  FakeSlurm slurm{cluster};
  OwnJobs jobs{slurm};
};

TEST_F(OwnJobsTest, FindsAJobByItsBatchAndItsIndexInIt) {
  has("7_0", 0, "RUNNING");
  has("7_1", 1, "PENDING");
  cluster.jobs.push_back({.id = "8", .batch = "alone", .state = "RUNNING"});
  EXPECT_EQ(id_at(0), "") << "the controller was not asked yet";
  ASSERT_TRUE(jobs.ask());
  EXPECT_EQ(jobs.all().size(), 3u);
  EXPECT_EQ(id_at(0), "7_0");
  EXPECT_EQ(id_at(1), "7_1");
  EXPECT_EQ(id_at(2), "");
  const JobState* alone = jobs.find({"alone", 0});
  ASSERT_NE(alone, nullptr);
  EXPECT_EQ(alone->id, "8");
  EXPECT_EQ(jobs.find({"of somebody else", 0}), nullptr);
}

TEST_F(OwnJobsTest, OfSeveralAtOnePlaceFindsTheOneThatIsNotOver) {
  has("7", 0, "CANCELLED");
  has("8", 0, "RUNNING");
  has("9", 1, "PENDING");
  has("10", 1, "NODE_FAIL");
  ASSERT_TRUE(jobs.ask());
  EXPECT_EQ(id_at(0), "8");
  EXPECT_EQ(id_at(1), "9");
}

TEST_F(OwnJobsTest, FindsAJobThatIsOverUntilTheControllerForgetsIt) {
  has("7", 0, "COMPLETED");
  has("8", 1, "RUNNING");
  ASSERT_TRUE(jobs.ask());
  EXPECT_EQ(id_at(0), "7");
  cluster.jobs.erase(cluster.jobs.begin());
  ASSERT_TRUE(jobs.ask());
  EXPECT_EQ(id_at(0), "");
  EXPECT_EQ(id_at(1), "8");
}

TEST_F(OwnJobsTest, WithoutAnAnswerKeepsWhatItLastHeard) {
  has("7", 0, "RUNNING");
  ASSERT_TRUE(jobs.ask());
  jobs.has_ended({"b", 0});
  cluster.jobs.clear();
  cluster.is_down = true;
  EXPECT_FALSE(jobs.ask());
  EXPECT_EQ(jobs.all().size(), 1u);
  EXPECT_EQ(id_at(0), "7");
  EXPECT_THAT(jobs.left(), ElementsAre(JobPlace{"b", 0}));
  cluster.is_down = false;
  EXPECT_TRUE(jobs.ask());
  EXPECT_THAT(jobs.all(), IsEmpty());
}

TEST_F(OwnJobsTest, CancelsByTheIdThatTheControllerHasJustNamed) {
  has("7", 0, "RUNNING");
  ASSERT_TRUE(jobs.ask());
  jobs.cancel({"b", 0});
  EXPECT_THAT(cluster.cancelled, IsEmpty()) << "the id may be of another job by now";
  cluster.is_down = true;
  EXPECT_FALSE(jobs.ask());
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  EXPECT_TRUE(jobs.has_any_to_cancel());
  cluster.is_down = false;
  cluster.jobs[0].id = "9";
  ASSERT_TRUE(jobs.ask());
  EXPECT_THAT(cluster.cancelled, ElementsAre("9"));
}

TEST_F(OwnJobsTest, DoesNotCancelAnIdThatAnotherBatchHasByNow) {
  has("7", 0, "RUNNING");
  ASSERT_TRUE(jobs.ask());
  jobs.cancel({"b", 0});
  cluster.jobs[0].batch = "of somebody else";
  ASSERT_TRUE(jobs.ask());
  EXPECT_THAT(cluster.cancelled, IsEmpty());
}

TEST_F(OwnJobsTest, CancelsAgainUntilTheJobIsOver) {
  has("7", 0, "");
  jobs.cancel({"b", 0});
  for (const char* state : {"PENDING", "RUNNING", "COMPLETING"}) {
    cluster.jobs[0].state = state;
    ASSERT_TRUE(jobs.ask());
    EXPECT_TRUE(jobs.has_any_to_cancel()) << state;
  }
  EXPECT_THAT(cluster.cancelled, ElementsAre("7", "7", "7"));
  cluster.jobs[0].state = "CANCELLED";
  ASSERT_TRUE(jobs.ask());
  EXPECT_FALSE(jobs.has_any_to_cancel());
  EXPECT_EQ(cluster.cancelled.size(), 3u);
}

TEST_F(OwnJobsTest, CancelsNoMoreWhatTheControllerDoesNotKnow) {
  jobs.cancel({"b", 0});
  EXPECT_TRUE(jobs.has_any_to_cancel());
  ASSERT_TRUE(jobs.ask());
  EXPECT_FALSE(jobs.has_any_to_cancel());
  has("7", 0, "RUNNING");
  ASSERT_TRUE(jobs.ask());
  EXPECT_THAT(cluster.cancelled, IsEmpty());
}

TEST_F(OwnJobsTest, CancelsEveryJobAtAPlaceThatIsNotOver) {
  has("7", 0, "FAILED");
  has("8", 0, "RUNNING");
  has("9", 0, "PENDING");
  has("10", 1, "RUNNING");
  jobs.cancel({"b", 0});
  ASSERT_TRUE(jobs.ask());
  EXPECT_THAT(cluster.cancelled, ElementsAre("8", "9"));
}

TEST_F(OwnJobsTest, CancelsAJobThatWaitsThoughItsLaunchHasEnded) {
  has("7", 0, "PENDING");
  has("8", 1, "RUNNING");
  has("9", 2, "PENDING");
  EXPECT_FALSE(jobs.has_any_ended());
  jobs.has_ended({"b", 0});
  jobs.has_ended({"b", 1});
  EXPECT_TRUE(jobs.has_any_ended());
  ASSERT_TRUE(jobs.ask());
  EXPECT_THAT(cluster.cancelled, ElementsAre("7")) << "what runs ends by itself";
  cluster.jobs[1].state = "PENDING";  // put back into the queue
  ASSERT_TRUE(jobs.ask());
  EXPECT_THAT(cluster.cancelled, ElementsAre("7", "8"));
}

TEST_F(OwnJobsTest, LeftAreEndedLaunchesWhoseJobsAreNotOver) {
  has("7", 0, "RUNNING");
  has("8", 1, "COMPLETED");
  has("9", 2, "RUNNING");
  has("10", 3, "PENDING");
  for (const int index : {0, 1, 3, 4}) jobs.has_ended({"b", index});  // 4 is unknown
  EXPECT_THAT(jobs.left(), IsEmpty());
  ASSERT_TRUE(jobs.ask());
  EXPECT_THAT(jobs.left(), ElementsAre(JobPlace{"b", 0}, JobPlace{"b", 3}));
  ASSERT_TRUE(jobs.ask());
  EXPECT_THAT(jobs.left(), ElementsAre(JobPlace{"b", 0})) << "the one that waited was cancelled";
}

}  // namespace own_jobs_test
}  // namespace orch::slurm
