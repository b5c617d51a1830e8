// What tasks are going to write is held like cores and tokens.
#include "run/schedule/stage_queue.hpp"
#include "run/schedule/support.hpp"
#include "run/slurm/slurm.hpp"

#include <csignal>

namespace orch::schedule {
namespace disk_test {

constexpr std::uint64_t k_mib = 1 << 20;

struct Build {
  std::uint64_t mib = 0;
  double lasts_s = 10;
};

// A point for each of BUILDS; 400 MiB of the disk are free, 16 of them for the store. Nothing that
// is written changes that.
struct DiskSweep : Sweep {
  explicit DiskSweep(std::vector<Build> builds) {
    options.jobs = 8;
    files.space = {400 * k_mib, 1000, 10000 * k_mib};
    for (std::size_t i = 0; i < builds.size(); ++i) points.push_back(point(std::to_string(i)));
    change_plan = [this, builds](plan::Plan& made) {
      made.isolation = isolation;
      for (plan::Stage& stage : made.stages) {
        stage.estimate.seconds = 1;
        if (stage.spec.name == "prompts")
          stage.estimate.needed_bytes = stage.parameters.at("isl").text == "32" && !stage.spec.batch
                                            ? 0
                                            : prompts_mib * k_mib;
        if (stage.spec.name != "build") continue;
        const Build& build = builds[std::stoul(stage.parameters.at("precision").text)];
        stage.estimate.needed_bytes = build.mib * k_mib;
        stage.estimate.seconds = build.lasts_s;
      }
    };
    executor.behave = [this, builds](const execute::Launch& launch) {
      Behaviour behaviour = normal(launch);
      if (launch.argv[0] == "prompts") prompts_s = clock.time_s;
      if (launch.argv[0] != "build") return behaviour;
      const std::size_t build = std::stoul(launch.argv[1]);
      starts_s[build] = clock.time_s;
      behaviour.lasts_s = builds[build].lasts_s;
      return behaviour;
    };
  }

  std::size_t builds() const { return count(started(1), "start build"); }
  // When a build was postponed first; infinity: never.
  double postponed_s() const {
    for (const Event& event : journal.events)
      if (const auto* moved = std::get_if<StageMoved>(&event);
          moved && moved->to == State::waiting && moved->stage.starts_with("build"))
        return moved->at - clock.day_s;
    return k_forever;
  }

  matrix::Isolation isolation = matrix::Isolation::none;
  std::uint64_t prompts_mib = 0;
  double prompts_take_s = 1;               // as estimated
  std::map<std::size_t, double> starts_s;  // of the builds
  double prompts_s = 0;
};

TEST(Disk, TwoBuildsThatFitOnlyOneAfterTheOtherDoNotOverlap) {
  for (const auto isolation :
       {matrix::Isolation::strict, matrix::Isolation::gpu, matrix::Isolation::none}) {
    SCOPED_TRACE(to_string(isolation));
    DiskSweep run({{.mib = 300}, {.mib = 300}});
    run.isolation = isolation;
    EXPECT_EQ(run.run()->failed, 0u);
    EXPECT_EQ(run.builds(), 2u);
    EXPECT_EQ(run.postponed_s(), run.k_forever) << "it waits, and does not fail first";
    EXPECT_GE(run.starts_s.at(1), run.starts_s.at(0) + 10);
  }
}

TEST(Disk, BuildsThatFitBesideEachOtherOverlap) {
  DiskSweep run({{.mib = 192}, {.mib = 192}});
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.starts_s.at(1), run.starts_s.at(0));
}

TEST(Disk, ThatBecomesFreeMeanwhileIsSeen) {
  DiskSweep run({{.mib = 300, .lasts_s = 50}, {.mib = 300}});
  run.executor.on_time = [&](double time_s) {
    if (time_s > 1010) run.files.space.bytes = 700 * k_mib;
  };
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_GT(run.starts_s.at(1), 1010);
  EXPECT_LT(run.starts_s.at(1), run.starts_s.at(0) + 50);
}

TEST(Disk, ABuildThatNeverFitsFailsOnceNothingElseHoldsAny) {
  DiskSweep run({{.mib = 100, .lasts_s = 50}, {.mib = 500}});
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"disk_full", 1}}));
  EXPECT_EQ(run.builds(), 1u);
  EXPECT_GE(run.postponed_s(), run.starts_s.at(0) + 50);
}

TEST(Disk, ASmallerBuildDoesNotDelayOneThatWaits) {
  DiskSweep run({{.mib = 200}, {.mib = 300}, {.mib = 150, .lasts_s = 100}});
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_GT(run.starts_s.at(2), run.starts_s.at(1)) << "though it would have fitted at once";
}

TEST(Disk, ABatchHoldsWhatAllItsStagesWrite) {
  DiskSweep run(std::vector{Build{.mib = 300}});
  run.points.push_back(point("0", "4", "64"));
  run.prompts_mib = 50;  // one of them would fit
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start prompts"), 1u);
  const double between_s = run.prompts_s - run.starts_s.at(0);
  EXPECT_TRUE(between_s >= 10 || between_s <= -1) << between_s;
}

// A build that was killed is tried again beside it.
TEST(Disk, ASmallerBuildDoesNotDelayABatchThatWaits) {
  DiskSweep run({{.mib = 150}, {.mib = 100, .lasts_s = 100}});
  run.points.push_back(point("0", "4", "64"));
  run.prompts_mib = 160;  // one of them would fit beside both
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_LT(run.prompts_s, run.starts_s.at(1) + 50);
}

TEST(Disk, ABatchThatWasTakenOverHoldsWhatAllItsStagesWrite) {
  DiskSweep run(std::vector{Build{.mib = 310}});
  run.points.push_back(point("0", "4", "64"));
  run.prompts_mib = 50;
  bool is_killed = false;
  run.on("build", [&](const auto&, Behaviour normal) {
    if (!std::exchange(is_killed, true)) normal.lasts_s = 1, normal.signal = SIGKILL;
    return normal;
  });
  run.set_duration("prompts", 50);
  run.die_when_starts("prompts");
  run.run_until_it_dies();
  ASSERT_TRUE(is_killed);
  EXPECT_EQ(run.resume()->failed, 0u);
  EXPECT_GE(run.starts_s.at(0), run.prompts_s + 50);
}

TEST(Disk, ABuildThatWasTakenOverHoldsWhatItWrites) {
  DiskSweep run({{.mib = 300, .lasts_s = 50}, {.mib = 300}});
  run.die_when_starts("build");
  run.run_until_it_dies();
  EXPECT_EQ(run.resume()->failed, 0u);
  EXPECT_EQ(run.builds(), 2u);
  EXPECT_GE(run.starts_s.at(1), run.starts_s.at(0) + 50);
}

// The server of the first build waits for prompts that were killed: when they are tried again, the
// second build has the disk.
TEST(Disk, AServerStaysWhereItsEndWouldNotMakeRoom) {
  DiskSweep run({{.mib = 1}, {.mib = 300, .lasts_s = 80}});
  run.make_prompts_apart();
  run.points.push_back(point("0", "4", "128"));
  run.prompts_mib = 200;
  run.on("prompt 128", [&](const auto&, Behaviour normal) {
    if (run.starts_s.count(1) == 0) normal.signal = SIGKILL;
    return normal;
  });
  EXPECT_EQ(run.run()->failed, 0u);
  ASSERT_EQ(count(run.started(2), "start prompt 128"), 2u);
  EXPECT_EQ(count(run.started(2), "start serve 0"), 1u);
}

TEST(Disk, OfAClusterIsNotHeld) {
  DiskSweep run({{.mib = 300}, {.mib = 300}});
  run.executor.placed = slurm::k_jobs;
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.starts_s.at(1), run.starts_s.at(0));
}

// A server would hold it for as long as it is up.
TEST(Disk, IsHeldByTasksOnly) {
  plan::Stage stage;
  stage.estimate.needed_bytes = 5 * k_mib - 1;  // rounded up
  for (const auto kind : {runner::Kind::task, runner::Kind::service, runner::Kind::measure}) {
    stage.spec.kind = kind;
    EXPECT_EQ(request_of(stage, matrix::Isolation::none).disk_bytes,
              kind == runner::Kind::task ? 5 * k_mib : 0);
  }
}

}  // namespace disk_test
}  // namespace orch::schedule
