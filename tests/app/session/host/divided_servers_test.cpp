#include "app/session/host/host_inventory.hpp"
#include "app/session/planning.hpp"
#include "app/session/project_of_files.hpp"
#include "run/slurm/slurm.hpp"

#include <gmock/gmock.h>

namespace orch::session {
namespace divided_servers_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DividedServers : public ::testing::Test {
 protected:
  // A plan of points with TP ranks each, of a server that WORDS start; a machine of 8 GPUs, twice.
  const plan::Plan& plan(const std::string& tp,
                         const std::string& words = "/usr/bin/mpirun, -n, '{tp}', /x",
                         bool is_job = true, const std::string& more = "") {
    std::string runner = k_toy_runner;
    const std::string server = "reads: [tp], argv: [/bin/x],";
    runner.replace(
        runner.find(server), server.size(),
        fmt::format("reads: [tp], argv: [{}], resources: {{gpus: tp}}, {}", words, more));
    project.write("runners/toy/runner.yaml", runner);
    errors.clear();
    ExperimentOptions options = project.options(
        "name: a\nrunner: toy\nmachine: {nodes: 2, gpus: 8}\naxes: {tp: [" + tp + "]}\n" + measure);
    if (is_job) options.placement = slurm::k_jobs;
    loaded = load_experiment(project.world, options, errors);
    planning.emplace(project.world.files, loaded, project.path("results"), plan::Options{});
    planning->plan(errors);
    return planning->current();
  }
  std::string messages() const {
    std::string text;
    for (const Error& error : errors) text += error.message + "\n";
    return text;
  }
  std::vector<std::string> fates() const {
    std::vector<std::string> all;
    for (const plan::PlannedPoint& point : planning->current().points)
      all.push_back(point.status == plan::Status::run ? "run" : point.why);
    return all;
  }

  std::string measure;  // lines of the matrix
  ProjectOfFiles project;
  Errors errors;
  Experiment loaded;
  std::optional<Planning> planning;
};

TEST_F(DividedServers, HaveTheGpusOfAllNodesOnACluster) {
  const plan::Plan& made = plan("8, 16, 24");
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(made.nodes.count, 2);
  EXPECT_EQ(made.nodes.gpus, 8);
  EXPECT_THAT(fates(), ElementsAre("run", "run",
                                   "nodes-of-serve: stage 'serve' needs 24 of the nodes' 2 x 8 "
                                   "GPUs"));
  EXPECT_THAT(loaded.warnings, IsEmpty());
  EXPECT_EQ(host_inventory(loaded).gpus.size(), 16u);
}

TEST_F(DividedServers, HaveTheGpusOfOneMachineElsewhere) {
  EXPECT_EQ(plan("8, 16", "/usr/bin/mpirun, -n, '{tp}', /x", false).nodes.count, 1);
  EXPECT_THAT(fates(),
              ElementsAre("run", "gpus-of-serve: stage 'serve' needs 16 of the machine's 8 GPUs"));
  EXPECT_THAT(loaded.warnings,
              ElementsAre("`nodes: 2` of the machine applies only with --executor slurm; here, "
                          "servers have the GPUs of one node"));
  EXPECT_EQ(host_inventory(loaded).gpus.size(), 8u);
}

TEST_F(DividedServers, MustStartTheirRanksByMpirun) {
  plan("16", "/bin/serve, '--tp={tp}'");
  EXPECT_THAT(fates(),
              ElementsAre("gpus-of-serve: stage 'serve' needs 16 of the machine's 8 GPUs"));
  EXPECT_EQ(text_of(errors), "");
  plan("16", "/usr/bin/mpirun, --hostfile, h, -n, '{tp}', /x");
  EXPECT_EQ(messages(),
            "stage 'serve' needs 16 GPUs, but each of 2 nodes has 8: "
            "only a server that starts its ranks with one mpirun can span several nodes; choose "
            "values that need fewer GPUs, or state other `nodes` of the machine\n");
}

TEST_F(DividedServers, MustBeDividedEvenly) {
  plan("9");
  EXPECT_EQ(messages(),
            "stage 'serve' needs 9 GPUs, but each of 2 nodes has 8: "
            "its 9 ranks cannot be divided evenly among them; choose values that need fewer GPUs, "
            "or state other `nodes` of the machine\n");
}

// The job restores clocks on its first node alone.
TEST_F(DividedServers, LockNoClocks) {
  measure = "measure: {gpu_clock_mhz: 1410}\n";
  plan("8");
  EXPECT_EQ(messages(), "");
  plan("16");
  EXPECT_EQ(messages(),
            "'measure.gpu_clock_mhz' is 1410, but the 16 GPUs of stage 'serve' are on several "
            "nodes, where clocks are not locked; leave it out, or choose values that need the GPUs "
            "of one node\n");
}

class ContainedServers : public DividedServers {
 protected:
  // What `run` says of a server of 16 ranks in a container of ENGINE.
  std::string refusal(const std::string& engine, const std::string& mpi = "pmix",
                      const std::string& before = "") {
    const plan::Plan& made = plan("8, 16", before + "/usr/bin/mpirun, -n, '{tp}', /x", true,
                                  "container: {engine: " + engine + ", image: 'i@sha256:00'},");
    EXPECT_EQ(text_of(errors), "");
    loaded.site.slurm.mpi = mpi;
    refuse_contained(made, loaded, errors);
    return messages();
  }
};

TEST_F(ContainedServers, AreOnSeveralNodesWhereTheirEngineStartsThemThere) {
  EXPECT_EQ(refusal("cluster"), "");
  EXPECT_EQ(refusal("apptainer"), "");
  EXPECT_EQ(refusal("apptainer", "mpirun"), "");
}

TEST_F(ContainedServers, OfADaemonAreOnOneNode) {
  EXPECT_EQ(refusal("docker"),
            "stage 'serve' needs 16 GPUs on several nodes, but docker starts containers on one; "
            "set `container: {engine: cluster}` (or apptainer) in the site file, or use an "
            "installation instead of an image\n");
}

TEST_F(ContainedServers, OfTheClusterAreStartedBySrun) {
  EXPECT_EQ(refusal("cluster", "mpirun"),
            "stage 'serve' needs 16 GPUs on several nodes, but `slurm: {mpi: mpirun}` of the site "
            "file starts none of the cluster's containers; remove it, or use an installation "
            "instead of an image\n");
}

TEST_F(ContainedServers, OfTheClusterHaveTheirWholeCommandInTheContainer) {
  EXPECT_EQ(
      refusal("cluster", "pmix", "/bin/enter, '{container}', "),
      "stage 'serve' needs 16 GPUs on several nodes, but part of its "
      "command precedes {container}, outside its container; leave that out, or use an installation "
      "instead of an image\n");
}

}  // namespace divided_servers_test
}  // namespace orch::session
