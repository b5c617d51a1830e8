// What a user is told of jobs that are held and of a controller that is silent, and how often.
#include "run/slurm/slurm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::slurm {
namespace notices_test {

using testing::ElementsAre;
using testing::IsEmpty;

JobState waiting(const std::string& id, const std::string& reason) {
  const std::size_t at = id.find('_');
  return {.id = id,
          .batch = "b",
          .index = at == id.npos ? std::nullopt : std::optional(std::stoi(id.substr(at + 1))),
          .state = "PENDING",
          .reason = reason};
}

std::string job_is_held(const std::string& id, const std::string& reason) {
  return "job " + id + " of Slurm is held (" + reason + ") and will not start: `scontrol release " +
         id + "` lets it start, `scancel " + id + "` ends it";
}

// ELEMENTS: "0-3,7".
std::string jobs_are_held(const std::string& count, const std::string& array,
                          const std::string& elements, const std::string& reason) {
  const std::string ids = "'" + array + "_[" + elements + "]'";
  return count + " jobs of array " + array + " of Slurm are held (" + reason +
         ") and will not start: `scontrol release " + ids + "` lets them start, `scancel " + ids +
         "` ends them";
}

std::string silent_for(const std::string& seconds) {
  return "the controller of Slurm has not answered for " + seconds +
         " s; running jobs go on, but nothing new starts until it does";
}

const std::string k_answers = "the controller of Slurm answers again";

class NoticesTest : public testing::Test {
 protected:
  std::vector<std::string> told;
  Notices notices{[this](const std::string& text) { told.push_back(text); }};
};

TEST_F(NoticesTest, AReleaseIsNotAdvisedWhereItMendsNothing) {
  notices.look({waiting("12", "PartitionNodeLimit")});
  EXPECT_THAT(told, ElementsAre("job 12 of Slurm is waiting (PartitionNodeLimit) and will not "
                                "start: no node offers what it requests; correct `slurm:` of the "
                                "site file or `resources` of the stage, `scancel 12` ends it"));
}

TEST_F(NoticesTest, AHeldJobIsToldOnce) {
  notices.look({waiting("12", "JobHeldUser")});
  notices.look({waiting("12", "JobHeldUser")});
  EXPECT_THAT(told, ElementsAre(job_is_held("12", "JobHeldUser")));
}

TEST_F(NoticesTest, AJobThatWillStartByItselfIsNotTold) {
  notices.look({waiting("12", "Resources"), waiting("13", "Priority"), waiting("14", "")});
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(NoticesTest, AnotherReasonIsToldToo) {
  notices.look({waiting("12", "JobHeldUser")});
  for (int i = 0; i < 2; ++i) notices.look({waiting("12", "JobHeldAdmin")});
  EXPECT_THAT(told,
              ElementsAre(job_is_held("12", "JobHeldUser"), job_is_held("12", "JobHeldAdmin")));
}

TEST_F(NoticesTest, AJobThatIsHeldAgainAfterItsReleaseIsToldAgain) {
  notices.look({waiting("12", "JobHeldUser")});
  notices.look({waiting("12", "Resources")});
  EXPECT_EQ(told.size(), 1u);
  notices.look({waiting("12", "JobHeldUser")});
  EXPECT_THAT(told,
              ElementsAre(job_is_held("12", "JobHeldUser"), job_is_held("12", "JobHeldUser")));
}

TEST_F(NoticesTest, HeldJobsOfAnArrayShareASentence) {
  notices.look({waiting("12_0", "JobHeldUser"), waiting("13", "JobHeldUser"),
                waiting("12_1", "JobHeldUser")});
  EXPECT_THAT(told, ElementsAre(jobs_are_held("2", "12", "0-1", "JobHeldUser"),
                                job_is_held("13", "JobHeldUser")));
}

TEST_F(NoticesTest, EachReasonInAnArrayHasItsSentence) {
  notices.look({waiting("12_0", "JobHeldAdmin"), waiting("12_1", "JobHeldUser"),
                waiting("12_2", "JobHeldAdmin"), waiting("12_3", "JobHeldUser"),
                waiting("12_4", "JobHeldUser")});
  EXPECT_THAT(told, ElementsAre(jobs_are_held("2", "12", "0,2", "JobHeldAdmin"),
                                jobs_are_held("3", "12", "1,3-4", "JobHeldUser")));
}

TEST_F(NoticesTest, OneElementOfAnArrayIsNamedByItself) {
  notices.look({waiting("12_3", "JobHeldUser"), waiting("12_4", "Resources")});
  EXPECT_THAT(told, ElementsAre(job_is_held("12_3", "JobHeldUser")));
}

TEST_F(NoticesTest, OfAnArrayOnlyWhatIsNewlyHeldIsTold) {
  std::vector<JobState> held;
  for (const char* id : {"12_0", "12_1", "12_2"}) held.push_back(waiting(id, "JobHeldUser"));
  notices.look(held);
  for (const char* id : {"12_3", "12_4"}) held.push_back(waiting(id, "JobHeldUser"));
  notices.look(held);
  EXPECT_THAT(told, ElementsAre(jobs_are_held("3", "12", "0-2", "JobHeldUser"),
                                jobs_are_held("2", "12", "3-4", "JobHeldUser")));
}

TEST_F(NoticesTest, AControllerThatIsSilentFor20SecondsIsToldOnce) {
  notices.answered(false, 100);
  notices.answered(false, 119);
  EXPECT_THAT(told, IsEmpty());
  notices.answered(false, 120);
  notices.answered(false, 500);
  EXPECT_THAT(told, ElementsAre(silent_for("20")));
}

TEST_F(NoticesTest, ThatASilentControllerAnswersAgainIsToldOnce) {
  notices.answered(true, 90);
  notices.answered(false, 100);
  notices.answered(false, 145);
  notices.answered(true, 150);
  notices.answered(true, 155);
  EXPECT_THAT(told, ElementsAre(silent_for("45"), k_answers));
}

TEST_F(NoticesTest, AShortSilenceIsNotTold) {
  notices.answered(false, 100);
  notices.answered(false, 119);
  notices.answered(true, 130);
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(NoticesTest, ASilenceBeginsAfterTheLastAnswer) {
  notices.answered(false, 100);
  notices.answered(true, 110);
  notices.answered(false, 115);
  notices.answered(false, 134);
  EXPECT_THAT(told, IsEmpty());
  notices.answered(false, 137);
  EXPECT_THAT(told, ElementsAre(silent_for("22")));
}

TEST_F(NoticesTest, AnotherSilenceIsToldAgain) {
  for (const double began_s : {100, 200}) {
    notices.answered(false, began_s);
    notices.answered(false, began_s + 30);
    notices.answered(true, began_s + 40);
  }
  EXPECT_THAT(told, ElementsAre(silent_for("30"), k_answers, silent_for("30"), k_answers));
}

}  // namespace notices_test
}  // namespace orch::slurm
