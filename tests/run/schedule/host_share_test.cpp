#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace host_share_test {

// One GPU, which each of STAGES needs.
struct GpuSweep : Sweep {
  explicit GpuSweep(std::set<std::string> stages = {"serve"}) {
    points = {point("f16"), point("q8")};
    gpus.gpus = {{.index = 0, .uuid = "GPU-0", .memory_gib = 80, .used_gib = 0.4, .pids = {}}};
    change_plan = [stages](plan::Plan& made) {
      for (plan::Stage& stage : made.stages)
        if (stages.contains(stage.spec.name)) stage.gpus = 1;
    };
    on("serve", [this](const auto& launch, Behaviour normal) {
      visible.push_back(launch.env.contains("CUDA_VISIBLE_DEVICES")
                            ? launch.env.at("CUDA_VISIBLE_DEVICES")
                            : "none");
      return normal;
    });
  }
  Lines visible;
};

TEST(GpuSlots, AreAssignedByIndex) {
  GpuSweep run;
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.visible, (Lines{"0", "0"}));
}

TEST(GpuSlots, ChosenOnesThatDoNotAnswerAreNotReplacedByOthers) {
  GpuSweep run;
  run.options.backoff.most_failures = 1;
  run.options.chosen_gpus = "4, 5";
  run.gpus.gpus.clear();
  EXPECT_EQ(run.run()->failures_by_class, (std::map<std::string, std::size_t>{{"gpu_missing", 2}}));
  std::string why;
  for (const Event& event : run.journal.events)
    if (const auto* moved = std::get_if<StageMoved>(&event); moved && moved->to == State::failed)
      why = moved->why;
  EXPECT_EQ(why, "gpu_missing: only 0 of the chosen GPUs (4, 5) answer, and 1 are needed");
  EXPECT_EQ(run.visible, Lines{});
}

TEST(GpuSlots, AreAssignedAgainOnlyWhenTheirMemoryIsFree) {
  GpuSweep run;
  double stopped_s = 0, started_s = 0;
  run.executor.on_time = [&](double time_s) {
    const auto& diary = run.executor.diary;
    const auto starts = std::count_if(diary.begin(), diary.end(), [](const std::string& line) {
      return line.starts_with("start serve");
    });
    const bool stopped = std::any_of(diary.begin(), diary.end(), [](const std::string& line) {
      return line.starts_with("term serve");
    });
    if (stopped && !stopped_s) stopped_s = time_s;
    if (starts == 2 && !started_s) started_s = time_s;
    run.gpus.gpus[0].used_gib = starts > 0 && (!stopped_s || time_s < stopped_s + 7) ? 60 : 0.5;
  };
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_GE(started_s, stopped_s + 7);
}

TEST(GpuSlots, ThatStayDirtyAreReportedWithTheirHolders) {
  GpuSweep run;
  run.options.backoff.most_failures = 1;
  run.executor.on_time = [&](double) {
    const auto& diary = run.executor.diary;
    if (std::any_of(diary.begin(), diary.end(),
                    [](const std::string& line) { return line.starts_with("start serve"); })) {
      run.gpus.gpus[0].used_gib = 60;
      run.gpus.gpus[0].pids = {4711};
    }
  };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"dirty_gpu", 1}}));
  EXPECT_EQ(run.visible.size(), 1u);  // no second server was started
  std::string why;
  for (const Event& event : run.journal.events)
    if (const auto* moved = std::get_if<StageMoved>(&event); moved && moved->to == State::failed)
      why = moved->why;
  EXPECT_EQ(why, "dirty_gpu: GPU 0: 60.0 of 80.0 GiB are in use by pid 4711");
}

TEST(GpuSlots, WithMemoryOfNobodyFromTheStartAreLeftAlone) {
  GpuSweep run;
  run.gpus.gpus[0].used_gib = 60;  // of a crash, or of another container
  run.gpus.gpus.push_back(
      {.index = 1, .uuid = "GPU-1", .memory_gib = 80, .used_gib = 0.4, .pids = {}});
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.visible, (Lines{"1", "1"}));
}

TEST(GpuSlots, AServerThatFoundNoPortGivesItsGpuBack) {
  GpuSweep run;
  run.points = one_point();
  run.ports.refusals = 1;
  EXPECT_EQ(run.run()->done, 6u);
}

TEST(GpuSlots, AnAdoptedServerDoesNotBlockATaskOfItsMeasurement) {
  GpuSweep run({"serve", "prompts"});
  run.points = one_point();
  run.set_duration("bench", 50);
  run.die_when_starts("bench");
  run.run_until_it_dies();
  // The matrix has grown: another length is measured on the same server.
  run.points.push_back(point("f16", "4", "64"));
  EXPECT_EQ(run.resume()->failed, 0u);
}

// The same without a dead run: the task is postponed, and meanwhile the server takes the GPU.
TEST(GpuSlots, AServerDoesNotTakeTheGpuThatATaskOfItsMeasurementWaitsFor) {
  GpuSweep run({"serve", "prompts"});
  run.points = one_point();
  int tries = 0;
  run.on("prompts", [&](const auto&, Behaviour normal) {
    return ++tries == 1 ? Behaviour{.lasts_s = 20, .signal = SIGKILL} : normal;
  });
  EXPECT_EQ(run.run()->failed, 0u);
}

}  // namespace host_share_test
}  // namespace orch::schedule
