// The command itself; its lines are those of job_state_test.cpp, its use that of
// slurm_executor_test.cpp.
#include "run/slurm/accounting.hpp"

#include "fakes/temp_folder.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::slurm {
namespace accounting_test {

class AccountingTest : public testing::Test {
 protected:
  void say(const std::string& script) {
    const std::string path = folder.file("sacct");
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  Result<std::vector<JobState>> ask(const std::vector<std::string>& ids) {
    return RealSlurm(processes, clock, {{"PATH", folder.path()}}).accounted(ids);
  }

  fakes::TempFolder folder;
  system::RealProcesses processes;
  system::RealClock clock;
};

TEST_F(AccountingTest, IsAskedAboutManyJobsInParts) {
  say("echo \"$5|TIMEOUT|n1|orchestrate-b1\"");
  const auto jobs = ask(std::vector<std::string>(501, "7"));
  ASSERT_TRUE(jobs) << jobs.error().message;
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[0].id.size(), 500 * 2u - 1) << "7,7,...";
  EXPECT_EQ((*jobs)[1].id, "7");
}

TEST_F(AccountingTest, IsNoneWhereSlurmKeepsNone) {
  say("echo 'Slurm accounting storage is disabled' >&2; exit 1");
  const auto disabled = ask({"7"});
  ASSERT_FALSE(disabled);
  EXPECT_EQ(disabled.error().message, "sacct: Slurm accounting storage is disabled");
  std::filesystem::remove(folder.file("sacct"));
  EXPECT_FALSE(ask({"7"})) << "no such program";
}

}  // namespace accounting_test
}  // namespace orch::slurm
