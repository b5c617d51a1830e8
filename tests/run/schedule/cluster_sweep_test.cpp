// Stages as jobs of a cluster, which shares its nodes out.
#include "run/schedule/packed_sweep.hpp"
#include "run/slurm/slurm.hpp"

#include <csignal>

namespace orch::schedule {
namespace cluster_sweep_test {

// A cluster whose nodes are all taken by servers: of two prompts, those of isl 128 come late.
struct ClusterSweep : Sweep {
  explicit ClusterSweep(double late_s) {
    points = {point("f16"), point("f16", "4", "128")};
    make_prompts_apart();
    executor.placed = slurm::k_jobs;
    set_duration("prompt 128", late_s);
    executor.waits_for_a_place = [this](const std::string& name) {
      return is_queued && name.starts_with("prompt 128");
    };
  }
  bool is_queued = true;
  // The prompts of isl 128 are killed once, when a build of q8 has ended.
  void kill_late_prompts() {
    set_duration("build q8", 50);
    on("prompt 128", [this](const auto&, Behaviour normal) {
      if (count(started(2), "start prompt 128") > 1) return normal;
      return Behaviour{.lasts_s = 70, .signal = SIGKILL};
    });
  }
  // How often the server was started and asked to end.
  std::pair<std::size_t, std::size_t> servers() const {
    const Lines words = started(1);
    return {count(words, "start serve"), count(words, "term serve")};
  }
};

TEST(OnACluster, AnIdleServerGivesItsNodeToATaskThatWaitsInTheQueue) {
  ClusterSweep run(300);
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(run.servers(), std::pair(std::size_t{2}, std::size_t{2}));
  EXPECT_EQ(count(run.started(1), "start bench"), 2u) << "each is measured once";
}

// A build is in the queue for longer than the measurements of the first server take.
TEST(OnACluster, NoFurtherServerStartsWhileAJobIsInTheQueue) {
  for (const bool is_queued : {true, false}) {
    OneGroup run(12, 2);
    run.points.push_back(point("q8"));
    run.executor.placed = slurm::k_jobs;
    run.options.jobs = 8;
    run.set_duration("build q8", 1000);
    run.executor.waits_for_a_place = [&](const std::string& name) {
      return is_queued && name.starts_with("build q8");
    };
    EXPECT_EQ(run.run()->failed, 0u);
    EXPECT_EQ(run.servers() == 2, is_queued) << run.servers();
  }
}

TEST(OnACluster, NothingIsSaidOfNeighboursThatTheClusterChooses) {
  PackedSweep run(3);
  run.executor.placed = slurm::k_jobs;
  run.run().value();
  const auto all = run.intervals();
  ASSERT_TRUE(overlap(all.at("bench p0 #1"), all.at("bench p1 #1")));
  for (const MeasurementProduced* one : run.measured()) EXPECT_TRUE(one->neighbours.empty());
}

TEST(OnACluster, ServersAreJobsThatCount) {
  PackedSweep run(4);
  run.executor.placed = slurm::k_jobs;
  run.options.jobs = 2;
  EXPECT_EQ(run.run()->failed, 0u);
  const auto all = run.intervals();
  for (const auto& [name, one] : all)
    EXPECT_LE(std::count_if(all.begin(), all.end(),
                            [&one = one](const auto& other) {
                              return !other.first.starts_with("bench") &&
                                     other.second.from_s <= one.from_s &&
                                     one.from_s < other.second.to_s;
                            }),
              2)
        << name;
}

// Of one licence for two servers, whose GPUs only the cluster knows. While the first one waits for
// its build, the second one starts; the prompts that it still needs were killed, and are tried
// again behind the first.
TEST(OnACluster, AnIdleServerGivesItsTokenToAServerThatNeedsGpusToo) {
  ClusterSweep run(10);
  run.is_queued = false;
  run.options.jobs = 8;
  run.points.insert(run.points.begin(), point("q8"));
  run.options.inventory.tokens = {{"licence", 1}};
  run.change_plan = [](plan::Plan& plan) {
    for (plan::Stage& stage : plan.stages) {
      if (stage.spec.name != "serve") continue;
      stage.gpus = 1;
      stage.share = std::make_shared<plan::Share>(
          plan::Share{.cores = {}, .memory_gib = 0, .tokens = {{"licence", 1}}});
    }
  };
  run.kill_late_prompts();
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start bench"), 3u);
}

// The second server is in the queue behind the first, with the token that the prompts of the first
// need: they were killed, and are tried again.
TEST(OnACluster, AnIdleServerEndsForAServerInTheQueueThatHasWhatItsTaskNeeds) {
  ClusterSweep run(10);
  run.options.jobs = 8;
  run.points.push_back(point("q8"));
  run.change_plan = [](plan::Plan& plan) {
    for (plan::Stage& stage : plan.stages) {
      const auto is = [&](const char* kind, const char* name, const char* value) {
        return stage.spec.name == kind && stage.parameters.at(name).text == value;
      };
      if (is("serve", "precision", "q8") || is("prompts", "isl", "128"))
        stage.share = std::make_shared<plan::Share>(
            plan::Share{.cores = {}, .memory_gib = 0, .tokens = {{"licence", 1}}});
    }
  };
  const auto is_full = [&run] { return count(run.started(2), "term serve f16") == 0; };
  run.executor.waits_for_a_place = [is_full](const std::string& name) {
    return name.starts_with("serve q8") && is_full();
  };
  run.executor.on_time = [&, from_s = run.clock.time_s](double now_s) {
    run.readiness.after_s = now_s > from_s + 40 && is_full() ? 1e9 : 2;
  };
  run.kill_late_prompts();
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start bench"), 3u);
}

// The server of p0 has the only node. Its second measurement needs the token that a stage of p1
// holds, which waits for the node.
struct TokenInTheQueue : PackedSweep {
  // HOLDER: `build` or `serve`. The build of p1 takes BUILD_S.
  TokenInTheQueue(const std::string& holder, double build_s) : PackedSweep(2) {
    points.push_back(point("p0", "4", "64"));
    executor.placed = slurm::k_jobs;
    options.jobs = 8;
    change = [holder](plan::Stage& stage) {
      const auto is = [&](const std::string& kind, const char* name, const char* value) {
        return stage.spec.name == kind && stage.parameters.at(name).text == value;
      };
      if (is("bench", "isl", "64") || is(holder, "precision", "p1"))
        stage.share = std::make_shared<plan::Share>(
            plan::Share{.cores = {}, .memory_gib = 0, .tokens = {{"licence", 1}}});
    };
    set_duration("build p1", build_s);
    executor.waits_for_a_place = [this, waiting = holder + " p1"](const std::string& name) {
      return name.starts_with(waiting) && is_full();
    };
  }
  bool is_full() const { return count(started(2), "term serve p0") == 0; }
};

TEST(OnACluster, AServerInTheQueueGivesItsTokenToAMeasurementThatCanBeMade) {
  TokenInTheQueue run("serve", 12);
  run.executor.on_time = [&, from_s = run.clock.time_s](double now_s) {
    run.readiness.after_s = now_s > from_s + 10 && run.is_full() ? 1e9 : 2;
  };
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.measured().size(), 3u);
  EXPECT_EQ(count(run.started(2), "start serve p1"), 2u);
}

TEST(OnACluster, AServerThatCannotBeMeasuredGivesItsNodeToATaskInTheQueue) {
  TokenInTheQueue run("build", 300);
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.measured().size(), 3u);
  EXPECT_EQ(count(run.started(2), "start serve p0"), 2u);
}

TEST(OnACluster, AnIdleServerGivesItsPlaceToATaskThatTheLimitOfJobsHoldsBack) {
  ClusterSweep run(300);
  run.is_queued = false;
  run.options.jobs = 1;
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start bench"), 2u);
}

TEST(OnACluster, AServerStaysForATaskThatHasItsNode) {
  ClusterSweep run(300);
  run.is_queued = false;
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.servers(), std::pair(std::size_t{1}, std::size_t{1}));
}

TEST(OnACluster, AServerWaitsForATaskAsLongAsItsNextStartTakes) {
  ClusterSweep run(300);
  run.change_plan = [](plan::Plan& plan) {
    for (plan::Stage& stage : plan.stages)
      if (stage.spec.name == "serve") stage.estimate.seconds = 400;
  };
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.servers(), std::pair(std::size_t{1}, std::size_t{1}));
}

}  // namespace cluster_sweep_test
}  // namespace orch::schedule
