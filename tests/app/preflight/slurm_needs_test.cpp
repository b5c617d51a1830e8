#include "app/preflight/place_of_scripts.hpp"
#include "app/preflight/preflight.hpp"
#include "run/slurm/slurm.hpp"

#include <gmock/gmock.h>

namespace orch::preflight {
namespace slurm_needs_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* k_shown =
    "PartitionName=small AllowQos=ALL Default=NO MaxNodes=1 MaxTime=02:00:00 State=UP "
    "MaxMemPerNode=4096\n"
    "PartitionName=all AllowQos=ALL Default=YES MaxNodes=UNLIMITED MaxTime=1-12:30:00 State=DOWN "
    "MaxMemPerNode=UNLIMITED\n";

TEST(Partition, IsTheNamedOneOrTheDefaultOne) {
  const auto small = parse_partition(k_shown, "small");
  ASSERT_TRUE(small);
  EXPECT_EQ(small->minutes, 120);
  EXPECT_EQ(small->nodes, 1);
  EXPECT_EQ(small->memory_mib, 4096);
  EXPECT_TRUE(small->is_up);
  const auto all = parse_partition(k_shown, "");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->name, "all");
  EXPECT_EQ(all->minutes, 36 * 60 + 30);
  EXPECT_EQ(all->nodes, 0);
  EXPECT_FALSE(all->is_up);
  EXPECT_FALSE(parse_partition(k_shown, "big"));
}

class SlurmNeeds : public PlaceOfScripts {
 protected:
  SlurmNeeds() {
    options.placement = slurm::k_jobs;
    machine.say("scontrol", std::string("echo '") + k_shown + "'");
    machine.say("sbatch", "echo 'sbatch: Job 1 to start' >&2");
  }
  std::vector<std::string> found() { return lines("Slurm", "axes: {tp: [1]}\n"); }
};

TEST_F(SlurmNeeds, EachKindOfJobIsAskedOfSbatchAndNoneIsSubmitted) {
  machine.say("sbatch", "echo \"$@\" >>" + machine.folder.file("asked") + "; exit 0");
  site = "slurm: {account: a, qos: q}\n";
  EXPECT_THAT(found(),
              Contains(StartsWith("ok Slurm accepts jobs of 'build': --nodes=1 --ntasks=1 ")));
  EXPECT_THAT(found(), Contains(HasSubstr("--gres=gpu:1")));
  std::ifstream asked(machine.folder.file("asked"));
  for (std::string line; std::getline(asked, line);)
    EXPECT_THAT(line, StartsWith("--test-only --wrap=true --account=a --qos=q --nodes=1 "));
}

TEST_F(SlurmNeeds, WhatSbatchRefusesIsNamedWithTheKeyThatMendsIt) {
  const auto with = [&](const std::string& said) {
    machine.say("sbatch", "echo 'allocation failure: " + said + "' >&2; exit 1");
    return found();
  };
  EXPECT_THAT(with("Invalid account or account/partition combination specified"),
              Contains(HasSubstr("-> `slurm.account` of the site file")));
  EXPECT_THAT(with("Invalid qos specification"), Contains(HasSubstr("-> `slurm.qos` of the site")));
  EXPECT_THAT(with("Invalid generic resource (gres) specification"),
              Contains(HasSubstr("-> `slurm.gres` of the site file in place of gpu")));
  EXPECT_THAT(with("Requested node configuration is not available"),
              Contains(HasSubstr("-> scontrol show node says what nodes have")));
}

TEST_F(SlurmNeeds, JobsBeyondTheLimitsOfThePartitionCannotStart) {
  site = "slurm: {partition: small, server_minutes: 240}\n";
  EXPECT_THAT(found(),
              Contains("missing jobs of 'serve' ask for 240 minutes, but partition small "
                       "allows 120 (MaxTime) -> a smaller `slurm.server_minutes` of the site "
                       "file, or another `slurm.partition` of the site file"));
  site = "slurm: {partition: big}\n";
  EXPECT_THAT(found(), ElementsAre(StartsWith("missing no partition 'big' -> `slurm.partition`")));
}

TEST_F(SlurmNeeds, LimitsOfNodesAndMemoryCount) {
  plan::Plan plan;
  plan.points.emplace_back();
  Findings within(plan, ""), beyond(plan, "");
  const Partition partition{.name = "p", .minutes = 0, .nodes = 1, .memory_mib = 1024};
  judge_partition(within, {0}, "build", {.memory_gib = 1}, partition);
  EXPECT_THAT(within.section().findings, IsEmpty());
  judge_partition(beyond, {0}, "build", {.memory_gib = 8, .nodes = 2}, partition);
  EXPECT_THAT(
      doctor::lines_of(beyond.section()),
      ElementsAre(HasSubstr("ask for 2 nodes, but partition p allows 1 (MaxNodes)"),
                  HasSubstr("4096 MiB per node, but partition p allows 1024 (MaxMemPerNode)")));
}

TEST_F(SlurmNeeds, WithoutSbatchOrAControllerNoPointCanRun) {
  machine.say("scontrol", "echo 'Unable to contact slurm controller' >&2; exit 1");
  EXPECT_THAT(found(), ElementsAre(StartsWith("missing the controller does not answer: ")));
  std::filesystem::remove(machine.folder.file("sbatch"));
  EXPECT_THAT(found(),
              ElementsAre("missing no sbatch: this is not a login node of a cluster -> apt-get "
                          "install slurm-client"));
}

TEST_F(SlurmNeeds, AServerThatIsExpectedToOutliveItsJobIsAWarning) {
  plan::Plan planned = plan("axes: {tp: [1]}\n");
  for (plan::Stage& stage : planned.stages)
    if (stage.spec.kind == runner::Kind::measure) stage.estimate.seconds = 9000;
  Findings short_job(planned, ""), long_job(planned, "");
  judge_time_limits(short_job, planned, 7200);
  EXPECT_THAT(
      doctor::lines_of(short_job.section()),
      ElementsAre(
          "warning a server with its measurements is expected to take 150 minutes, "
          "but its job ends after 120 -> a larger `slurm.server_minutes` of the site file"));
  judge_time_limits(long_job, planned, 10800);
  EXPECT_THAT(long_job.section().findings, IsEmpty());
}

}  // namespace slurm_needs_test
}  // namespace orch::preflight
