// Stages side by side on one host: the isolations gpu and none.
#include "run/schedule/packed_sweep.hpp"

#include <csignal>

namespace orch::schedule {
namespace packing_test {

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
  PackedSweep run(2);
  run.options.inventory.memory_gib = 64;
  run.change = [](plan::Stage& stage) {
    if (stage.spec.name == "build" && stage.parameters.at("precision").text == "p1")
      stage.share =
          std::make_shared<plan::Share>(plan::Share{.cores = {}, .memory_gib = 200, .tokens = {}});
  };
  EXPECT_EQ(run.run()->failures_by_class.at("host_too_small"), 1u);
  bool is_built = false;
  for (const Event& event : run.journal.events) {
    const auto* ended = std::get_if<AttemptEnded>(&event);
    is_built = is_built || (ended && run.name_of(ended->attempt) == "build p0 #1");
    const auto* moved = std::get_if<StageMoved>(&event);
    EXPECT_FALSE(moved && moved->to == State::failed && is_built) << "nobody's end would make room";
  }
  EXPECT_EQ(
      run.why_failed(),
      "host_too_small: it asks for 200 GiB of memory, and this host has 4 GPUs, 18 cores, 64.0 "
      "GiB of memory; change "
      "`resources` of the stage or the parameters that they read, or `tokens` of the site file");
}

// The prompts of isl 128 come late, and servers wait for them.
struct LatePrompts : PackedSweep {
  LatePrompts(int point_count, int gpu_count, const std::vector<std::string>& idle)
      : PackedSweep(point_count, gpu_count) {
    options.jobs = 8;
    make_prompts_apart();
    for (const std::string& precision : idle) points.push_back(point(precision, "4", "128"));
    executor.behave = [this, known = executor.behave](const execute::Launch& launch) {
      Behaviour behaviour = known(launch);
      const auto lasts = lasts_s.find(launch.argv[0] + " " + launch.argv[1]);
      if (lasts != lasts_s.end()) behaviour.lasts_s = lasts->second;
      return behaviour;
    };
  }
  std::map<std::string, double> lasts_s = {{"prompt 128", 200}};
};

// The first stage that waits, p0, needs all GPUs, of which p1 has most for long.
TEST(Packing, AnIdleServerGivesItsGpuToAStageThatDelaysNobody) {
  LatePrompts run(5, 5, {"p2", "p4"});
  run.lasts_s.insert({{"build p0", 50}, {"build p3", 60}, {"bench p1", 500}});
  run.change = [](plan::Stage& stage) {
    if (stage.spec.name != "serve" && stage.spec.name != "bench") return;
    const std::string& precision = stage.parameters.at("precision").text;
    if (stage.spec.name == "serve") stage.gpus = precision == "p0" ? 5 : precision == "p1" ? 3 : 1;
    else if (precision == "p1") stage.estimate.seconds = 500;
  };
  EXPECT_EQ(run.run()->failed, 0u);
  const auto all = run.intervals();
  const Interval& later = all.at("serve p3 #1");
  EXPECT_EQ(later.from_s, all.at("build p3 #1").to_s);
  EXPECT_GT(all.at("serve p0 #1").from_s, later.to_s);
  EXPECT_NE(overlap(later, all.at("serve p2 #1")), overlap(later, all.at("serve p4 #1")))
      << "one GPU is enough";
}

// Its server has just ended, and the driver takes its time.
TEST(Packing, AnIdleServerStaysForAStageWhoseGpuIsAboutToBeFree) {
  LatePrompts run(3, 2, {"p0"});
  run.lasts_s.insert({{"bench p0", 20}, {"build p2", 25}});
  run.executor.on_time = [&run, from_s = run.clock.time_s](double now_s) {
    run.gpus.gpus[1].used_gib = now_s > from_s + 15 && now_s < from_s + 34 ? 70 : 0;
  };
  EXPECT_EQ(run.run()->failed, 0u);
  const auto all = run.intervals();
  EXPECT_GT(all.at("serve p2 #1").from_s, all.at("build p2 #1").to_s + 5);
  EXPECT_EQ(count(run.started(2), "start serve p0"), 1u);
}

TEST(Packing, AServerStaysForAMeasurementThatIsTriedAgain) {
  PackedSweep run(2, 1);
  bool was_killed = false;
  run.on("bench", [&](const auto&, Behaviour normal) {
    if (!std::exchange(was_killed, true)) normal.signal = SIGKILL;
    return normal;
  });
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start serve"), 2u);
}

TEST(Packing, AMeasurementThatDoesNotFitBesideItsServerFails) {
  PackedSweep run(1);
  run.change = [](plan::Stage& stage) {
    if (stage.spec.name == "serve") stage.gpus = 0;
    if (stage.spec.name == "bench")
      stage.share =
          std::make_shared<plan::Share>(plan::Share{.cores = 2, .memory_gib = 0, .tokens = {}});
  };
  EXPECT_EQ(run.run()->failures_by_class.at("host_too_small"), 1u);
  EXPECT_NE(run.why_failed().find("it asks for 2 cores beside its server"), std::string::npos)
      << run.why_failed();
}

// Three servers leave 10 of 100 GiB, and each measurement needs 20: without one of the servers, the
// other two can be measured.
TEST(Packing, OneServerEndsWhereAllOfThemLeaveNoRoomForAMeasurement) {
  PackedSweep run(3);
  run.options.jobs = 8;
  run.options.inventory.memory_gib = 100;
  run.change = [](plan::Stage& stage) {
    if (stage.spec.name != "serve" && stage.spec.name != "bench") return;
    const double gib = stage.spec.name == "serve" ? 30 : 20;
    stage.share =
        std::make_shared<plan::Share>(plan::Share{.cores = {}, .memory_gib = gib, .tokens = {}});
  };
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.measured().size(), 3u);
  EXPECT_EQ(count(run.started(1), "start serve"), 4u);
}

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
    for (const char* batch_size : {"4", "8", "16"}) points.push_back(point("f16", batch_size));
    const auto packed = change_plan;
    change_plan = [packed](plan::Plan& made) {
      packed(made);
      made.prune_by = {"batch_size"};
      made.varied = {"batch_size", "precision", "isl"};
    };
    on("serve f16 8", [this](const auto& launch, const Behaviour&) {
      files.files[launch.log] =
          "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate\n";
      return Behaviour{.code = 1};
    });
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

}  // namespace packing_test
}  // namespace orch::schedule
