#include "run/slurm/slurm.hpp"

#include "fakes/temp_folder.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::slurm {
namespace slurm_test {

using testing::ElementsAre;

TEST(PlaceWords, SayWhatAPlaceRequests) {
  execute::Place place;
  place.gpus = 2;
  place.cores = 8;
  place.memory_gib = 1.5;
  place.alone = true;
  place.seconds = 61;
  place.stop_s = 20;
  EXPECT_THAT(place_words(place, "gpu:h100"),
              ElementsAre("--nodes=1", "--ntasks=1", "--gres=gpu:h100:2", "--cpus-per-task=8",
                          "--exclusive", "--mem=0", "--time=3", "--signal=B:TERM@30"));
  place.alone = false;
  EXPECT_THAT(place_words(place, "gpu:h100"),
              ElementsAre("--nodes=1", "--ntasks=1", "--gres=gpu:h100:2", "--cpus-per-task=8",
                          "--mem=1536M", "--time=3", "--signal=B:TERM@30"));
}

// sbatch refuses a job with --mem and --mem-per-gpu.
TEST(PlaceWords, LeaveToTheSiteWhatItRequestsItself) {
  execute::Place place;
  place.cores = 8;
  place.memory_gib = 1.5;
  const std::string cpus = "--cpus-per-task=8", memory = "--mem=1536M", end = "--signal=B:TERM@30";
  for (const char* word : {"--cpus-per-task=4", "-c4", "-c", "--cpus-per-gpu"})
    EXPECT_THAT(place_words(place, "gpu", {"--account=a", word}),
                ElementsAre("--nodes=1", "--ntasks=1", memory, end))
        << word;
  for (const char* word : {"--mem=4G", "--mem", "--mem-per-cpu=2G", "--mem-per-gpu"})
    EXPECT_THAT(place_words(place, "gpu", {word}),
                ElementsAre("--nodes=1", "--ntasks=1", cpus, end))
        << word;
  for (const char* word : {"--constraint=x", "-C", "--mem-bind=local", "--cpu-bind=none"})
    EXPECT_THAT(place_words(place, "gpu", {word}),
                ElementsAre("--nodes=1", "--ntasks=1", cpus, memory, end))
        << word;
  place.alone = true;
  EXPECT_THAT(place_words(place, "gpu", {"--mem=4G"}),
              ElementsAre("--nodes=1", "--ntasks=1", cpus, "--exclusive", end));
}

// Slurm counts in minutes, and its signals come up to one too early.
TEST(PlaceWords, LeaveATaskAllOfItsTimeAndAServerThatOfTheSite) {
  execute::Place place;
  place.seconds = 600;
  place.stop_s = 20;
  EXPECT_EQ(time_limit_of(place).minutes, 12);
  EXPECT_EQ(time_limit_of(place).ahead_s, 90);
  place.is_server = true;
  EXPECT_EQ(time_limit_of(place).minutes, 10);
  place.seconds = 0;
  EXPECT_EQ(time_limit_of(place).minutes, 0);
}

TEST(PlaceWords, DivideTheCoresAmongRanks) {
  execute::Place place;
  place.gpus = 4;
  place.cores = 10;
  place.ranks = 4;
  EXPECT_THAT(place_words(place, "gpu"),
              ElementsAre("--nodes=1", "--ntasks-per-node=4", "--gres=gpu:4", "--cpus-per-task=3",
                          "--signal=B:TERM@30"));
}

TEST(PlaceWords, RequestOfEachNodeItsPart) {
  execute::Place place;
  place.gpus = 16;
  place.cores = 40;
  place.ranks = 16;
  place.nodes = 2;
  place.memory_gib = 64;
  EXPECT_THAT(place_words(place, "gpu:h100"),
              ElementsAre("--nodes=2", "--ntasks-per-node=8", "--gres=gpu:h100:8",
                          "--cpus-per-task=3", "--mem=32768M", "--signal=B:TERM@30"));
}

TEST(SlurmEnvironment, HasNoVariableThatAJobMayNotSee) {
  const std::map<std::string, std::string> all = {
      {"PATH", "/bin"}, {"HF_TOKEN", "secret"}, {"SLURM_CONF", "/c"}, {"SLURM_JOB_ID", "3"}};
  EXPECT_EQ(slurm_environment(all),
            (std::map<std::string, std::string>{{"PATH", "/bin"}, {"SLURM_CONF", "/c"}}));
}

// The commands are scripts that keep their words and say what a test wants.
class RealSlurmTest : public testing::Test {
 protected:
  void say(const std::string& name, const std::string& script) {
    const std::string path = folder.file(name);
    std::ofstream(path) << "#!/bin/sh\nprintf '%s\\n' \"$@\" >> " << folder.file("words") << "\n"
                        << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  std::vector<std::string> words() const {
    std::ifstream file(folder.file("words"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  fakes::TempFolder folder;
  system::RealProcesses processes;
  system::RealClock clock;
  RealSlurm slurm{processes, clock, {{"PATH", folder.path()}}};
};

TEST_F(RealSlurmTest, PassesValuesAsWordsOfTheirOwn) {
  say("sbatch", "echo '12;cluster'");
  const auto id = slurm.submit({.script = "/s/a b.sh",
                                .comment = "b1",
                                .name = "$(id)",
                                .output = "/s/said.%a",
                                .tasks = 3,
                                .options = {"--account=a b"}});
  ASSERT_TRUE(id);
  EXPECT_EQ(*id, "12");
  EXPECT_THAT(words(),
              ElementsAre("--parsable", "--export=ALL", "--no-requeue", "--open-mode=append",
                          "--job-name=$(id)", "--comment=b1", "--output=/s/said.%a", "--array=0-2",
                          "--account=a b", "/s/a b.sh"));
}

TEST_F(RealSlurmTest, DistinguishesARefusalFromSilence) {
  say("sbatch", "echo 'sbatch: error: invalid partition specified: x' >&2; exit 1");
  auto id = slurm.submit({.script = "s", .comment = "b", .name = "n", .output = "o"});
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().kind, ErrorKind::io);
  EXPECT_NE(id.error().message.find("invalid partition"), std::string::npos) << id.error().message;
  say("sbatch",
      "echo 'sbatch: error: Batch job submission failed: Unable to contact slurm "
      "controller (connect failure)' >&2; exit 1");
  id = slurm.submit({.script = "s", .comment = "b", .name = "n", .output = "o"});
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().kind, ErrorKind::unavailable);
}

TEST_F(RealSlurmTest, KnowsALimitOfSubmittedJobsFromOnesThatStay) {
  const std::string sentence =
      "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit "
      "limit, user'\\''s size and/or time limits)";
  const auto answer = [&](const std::string& reason) {
    say("sbatch", "printf '%s\\n' 'sbatch: error: " + reason + "' '" + sentence + "' >&2; exit 1");
    return slurm.submit({.script = "s", .comment = "b", .name = "n", .output = "o"}).error();
  };
  for (const char* reason :
       {"AssocMaxSubmitJobLimit", "QOSMaxSubmitJobPerUserLimit", "AssocGrpSubmitJobsLimit"}) {
    EXPECT_EQ(answer(reason).kind, ErrorKind::conflict);
    EXPECT_EQ(answer(reason).message, reason);
  }
  EXPECT_EQ(answer("QOSMaxWallDurationPerJobLimit").kind, ErrorKind::io);
}

TEST_F(RealSlurmTest, TakesNothingButANumberForAnId) {
  say("sbatch", "echo Submitted batch job 12");
  const auto id = slurm.submit({.script = "s", .comment = "b", .name = "n", .output = "o"});
  ASSERT_FALSE(id);
  EXPECT_NE(id.error().message.find("Submitted batch job 12"), std::string::npos);
  EXPECT_EQ(id.error().kind, ErrorKind::unavailable) << "there may be such a job";
}

TEST_F(RealSlurmTest, AnSbatchThatIsKilledMayHaveSubmitted) {
  say("sbatch", "kill -KILL $$");
  const auto id = slurm.submit({.script = "s", .comment = "b", .name = "n", .output = "o"});
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(id.error().message, "sbatch was ended by signal 9");
}

TEST_F(RealSlurmTest, ListsJobsAndCancelsThem) {
  say("squeue", "echo '34|0|RUNNING|n1|orchestrate-b1|None'");
  say("scancel", "");
  const auto jobs = slurm.jobs();
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ(jobs->front().id, "34_0");
  EXPECT_TRUE(slurm.cancel({"34_0", "35"}));
  const auto all = words();
  EXPECT_THAT(std::vector(all.end() - 3, all.end()), ElementsAre("--quiet", "34_0", "35"));
}

}  // namespace slurm_test
}  // namespace orch::slurm
