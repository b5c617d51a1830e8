// How launches become batches, and what becomes of a batch without an answer.
#include "run/slurm/submitter.hpp"

#include "fakes/fake_world.hpp"
#include "fakes/temp_folder.hpp"
#include "run/slurm/fake_slurm.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::slurm {
namespace submitter_test {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Placed = Submitter::Placed;

const std::vector<std::string> k_small = {"--mem=1M"};
const std::vector<std::string> k_large = {"--mem=2M"};  // submitted after the small ones

class SubmitterTest : public testing::Test {
 protected:
  SubmitterTest() {
    options.program = "/opt/orchestrate";
    begin();
  }

  void begin() { submitter.emplace(job_files, slurm, clock, options); }
  std::string add(const std::vector<std::string>& words = k_small) {
    const std::string token = system::new_token();
    submitter->add(token, words);
    return token;
  }
  // Submits two launches to a controller that dies and forgets them; returns the first.
  Placed submit_in_vain(const std::vector<std::string>& words = k_small) {
    cluster.forgets = true;
    add(words);
    add(words);
    const std::vector<Placed> placed = submitter->submit();
    cluster.forgets = false;
    return placed.at(0);
  }
  // Asks the controller; no launch but those of WANTED waits for its end.
  std::vector<Placed> settle(const std::set<std::string>& wanted) {
    EXPECT_TRUE(jobs.ask());
    return submitter->settle(jobs,
                             [&](const std::string& batch) { return wanted.contains(batch); });
  }
  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> sizes;
    for (const Submission& one : cluster.submitted) sizes.push_back(one.tasks);
    return sizes;
  }

  fakes::TempFolder store;
  system::RealFiles files;
  OrchestratorFiles job_files{files, store.path()};
  fakes::FakeClock clock;
  FakeCluster cluster;
  FakeSlurm slurm{cluster};
  OwnJobs jobs{slurm};
  SubmitOptions options;
  std::optional<Submitter> submitter;
};

TEST_F(SubmitterTest, LaunchesThatFollowEachOtherSoonShareAnArray) {
  options.gather_s = 10;
  begin();
  EXPECT_FALSE(submitter->is_gathering()) << "there is nothing to submit";
  const std::string first = add();
  clock.time_s += 9;
  EXPECT_TRUE(submitter->is_gathering());
  const std::string second = add();
  clock.time_s += 9;
  EXPECT_TRUE(submitter->is_gathering());
  clock.time_s += 1;
  EXPECT_FALSE(submitter->is_gathering());
  submitter->submit();
  ASSERT_THAT(sizes(), ElementsAre(2));
  EXPECT_THAT(job_files.tokens_of(cluster.submitted[0].comment), ElementsAre(first, second));
}

TEST_F(SubmitterTest, GathersNoLongerThanItIsTold) {
  add();
  EXPECT_FALSE(submitter->is_gathering()) << "not at all unless it is told to";
  options.gather_s = 10;
  begin();
  for (int i = 0; i < 200; ++i) {
    add();
    clock.time_s += 5;
  }
  EXPECT_FALSE(submitter->is_gathering()) << "not for ever, though there is always one more";
}

TEST_F(SubmitterTest, LaunchesThatRequestSomethingElseAreAnotherBatch) {
  options.words = {"--account=a"};
  begin();
  const std::string first = add(k_small), other = add(k_large), second = add(k_small);
  submitter->submit();
  ASSERT_THAT(sizes(), ElementsAre(2, 1));
  const Submission &small = cluster.submitted[0], &large = cluster.submitted[1];
  EXPECT_THAT(small.options, ElementsAre("--account=a", "--mem=1M"));
  EXPECT_THAT(large.options, ElementsAre("--account=a", "--mem=2M"));
  EXPECT_THAT(job_files.tokens_of(small.comment), ElementsAre(first, second));
  EXPECT_THAT(job_files.tokens_of(large.comment), ElementsAre(other));
  EXPECT_EQ(small.output, job_files.batch_folder(small.comment) + "/said.%a");
  EXPECT_EQ(large.output, job_files.batch_folder(large.comment) + "/said");
}

TEST_F(SubmitterTest, AnArrayHasNoMoreElementsThanItMayAndEachIsNamedByItsPlace) {
  options.most_in_array = 2;
  begin();
  const std::vector<std::string> tokens = {add(), add(), add(), add(), add()};
  const std::vector<std::string> ids = {"1_0", "1_1", "2_0", "2_1", "3"};
  const std::vector<Placed> placed = submitter->submit();
  EXPECT_THAT(sizes(), ElementsAre(2, 2, 1));
  ASSERT_EQ(placed.size(), 5u);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    EXPECT_EQ(placed[i].token, tokens[i]) << i;
    EXPECT_EQ(placed[i].id, ids[i]) << i;
    EXPECT_EQ(placed[i].place, cluster.jobs[i].place()) << i;
  }
  EXPECT_NE(placed[1].place.batch, placed[2].place.batch) << "each array is a batch of its own";
}

TEST_F(SubmitterTest, TheScriptOfABatchHasTheLinesOfTheSiteAheadOfTheAgent) {
  options.extra = {"module load cuda"};
  options.ports = {.first = 21000, .last = 21999};
  begin();
  add();
  ASSERT_EQ(submitter->submit().at(0).refused, "");
  const auto script = files.read(cluster.submitted.at(0).script);
  ASSERT_TRUE(script);
  EXPECT_THAT(*script,
              ContainsRegex("\nmodule load cuda\n(.|\n)*\nexec /opt/orchestrate guardian --job "
                            "[^ ]+ 21000 21999 "));
}

TEST_F(SubmitterTest, ALaunchThatIsRemovedIsNotSubmitted) {
  const std::string removed = add(), kept = add();
  EXPECT_TRUE(submitter->remove(removed));
  EXPECT_FALSE(submitter->remove(removed)) << "it is there no more";
  EXPECT_FALSE(submitter->empty());
  EXPECT_EQ(submitter->submit().at(0).token, kept);
  EXPECT_TRUE(submitter->empty());
  EXPECT_FALSE(submitter->remove(kept)) << "it is submitted";
  EXPECT_THAT(submitter->submit(), IsEmpty());
  EXPECT_THAT(sizes(), ElementsAre(1));
}

TEST_F(SubmitterTest, EachLaunchOfARefusedBatchHasTheReason) {
  cluster.refuses = "sbatch: error: invalid partition specified: gpus";
  add();
  add();
  const std::vector<Placed> placed = submitter->submit();
  ASSERT_EQ(placed.size(), 2u);
  for (const Placed& one : placed) EXPECT_EQ(one.refused, cluster.refuses);
  EXPECT_FALSE(submitter->has_unsure());
}

TEST_F(SubmitterTest, WhatExceedsALimitOfJobsIsSubmittedAsOthersEnd) {
  cluster.most_live = 5;
  std::vector<std::string> told;
  options.tell = [&](const std::string& text) { told.push_back(text); };
  begin();
  for (int i = 0; i < 8; ++i) add();
  EXPECT_EQ(submitter->submit().size(), 5u) << "of an array that does not fit, the part that does";
  EXPECT_THAT(sizes(), ElementsAre(4, 1));
  EXPECT_TRUE(submitter->is_gathering());
  EXPECT_EQ(job_files.batches().size(), 2u) << "no batch is left of what was refused";
  clock.time_s += options.limited_s;
  EXPECT_FALSE(submitter->is_gathering());
  const int limited = cluster.limited;
  EXPECT_THAT(submitter->submit(), IsEmpty());
  EXPECT_EQ(cluster.limited, limited + 1) << "one question where nothing has changed";
  for (JobState& job : cluster.jobs) job.state = "COMPLETED";
  clock.time_s += options.limited_s;
  EXPECT_EQ(submitter->submit().size(), 3u);
  EXPECT_TRUE(submitter->empty());
  EXPECT_THAT(told, ElementsAre("Slurm takes no more of your jobs at present "
                                "(AssocMaxSubmitJobLimit); the others follow when there is room"));
}

TEST_F(SubmitterTest, ABatchWithoutAnAnswerForWhichThereIsNoRoomIsLeftToItsLaunches) {
  const Placed first = submit_in_vain();
  cluster.most_live = 0;
  clock.time_s += options.settles_s;
  EXPECT_THAT(settle({first.place.batch}), IsEmpty());
  EXPECT_FALSE(submitter->is_unsure(first.place.batch)) << "its launches are submitted again";
}

TEST_F(SubmitterTest, ABatchWhoseFilesCannotBeWrittenIsNotSubmitted) {
  ASSERT_TRUE(files.write(store.file("slurm"), "a file in the place of a folder"));
  add();
  const Placed placed = submitter->submit().at(0);
  EXPECT_THAT(placed.refused, HasSubstr(job_files.batch_folder(placed.place.batch)));
  EXPECT_THAT(sizes(), IsEmpty());
}

TEST_F(SubmitterTest, ABatchWithoutAnAnswerIsSubmittedAgainOnceTheControllerHasSettled) {
  const Placed first = submit_in_vain();
  EXPECT_EQ(first.id + first.refused, "") << "nothing is known of it";
  const std::string batch = first.place.batch;
  clock.time_s += 14;
  EXPECT_THAT(settle({batch}), IsEmpty());
  EXPECT_TRUE(submitter->is_unsure(batch));
  EXPECT_THAT(sizes(), IsEmpty());
  clock.time_s += 1;
  EXPECT_THAT(settle({batch}), IsEmpty());
  EXPECT_FALSE(submitter->has_unsure());
  ASSERT_THAT(sizes(), ElementsAre(2));
  EXPECT_EQ(cluster.submitted[0].comment, batch);
}

TEST_F(SubmitterTest, TheControllerHasTheSameTimeToSettleAfterEachSubmission) {
  const std::string batch = submit_in_vain().place.batch;
  cluster.forgets = true;
  clock.time_s += 20;
  settle({batch});
  cluster.forgets = false;
  EXPECT_TRUE(submitter->is_unsure(batch));
  clock.time_s += 14;
  settle({batch});
  EXPECT_THAT(sizes(), IsEmpty());
  clock.time_s += 1;
  settle({batch});
  EXPECT_THAT(sizes(), ElementsAre(2));
}

TEST_F(SubmitterTest, ABatchWhoseJobsAreFoundIsNotSubmittedAgain) {
  for (const char* state : {"PENDING", "COMPLETED"}) {
    cluster.swallows = true;
    add();
    add();
    const std::vector<Placed> placed = submitter->submit();
    cluster.swallows = false;
    ASSERT_EQ(placed.size(), 2u) << state;
    const std::string batch = placed[1].place.batch;
    EXPECT_TRUE(submitter->is_unsure(batch)) << state;
    for (JobState& job : cluster.jobs) job.state = state;
    settle({batch});
    EXPECT_FALSE(submitter->has_unsure()) << state;
    const JobState* found = jobs.find(placed[1].place);
    ASSERT_NE(found, nullptr) << state;
    EXPECT_EQ(found->id, cluster.jobs.back().id);
    clock.time_s += 100;
    settle({batch});
  }
  EXPECT_THAT(sizes(), ElementsAre(2, 2));
}

TEST_F(SubmitterTest, ABatchThatNoLaunchWaitsForIsNotSubmittedAgain) {
  const std::string wanted = submit_in_vain(k_small).place.batch;
  const std::string unwanted = submit_in_vain(k_large).place.batch;
  settle({wanted});
  EXPECT_TRUE(submitter->is_unsure(wanted));
  EXPECT_FALSE(submitter->is_unsure(unwanted));
  clock.time_s += 15;
  settle({wanted, unwanted});
  ASSERT_THAT(sizes(), ElementsAre(2));
  EXPECT_EQ(cluster.submitted[0].comment, wanted);
}

TEST_F(SubmitterTest, TheRefusalOfASecondSubmissionIsReported) {
  const std::string batch = submit_in_vain().place.batch;
  cluster.refuses = "sbatch: error: the partition is down";
  clock.time_s += 15;
  const std::vector<Placed> refused = settle({batch});
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[1].place, (JobPlace{batch, 1}));
  EXPECT_EQ(refused[1].refused, cluster.refuses);
  EXPECT_FALSE(submitter->has_unsure());
}

}  // namespace submitter_test
}  // namespace orch::slurm
