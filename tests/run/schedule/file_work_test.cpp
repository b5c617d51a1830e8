#include "run/schedule/file_work.hpp"

#include "run/schedule/run_state.hpp"
#include "run/schedule/support.hpp"

#include <future>
#include <thread>

namespace orch::schedule {
namespace file_work_test {

using system::LongWork;

// An executor that counts how often it was woken.
class WokenExecutor final : public execute::Executor {
 public:
  std::atomic<int> woken = 0;

  Result<execute::Handle> start(const execute::Launch&) override { return invalid("no launches"); }
  std::vector<execute::Ended> poll(double) override { return {}; }
  void wake() override { ++woken; }
  void terminate(const std::string&) override {}
  void kill(const std::string&) override {}
  void hold(const execute::Launch&, const std::optional<execute::Handle>&) override {}
  execute::Recovered recover(const execute::Launch&,
                             const std::optional<execute::Handle>&) override {
    return {};
  }
};

TEST(FileWork, WhatFollowsIsDoneByTheThreadThatSettles) {
  system::RealWorkers workers;
  WokenExecutor executor;
  FileWork work(workers, executor);
  std::thread::id worked, followed;
  std::promise<void> begun;
  work.start("a", [&](LongWork&) -> FileWork::Next {
    worked = std::this_thread::get_id();
    begun.set_value();
    return [&] { followed = std::this_thread::get_id(); };
  });
  begun.get_future().wait();
  while (!work.has_done()) std::this_thread::yield();
  EXPECT_FALSE(work.empty());
  work.settle();
  EXPECT_TRUE(work.empty());
  EXPECT_NE(worked, std::this_thread::get_id());
  EXPECT_EQ(followed, std::this_thread::get_id());
  EXPECT_EQ(executor.woken, 1);
}

TEST(FileWork, IsStoppedByItsTokenAndAtTheEnd) {
  system::RealWorkers workers;
  WokenExecutor executor;
  std::atomic<int> stopped = 0;
  const auto until_stopped = [&](LongWork& work) -> FileWork::Next {
    while (!work.is_stopped()) std::this_thread::yield();
    ++stopped;
    return [] { ADD_FAILURE() << "forgotten work has no consequences"; };
  };
  {
    FileWork work(workers, executor);
    work.start("a", until_stopped);
    work.start("b", until_stopped);
    work.stop("unknown");
    work.stop("a");
    while (stopped == 0) std::this_thread::yield();
    EXPECT_FALSE(work.find("b")->is_stopped());
    EXPECT_EQ(work.find("unknown"), nullptr);
  }
  EXPECT_EQ(stopped, 2);
}

// What follows may start more work, also for the same attempt.
TEST(FileWork, OneStepStartsTheNext) {
  fakes::FakeWorkers workers;
  WokenExecutor executor;
  FileWork work(workers, executor);
  int steps = 0;
  FileWork::Work step = [&](LongWork&) -> FileWork::Next {
    return [&] {
      if (++steps < 3) work.start("a", step);
    };
  };
  work.start("a", step);
  while (work.has_done()) work.settle();
  EXPECT_EQ(steps, 3);
}

TEST(FileWork, SomethingCanWaitUntilAllIsDone) {
  fakes::FakeWorkers workers;
  WokenExecutor executor;
  FileWork work(workers, executor);
  const FileWork::Work nothing = [](LongWork&) -> FileWork::Next { return [] {}; };
  int calls = 0;
  work.start("a", nothing);
  workers.holds = [] { return true; };
  work.start("b", nothing);
  work.when_empty([&] { ++calls; });
  work.settle();
  EXPECT_EQ(calls, 0);
  workers.do_all();
  work.settle();
  work.settle();
  EXPECT_EQ(calls, 1);
}

TEST(Progress, SaysHowFarTheFilesOfAStageAre) {
  Sweep sweep;
  sweep.points = one_point();
  sweep.plan = sweep.plan_now();
  attempt::Workspace workspace = sweep.make_workspace();
  RunState run(sweep.plan, sweep.tools(workspace), sweep.options);
  for (const Index stage : {Index{0}, Index{1}}) {
    ActiveProcess process;
    process.token = fmt::format("o{}", stage);
    process.members.push_back({stage, {run.stage(stage).id, 1}, {}});
    run.processes.add(std::move(process));
  }
  run.file_work.start("o1", [](LongWork& work) -> FileWork::Next {
    work.expect(10);
    work.add(4);
    return [] {};
  });
  const Progress progress = progress_of(run);
  ASSERT_EQ(progress.running.size(), 2u);
  EXPECT_EQ(progress.running[0].where, "") << "on this host";
  EXPECT_EQ(progress.running[0].expected_bytes, 0u);
  EXPECT_EQ(progress.running[1].done_bytes, 4u);
  EXPECT_EQ(progress.running[1].expected_bytes, 10u);
}

}  // namespace file_work_test
}  // namespace orch::schedule
