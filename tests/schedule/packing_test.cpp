// Stages side by side on one host: the isolations gpu and none.
#include "schedule/support.hpp"

namespace orch::schedule {
namespace packing_test {

// What ran when, by the first three words of its command.
struct Interval {
  double from_s = 0, to_s = 0;
  std::vector<int> gpus, cpus;
};

struct PackedSweep : Sweep {
  // POINTS precisions with a server each; every server holds one of GPUS GPUs and what belongs to
  // it of CORES cores.
  explicit PackedSweep(int point_count, int gpu_count = 4, int cores = 18) {
    for (int i = 0; i < point_count; ++i)
      points.push_back({{"precision", fmt::format("p{}", i)}, {"batch_size", "4"}, {"isl", "32"}});
    for (int i = 0; i < gpu_count; ++i)
      gpus.gpus.push_back({.index = i, .uuid = "GPU", .memory_gib = 80, .used_gib = 0, .pids = {}});
    options.inventory = resources::plain_inventory(cores, gpu_count);
    change_plan = [this](plan::Plan& made) {
      made.isolation = isolation;
      for (plan::Stage& stage : made.stages) {
        if (stage.spec.name == "serve") stage.gpus = 1;
        if (const auto s = seconds.find(stage.spec.name); s != seconds.end())
          stage.estimate.seconds = s->second;
        if (change) change(stage);
      }
    };
    executor.behave = [this](const execute::Launch& launch) {
      Behaviour behaviour = normal(launch);
      const auto lasts = seconds.find(launch.argv[0]);
      if (lasts != seconds.end() && launch.argv[0] != "serve") behaviour.lasts_s = lasts->second;
      return behaviour;
    };
  }

  std::map<std::string, double> seconds = {{"build", 5}, {"serve", 2}, {"bench", 10}};
  matrix::Isolation isolation = matrix::Isolation::gpu;
  std::function<void(plan::Stage&)> change;

  std::map<std::string, Interval> intervals() const {
    std::map<std::string, Interval> all;
    for (const Event& event : journal.events) {
      if (const auto* intended = std::get_if<AttemptIntended>(&event)) {
        Interval& one = all[name_of(intended->attempt)];
        one = {.from_s = intended->at,
               .to_s = k_forever,
               .gpus = intended->gpus,
               .cpus = intended->cpus};
      } else if (const auto* ended = std::get_if<AttemptEnded>(&event)) {
        all[name_of(ended->attempt)].to_s = ended->at;
      }
    }
    return all;
  }
  std::string name_of(const AttemptKey& key) const {
    for (const plan::Stage& stage : plan.stages)
      if (stage.id == key.stage)
        return fmt::format(
            "{} {} #{}", stage.spec.name,
            stage.parameters.contains("precision") ? stage.parameters.at("precision").text : "",
            key.number);
    return "?";
  }
  std::vector<const MeasurementProduced*> measured() const {
    std::vector<const MeasurementProduced*> all;
    for (const Event& event : journal.events)
      if (const auto* one = std::get_if<MeasurementProduced>(&event)) all.push_back(one);
    return all;
  }
};

bool overlap(const Interval& a, const Interval& b) {
  return a.from_s < b.to_s && b.from_s < a.to_s;
}

TEST(Packing, ServersOnDifferentGpusAreMeasuredAtTheSameTime) {
  PackedSweep run(3);
  EXPECT_EQ(run.run()->failed, 0u);
  const auto all = run.intervals();
  std::set<int> gpus, cpus;
  for (int i = 0; i < 3; ++i) {
    const Interval& serve = all.at(fmt::format("serve p{} #1", i));
    EXPECT_EQ(serve.gpus.size(), 1u);
    gpus.insert(serve.gpus.begin(), serve.gpus.end());
    cpus.insert(serve.cpus.begin(), serve.cpus.end());
  }
  EXPECT_EQ(gpus.size(), 3u);
  EXPECT_EQ(cpus.size(), 3 * 3u)
      << "four of 16 cores belong to each GPU, one of them to the client";
  EXPECT_TRUE(overlap(all.at("bench p0 #1"), all.at("bench p1 #1")));
  EXPECT_TRUE(overlap(all.at("bench p1 #1"), all.at("bench p2 #1")));
}

TEST(Packing, AMeasurementNotesItsIsolationAndWhatWorkedBesideIt) {
  PackedSweep run(2);
  run.run().value();
  const auto measured = run.measured();
  ASSERT_EQ(measured.size(), 2u);
  for (const MeasurementProduced* one : measured) {
    EXPECT_EQ(one->isolation, "gpu");
    std::set<std::string> kinds;
    for (const std::string& id : one->neighbours) kinds.insert(id.substr(0, id.find('-')));
    EXPECT_EQ(kinds, (std::set<std::string>{"serve", "bench"})) << "of the other server";
    EXPECT_EQ(std::count(one->neighbours.begin(), one->neighbours.end(), one->session.stage), 0);
  }
}

TEST(Packing, UnderStrictNothingWorksBesideAMeasurement) {
  PackedSweep run(3);
  run.isolation = matrix::Isolation::strict;
  run.run().value();
  const auto all = run.intervals();
  for (int i = 0; i < 3; ++i)
    for (const auto& [name, other] : all) {
      const std::string bench = fmt::format("bench p{} #1", i);
      if (name == bench || name == fmt::format("serve p{} #1", i)) continue;
      EXPECT_FALSE(overlap(all.at(bench), other)) << i << " " << name;
    }
  for (const MeasurementProduced* one : run.measured()) {
    EXPECT_EQ(one->isolation, "strict");
    EXPECT_TRUE(one->neighbours.empty());
  }
}

TEST(Packing, BuildsGoOnBesideMeasurements) {
  PackedSweep run(4, 2);
  run.options.jobs = 1;
  run.run().value();
  const auto all = run.intervals();
  EXPECT_TRUE(overlap(all.at("build p3 #1"), all.at("bench p0 #1")) ||
              overlap(all.at("build p2 #1"), all.at("bench p0 #1")));
}

TEST(Packing, ATaskIsKeptOffTheCoresOfServers) {
  PackedSweep run(2, 2);
  run.run().value();
  const auto all = run.intervals();
  std::set<int> of_servers;
  for (const char* name : {"serve p0 #1", "serve p1 #1"})
    for (const int cpu : all.at(name).cpus) of_servers.insert(cpu);
  ASSERT_FALSE(all.at("build p0 #1").cpus.empty());
  for (const int cpu : all.at("build p0 #1").cpus) EXPECT_FALSE(of_servers.contains(cpu)) << cpu;
}

TEST(Packing, UnderNoneNothingIsKeptOnCores) {
  PackedSweep run(2);
  run.isolation = matrix::Isolation::none;
  run.run().value();
  for (const auto& [name, one] : run.intervals()) EXPECT_TRUE(one.cpus.empty()) << name;
  EXPECT_EQ(run.measured().at(0)->isolation, "none");
}

TEST(Packing, AServerThatNeedsEveryGpuIsNotPassedForEver) {
  PackedSweep run(12, 2);
  run.change = [](plan::Stage& stage) {
    if (stage.spec.name == "serve" && stage.parameters.at("precision").text == "p4") stage.gpus = 2;
  };
  run.run().value();
  const auto all = run.intervals();
  int later = 0;
  for (int i = 5; i < 12; ++i)
    later += all.at(fmt::format("serve p{} #1", i)).from_s > all.at("serve p4 #1").from_s;
  EXPECT_GE(later, 6) << "at most the one that was up already comes before it";
}

TEST(Packing, ATokenIsHeldByOneStageAtATime) {
  PackedSweep run(3, 3);
  run.isolation = matrix::Isolation::none;
  run.options.jobs = 8;
  run.change = [](plan::Stage& stage) {
    if (stage.spec.name == "build")
      stage.share =
          std::make_shared<plan::Share>(plan::Share{.cores = {}, .tokens = {{"licence", 1}}});
  };
  EXPECT_EQ(run.run()->failed, 0u);
  const auto all = run.intervals();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j)
      EXPECT_FALSE(
          overlap(all.at(fmt::format("build p{} #1", i)), all.at(fmt::format("build p{} #1", j))));
}

TEST(Packing, WhatTheHostCanNeverGiveFailsAtOnceAndSaysWhatThereIs) {
  PackedSweep run(1);
  run.options.inventory.memory_gib = 64;
  run.change = [](plan::Stage& stage) {
    if (stage.spec.name == "build")
      stage.share =
          std::make_shared<plan::Share>(plan::Share{.cores = {}, .memory_gib = 200, .tokens = {}});
  };
  EXPECT_EQ(run.run()->failures_by_class.at("host_too_small"), 1u);
  std::string why;
  for (const Event& event : run.journal.events)
    if (const auto* moved = std::get_if<StageMoved>(&event); moved && moved->to == State::failed)
      why = moved->why;
  EXPECT_EQ(
      why,
      "host_too_small: it asks for 200 GiB of memory, and this host has 4 GPUs, 18 cores, 64.0 "
      "GiB of memory; change "
      "`resources` of the stage, or `tokens` of the site file");
}

// One server with many measurements.
struct OneGroup : PackedSweep {
  explicit OneGroup(int measurements, int gpu_count = 4) : PackedSweep(0, gpu_count) {
    for (int i = 0; i < measurements; ++i)
      points.push_back(
          {{"precision", "f16"}, {"batch_size", "4"}, {"isl", std::to_string(32 + i)}});
  }
  std::size_t servers() const {
    std::size_t count = 0;
    for (const Event& event : journal.events)
      if (const auto* one = std::get_if<AttemptIntended>(&event))
        count += one->attempt.stage.starts_with("serve");
    return count;
  }
};

TEST(Packing, AFurtherServerStartsWhereItEndsTheMeasurementsEarlier) {
  OneGroup run(12, 2);
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.servers(), 2u);
  std::map<int, int> by_server;
  std::set<std::string> stages;
  for (const MeasurementProduced* one : run.measured()) {
    ++by_server[one->session.number];
    stages.insert(one->attempt.stage);
  }
  EXPECT_EQ(stages.size(), 12u) << "each is measured once";
  EXPECT_EQ(run.measured().size(), 12u);
  EXPECT_EQ(by_server.size(), 2u);
  for (const auto& [number, count] : by_server) EXPECT_GE(count, 5) << number;
}

TEST(Packing, NoFurtherServerStartsWhereItsStartCostsMoreThanItSaves) {
  OneGroup run(12, 2);
  run.seconds["serve"] = 100;
  run.run().value();
  EXPECT_EQ(run.servers(), 1u);
}

TEST(Packing, NoFurtherServerStartsWhileDurationsAreUnknown) {
  OneGroup run(3, 2);
  run.seconds.erase("serve");
  run.seconds.erase("bench");
  run.run().value();
  EXPECT_EQ(run.servers(), 1u);
}

TEST(Packing, TheCrashOfAFurtherServerIsAResultOfItsStage) {
  OneGroup run(12, 2);
  run.executor.on_time = [&run](double now_s) {
    if (now_s < 1060) return;
    run.executor.on_time = nullptr;
    run.executor.die("serve f16", SIGSEGV);
  };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class.at("server_crash"), 1u + 2u)
      << "the stage, and the measurements under way";
  EXPECT_EQ(decided(*outcome), run.plan.stages.size());
}

TEST(Packing, BothServersOfAStageAreTakenOverAfterTheDeathOfARun) {
  OneGroup run(12, 2);
  run.die_at(1060);
  run.run_until_it_dies();
  EXPECT_EQ(run.servers(), 2u);
  EXPECT_EQ(run.resume()->failed, 0u);
  EXPECT_EQ(run.servers(), 2u) << "none was started again";
  std::set<std::string> stages;
  for (const MeasurementProduced* one : run.measured())
    EXPECT_TRUE(stages.insert(one->attempt.stage).second) << one->attempt.stage;
  EXPECT_EQ(stages.size(), 12u);
}

TEST(Packing, MeasurementsThatAreMadeAloneComeLastAndAlone) {
  PackedSweep run(3);
  run.change = [](plan::Stage& stage) {
    if (stage.spec.name == "bench" && stage.parameters.at("precision").text == "p1")
      stage.alone = true;
  };
  EXPECT_EQ(run.run()->failed, 0u);
  const auto all = run.intervals();
  for (const auto& [name, other] : all) {
    if (name == "bench p1 #1" || name.starts_with("serve p1")) continue;
    EXPECT_FALSE(overlap(all.at("bench p1 #1"), other)) << name;
  }
  EXPECT_GT(all.at("bench p1 #1").from_s, all.at("bench p2 #1").to_s);
  for (const MeasurementProduced* one : run.measured())
    EXPECT_EQ(one->isolation,
              one->session.stage == run.measured().back()->session.stage ? "strict" : "gpu");
}

TEST(Packing, TwoServersShareAHostWithoutGpusByTheCoresTheyAskFor) {
  PackedSweep run(2, 0, 2);
  run.change = [](plan::Stage& stage) {
    if (stage.spec.name != "serve") return;
    stage.gpus = 0;
    stage.share = std::make_shared<plan::Share>(plan::Share{.cores = 1, .tokens = {}});
  };
  run.run().value();
  const auto all = run.intervals();
  EXPECT_TRUE(overlap(all.at("bench p0 #1"), all.at("bench p1 #1")));
  EXPECT_NE(all.at("serve p0 #1").cpus, all.at("serve p1 #1").cpus);
  EXPECT_EQ(all.at("bench p0 #1").cpus, all.at("serve p0 #1").cpus);
}

TEST(Packing, AServerWithoutGpusThatAsksForNoCoresHasTheHostForItself) {
  PackedSweep run(2, 0, 2);
  run.change = [](plan::Stage& stage) {
    if (stage.spec.name == "serve") stage.gpus = 0;
  };
  run.run().value();
  const auto all = run.intervals();
  EXPECT_FALSE(overlap(all.at("serve p0 #1"), all.at("serve p1 #1")));
}

// Batch sizes 4, 8 and 16 with a server each, of which the one with 8 runs out of memory.
struct OutOfMemory : PackedSweep {
  OutOfMemory() : PackedSweep(0, 1) {
    for (const char* batch_size : {"4", "8", "16"})
      points.push_back({{"precision", "f16"}, {"batch_size", batch_size}, {"isl", "32"}});
    const auto packed = change_plan;
    change_plan = [packed](plan::Plan& made) {
      packed(made);
      made.prune_by = {"batch_size"};
      made.varied = {"batch_size", "precision", "isl"};
    };
    executor.behave = [this](const execute::Launch& launch) {
      if (launch.argv[0] != "serve" || launch.argv[2] != "8") return normal(launch);
      files.files[launch.log] =
          "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate\n";
      return Behaviour{.lasts_s = 1, .code = 1};
    };
  }
};

TEST(Pruning, APointThatNeedsMoreMemoryIsNotTried) {
  OutOfMemory run;
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class,
            (std::map<std::string, std::size_t>{{"cuda_oom", 1}, {"pruned", 1}}));
  EXPECT_EQ(count(run.started(3), "start serve f16 16"), 0u);
  EXPECT_EQ(count(run.started(3), "start serve f16 4"), 1u);
  std::string why;
  for (const Event& event : run.journal.events)
    if (const auto* moved = std::get_if<StageMoved>(&event);
        moved && moved->why.starts_with("pruned"))
      why = moved->why;
  EXPECT_NE(why.find("ran out of memory (cuda_oom) with batch_size 8"), std::string::npos) << why;
  EXPECT_EQ(decided(*outcome), run.plan.stages.size());
}

TEST(Pruning, IsNotDoneUnasked) {
  OutOfMemory run;
  const auto asked = run.change_plan;
  run.change_plan = [asked](plan::Plan& made) {
    asked(made);
    made.prune_by.clear();
  };
  run.run().value();
  EXPECT_EQ(count(run.started(3), "start serve f16 16"), 1u);
}

// A cluster whose nodes are all taken by servers: of two prompts, those of isl 128 come late.
struct ClusterSweep : Sweep {
  explicit ClusterSweep(double late_s) {
    points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}},
              {{"precision", "f16"}, {"batch_size", "4"}, {"isl", "128"}}};
    make_prompts_apart();
    options.elsewhere = true;
    executor.behave = [this, late_s](const execute::Launch& launch) {
      Behaviour behaviour = normal(launch);
      if (launch.argv[0] == "prompt" && launch.argv[1] == "128") behaviour.lasts_s = late_s;
      return behaviour;
    };
    executor.waits_for_a_place = [this](const std::string& name) {
      return is_queued && name.starts_with("prompt 128");
    };
  }
  bool is_queued = true;
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
    run.points.push_back({{"precision", "q8"}, {"batch_size", "4"}, {"isl", "32"}});
    run.options.elsewhere = true;
    run.options.jobs = 8;
    run.executor.behave = [&, behave = run.executor.behave](const execute::Launch& launch) {
      Behaviour behaviour = behave(launch);
      if (launch.argv[0] == "build" && launch.argv[1] == "q8") behaviour.lasts_s = 1000;
      return behaviour;
    };
    run.executor.waits_for_a_place = [&](const std::string& name) {
      return is_queued && name.starts_with("build q8");
    };
    EXPECT_EQ(run.run()->failed, 0u);
    EXPECT_EQ(run.servers() == 2, is_queued) << run.servers();
  }
}

TEST(OnACluster, NothingIsSaidOfNeighboursThatTheClusterChooses) {
  PackedSweep run(3);
  run.options.elsewhere = true;
  run.run().value();
  const auto all = run.intervals();
  ASSERT_TRUE(overlap(all.at("bench p0 #1"), all.at("bench p1 #1")));
  for (const MeasurementProduced* one : run.measured()) EXPECT_TRUE(one->neighbours.empty());
}

TEST(OnACluster, ServersAreJobsThatCount) {
  PackedSweep run(4);
  run.options.elsewhere = true;
  run.options.jobs = 2;
  EXPECT_EQ(run.run()->failed, 0u);
  const auto all = run.intervals();
  for (const auto& [name, one] : all)
    EXPECT_LE(std::count_if(all.begin(), all.end(),
                            [&](const auto& other) {
                              return !other.first.starts_with("bench") &&
                                     other.second.from_s <= one.from_s &&
                                     one.from_s < other.second.to_s;
                            }),
              2)
        << name;
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

}  // namespace packing_test
}  // namespace orch::schedule
