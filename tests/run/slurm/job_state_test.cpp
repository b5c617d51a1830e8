#include "run/slurm/slurm.hpp"

#include <gtest/gtest.h>

namespace orch::slurm {
namespace job_state_test {

TEST(JobState, IsReadFromLinesOfSqueue) {
  const auto jobs = parse_jobs(
      "34|0|PENDING||orchestrate-b1|ReqNodeNotAvail, UnavailableNodes:n2\n"
      "34|1|RUNNING|n1|orchestrate-b1|None\n"
      "35|N/A|COMPLETED|n[1-2]|orchestrate-b2|a|b\n"
      "36|N/A|RUNNING|n1|training|of|somebody\n"
      "slurm_load_jobs error: Unable to contact slurm controller\n");
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].id, "34_0");
  EXPECT_EQ(jobs[0].index, 0);
  EXPECT_EQ(jobs[0].batch, "b1");
  EXPECT_EQ(jobs[0].reason, "ReqNodeNotAvail, UnavailableNodes:n2");
  EXPECT_EQ(jobs[1].nodes, "n1");
  EXPECT_EQ(jobs[1].reason, "");
  EXPECT_FALSE(jobs[1].is_over());
  EXPECT_EQ(jobs[2].id, "35");
  EXPECT_FALSE(jobs[2].index);
  EXPECT_EQ(jobs[2].reason, "a|b");
  EXPECT_TRUE(jobs[2].is_over());
}

TEST(JobState, SaysWhichJobsNeverStartByThemselves) {
  const auto is_held = [](const std::string& reason) {
    return JobState{.id = "1", .batch = "b", .state = "PENDING", .reason = reason}.is_held();
  };
  EXPECT_TRUE(is_held("launch failed requeued held"));
  EXPECT_TRUE(is_held("JobHeldAdmin"));
  EXPECT_TRUE(is_held("DependencyNeverSatisfied"));
  EXPECT_FALSE(is_held("Resources"));
  EXPECT_FALSE(is_held("Priority"));
  EXPECT_FALSE((JobState{.id = "1", .batch = "b", .state = "RUNNING", .reason = "held"}.is_held()));
  const auto can_be_released = [](const std::string& reason) {
    return JobState{.id = "1", .batch = "b", .state = "PENDING", .reason = reason}
        .can_be_released();
  };
  EXPECT_TRUE(can_be_released("JobHeldUser"));
  EXPECT_FALSE(can_be_released("PartitionNodeLimit"));
}

TEST(JobState, SaysWhyAJobEndedUnlessItsProcessesDidIt) {
  for (const char* state : {"CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED"})
    EXPECT_TRUE(says_why(state)) << state;
  for (const char* state : {"COMPLETED", "FAILED", "RUNNING", "PENDING", ""})
    EXPECT_FALSE(says_why(state)) << state;
}

TEST(JobState, IsReadFromLinesOfTheAccountingByTheNameOfTheBatch) {
  EXPECT_EQ(
      sacct_words({"34_1", "35"}),
      (std::vector<std::string>{"sacct", "--noheader", "--parsable2", "--allocations", "--jobs",
                                "34_1,35", "--format", "JobID,State,NodeList,JobName"}));
  const auto jobs = parse_accounted(
      "34_1|OUT_OF_MEMORY|n1|orchestrate-b1\n"
      "35|CANCELLED by 1000|None assigned|orchestrate-b2\n"
      "36|TIMEOUT|n1|of|somebody\n"
      "37|TIMEOUT|n1|training\n"
      "38_[2-5]|CANCELLED|None assigned|orchestrate-b3\n");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].batch, "b1");
  EXPECT_EQ(jobs[0].index, 1);
  EXPECT_EQ(jobs[0].state, "OUT_OF_MEMORY");
  EXPECT_EQ(jobs[0].nodes, "n1");
  EXPECT_EQ(jobs[1].batch, "b2");
  EXPECT_FALSE(jobs[1].index);
  EXPECT_EQ(jobs[1].state, "CANCELLED");
  EXPECT_EQ(jobs[1].nodes, "");
}

TEST(Submitted, IsTheNumberThatSbatchPrints) {
  EXPECT_EQ(parse_submitted("12\n"), "12");
  EXPECT_EQ(parse_submitted("12;cluster\n"), "12");
  EXPECT_EQ(parse_submitted(""), "");
  EXPECT_EQ(parse_submitted("Submitted batch job 12"), "");
  EXPECT_EQ(parse_submitted("Welcome to the cluster\n2 notices\n12\n"), "12");
}

}  // namespace job_state_test
}  // namespace orch::slurm
