#include "app/doctor/slurm_cluster.hpp"

#include "app/doctor/machine_of_scripts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::doctor {
namespace slurm_cluster_test {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

class ClusterOfScripts : public testing::Test {
 protected:
  ClusterOfScripts() {
    for (const char* name : {"sbatch", "squeue", "scancel", "sinfo", "scontrol", "srun"})
      machine.say(name, "echo slurm 22.05.8");
    machine.say("scontrol", "echo 'Slurmctld(primary) at login is UP'");
    machine.say("srun", "echo 'MPI plugin types are... pmix none'");
    machine.say("sinfo",
                "case \"$*\" in *Node*) echo 'n1|idle'; echo 'n1|idle'; echo 'n2|down*';;\n"
                "*version*) echo slurm 22.05.8;;\n"
                "*) echo 'all*|1|idle|gpu:h100:4|n1'; echo 'all*|1|down*|gpu:h100:4|n2';; esac");
  }
  Cluster look(double patience_s = 20) {
    return look_at_cluster(Asking(machine.world, patience_s), site, true);
  }

  MachineOfScripts machine;
  session::SlurmSite site;
};

TEST_F(ClusterOfScripts, HasItsNodesOnceAndSaysWhichAreDown) {
  const Cluster cluster = look();
  ASSERT_EQ(cluster.nodes.size(), 2U);
  EXPECT_TRUE(cluster.nodes[0].is_free());
  EXPECT_FALSE(cluster.nodes[1].is_free());
  const auto lines = lines_of(cluster.section);
  EXPECT_FALSE(cluster.section.lacks()) << testing::PrintToString(lines);
  EXPECT_THAT(lines, Contains("ok partition all*: 1 x idle, GRES gpu:h100:4 (n1)"));
  EXPECT_THAT(lines, Contains(HasSubstr("ask your administrators to return it to service")));
  EXPECT_THAT(lines, Contains("ok srun starts ranks with PMIx"));
}

TEST_F(ClusterOfScripts, HasOneLineForCommandsOfOneVersion) {
  machine.say("srun", "[ $1 = --version ] && { echo slurm 21.08; exit; }; echo pmix");
  machine.say("scancel", "echo 'scancel: fatal: no configuration' >&2; exit 1");
  machine.say("sbatch", "echo 'sbatch: fatal: no configuration' >&2; exit 1");
  const auto lines = lines_of(look().section);
  EXPECT_THAT(lines, Contains("ok srun: slurm 21.08"));
  EXPECT_THAT(lines, Contains(StartsWith("warning sbatch, scancel: fatal: no configuration -> ")));
}

TEST_F(ClusterOfScripts, HasTheNodesOfThePartitionThatTheSiteNames) {
  machine.say("sinfo", "case \"$*\" in *--partition=h100*) echo 'n7|idle';; *) echo;; esac");
  site.words = {"--account=me", "--partition=h100"};
  const Cluster cluster = look();
  ASSERT_EQ(cluster.nodes.size(), 1U);
  EXPECT_EQ(cluster.nodes[0].name, "n7");
}

TEST_F(ClusterOfScripts, NamesAGresThatNoNodeHas) {
  site.gres = "gpu:a100";
  EXPECT_THAT(lines_of(look().section), Contains(StartsWith("warning no node has the GRES")));
  site.gres = "gpu:h100";
  EXPECT_THAT(lines_of(look().section), testing::Not(Contains(StartsWith("warning no node"))));
}

TEST_F(ClusterOfScripts, WithoutPmixSaysWhatCannotStart) {
  machine.say("srun", "echo 'MPI plugin types are... pmi2 none'");
  EXPECT_THAT(lines_of(look().section),
              Contains(StartsWith("warning srun has no PMIx plugin: ranks of a server that srun "
                                  "starts cannot find each other -> ask your administrators")));
}

TEST_F(ClusterOfScripts, WithoutAConfigurationIsOneFinding) {
  for (const char* name : {"sbatch", "squeue", "scancel", "sinfo", "scontrol", "srun"})
    machine.say(name, "echo 'fatal: Could not establish a configuration source' >&2; exit 1");
  const std::string words =
      "Slurm's commands are installed, but find no configuration (SLURM_CONF, "
      "/etc/slurm/slurm.conf)";
  EXPECT_THAT(lines_of(look().section), testing::ElementsAre("missing " + words));
  EXPECT_EQ(look().unknown, "Slurm's commands find no configuration");
  const Cluster not_asked = look_at_cluster(Asking(machine.world, 20), site, false);
  EXPECT_THAT(lines_of(not_asked.section), testing::ElementsAre("note " + words));
}

TEST_F(ClusterOfScripts, WithoutAControllerLacksIt) {
  machine.say("scontrol", "echo 'Slurmctld(primary) at login is DOWN'; echo '*****'; exit 1");
  const Cluster cluster = look();
  EXPECT_TRUE(cluster.section.lacks());
  EXPECT_THAT(lines_of(cluster.section),
              Contains(StartsWith("missing the controller does not answer: Slurmctld(primary) at "
                                  "login is DOWN -> ")));
  EXPECT_EQ(cluster.unknown, "the controller does not answer");
}

TEST_F(ClusterOfScripts, WithoutANodeInThePartitionOfTheSiteSaysSo) {
  machine.say("sinfo", "case \"$*\" in *partition*) :;; *) echo 'n7|idle';; esac");
  site.words = {"--partition=h100"};
  EXPECT_EQ(look().unknown, "sinfo lists no node");
}

TEST_F(ClusterOfScripts, WithACommandThatHangsIsAFinding) {
  machine.hang("scontrol");
  EXPECT_THAT(lines_of(look(0.3).section), Contains(HasSubstr("gave no answer within 0.3 s")));
}

TEST_F(ClusterOfScripts, WaitsForOneOfItsCommandsThatHangAndAsksNoOther) {
  for (const char* name : {"sbatch", "squeue", "scancel", "sinfo", "scontrol", "srun"})
    machine.hang(name);
  EXPECT_THAT(lines_of(look(0.3).section),
              testing::ElementsAre(StartsWith("missing `sbatch --version` gave no answer")));
}

TEST_F(ClusterOfScripts, ThatNobodyAskedForIsANoteWhereThereIsNone) {
  MachineOfScripts bare;
  const Cluster cluster = look_at_cluster(Asking(bare.world, 20), site, false);
  EXPECT_THAT(lines_of(cluster.section), testing::ElementsAre(StartsWith("note no sbatch")));
}

// The nodes are this machine, with another view of its files where a test says so.
class PathsOnNodes : public ClusterOfScripts {
 protected:
  PathsOnNodes() {
    machine.say("program", "echo version");
    std::ofstream(machine.folder.file("runner.yaml")) << "runner: x\n";
    for (const char* folder : {"store", "cache"})
      std::filesystem::create_directory(machine.folder.file(folder));
    run_there("exec \"$@\"");
  }
  // What srun does with the words behind its options.
  void run_there(const std::string& script) {
    machine.say("srun", "while case $1 in -*) :;; *) false;; esac; do shift; done\n" + script);
  }
  Section look(const std::vector<Node>& nodes = {{"n1", "idle"}}) {
    return paths_section(Asking(machine.world, 20), site,
                         {.section = {}, .nodes = nodes, .unknown = unknown},
                         {.program = machine.folder.file("program"),
                          .projects = {machine.folder.file("runner.yaml")},
                          .folders = {folder("store"), folder("cache")}});
  }
  SharedFolder folder(const std::string& name) const {
    return {.what = "the " + name, .path = machine.folder.file(name), .choice = name + "=DIR"};
  }
  bool left_nothing() const {
    return std::filesystem::is_empty(machine.folder.file("store")) &&
           std::filesystem::is_empty(machine.folder.file("cache"));
  }
  std::string unknown;
};

TEST_F(PathsOnNodes, AreSeenAndNothingIsLeft) {
  machine.world.environment["PATH"] += ":/usr/bin:/bin";
  EXPECT_THAT(lines_of(look()),
              testing::ElementsAre("ok n1 has the program, the project, the store and the cache"));
  EXPECT_TRUE(left_nothing());
}

TEST_F(PathsOnNodes, ThatDifferAreNamed) {
  machine.world.environment["PATH"] += ":/usr/bin:/bin";
  // Another program of that name, no project, and a store of its own.
  machine.say("other", "echo other");
  const std::string seen = machine.folder.file("seen");
  run_there("exec \"$1\" \"$2\" \"$3\" \"$4\" " + machine.folder.file("other") +
            " /nowhere/token " + seen + " \"$8\" \"$9\" -- /nowhere/runner.yaml");
  const Section section = look();
  EXPECT_THAT(
      lines_of(section),
      testing::ElementsAre(HasSubstr("differs from the one here"),
                           testing::AllOf(HasSubstr("n1 does not see the store "),
                                          HasSubstr(" -> store=DIR, on a file system that all")),
                           HasSubstr("runner.yaml is not there")));
  EXPECT_TRUE(section.lacks());
  EXPECT_FALSE(std::filesystem::exists(seen)) << "that folder is another one";
  EXPECT_TRUE(left_nothing());
}

TEST_F(PathsOnNodes, ThatANodeMayOnlyReadAreNamed) {
  machine.world.environment["PATH"] += ":/usr/bin:/bin";
  run_there(R"(exec "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" /nowhere/seen -- "${11}")");
  EXPECT_THAT(lines_of(look()),
              testing::ElementsAre(HasSubstr("n1 does not write into the cache ")));
}

TEST_F(PathsOnNodes, OfNoNodeThatIsFreeAreMissing) {
  EXPECT_THAT(lines_of(look({{"n1", "allocated"}})),
              testing::ElementsAre(StartsWith("missing no node could be checked: none is free")));
}

TEST_F(PathsOnNodes, OfAClusterThatIsNotKnownAreMissing) {
  unknown = "the controller does not answer";
  EXPECT_THAT(
      lines_of(look({})),
      testing::ElementsAre("missing nodes were not checked: the controller does not answer"));
}

TEST_F(PathsOnNodes, OfSomeNodesAreEnough) {
  machine.world.environment["PATH"] += ":/usr/bin:/bin";
  machine.say("srun",
              "case \"$*\" in *nodelist=n2*) echo 'srun: error: busy' >&2; exit 1;; esac\n"
              "while case $1 in -*) :;; *) false;; esac; do shift; done\nexec \"$@\"");
  const Section section = look({{"n1", "idle"}, {"n2", "mixed"}, {"n3", "down"}});
  EXPECT_THAT(lines_of(section),
              testing::ElementsAre("ok n1 has the program, the project, the store and the cache",
                                   StartsWith("warning no job started on n2 (srun: error: busy)"),
                                   StartsWith("note 1 of 3 nodes were not checked")));
  EXPECT_FALSE(section.lacks());
}

TEST_F(PathsOnNodes, AreMissingWhereNoJobStarts) {
  run_there("echo 'srun: error: Requested nodes are busy' >&2; exit 1");
  machine.say("scancel", "echo \"$@\" >" + machine.folder.file("cancelled"));
  const Section section = look({{"n1", "idle"}, {"n2", "allocated"}});
  EXPECT_THAT(lines_of(section), testing::ElementsAre(StartsWith(
                                     "missing no node could be checked: no job started on "
                                     "n1 (srun: error: Requested nodes are busy) -> srun ")));
  EXPECT_TRUE(std::filesystem::exists(machine.folder.file("cancelled")));
  EXPECT_TRUE(left_nothing());
}

}  // namespace slurm_cluster_test
}  // namespace orch::doctor
