// States in which a run could wait for ever, or end with something undecided.
#include "schedule/support.hpp"

namespace orch::schedule {
namespace {

struct Stuck {};

// No run here needs so long.
void bound(Sweep& run, double limit_s = 100000) {
  const auto before = run.executor.on_time;
  run.executor.on_time = [before, limit_s](double now_s) {
    if (now_s > limit_s) throw Stuck{};
    if (before) before(now_s);
  };
}

std::size_t starts(const Sweep& run, const std::string& what) {
  return static_cast<std::size_t>(std::count_if(run.executor.diary.begin(), run.executor.diary.end(), [&](const std::string& line) { return line.starts_with("start " + what); }));
}

void one_gpu(Sweep& run, const std::vector<std::string>& stages) {
  run.gpus.gpus = {{.index = 0, .uuid = "GPU-0", .memory_gib = 80, .used_gib = 0.4, .pids = {}}};
  run.change_plan = [stages](plan::Plan& made) {
    for (plan::Stage& stage : made.stages)
      if (std::find(stages.begin(), stages.end(), stage.spec.name) != stages.end()) stage.gpus = 1;
  };
}

class NoPortsFirst final : public system::Ports {
 public:
  explicit NoPortsFirst(int refusals) : refusals_(refusals) {}
  Result<std::vector<system::PortLease>> lease(std::size_t count) override {
    if (refusals_-- > 0) return Error{ErrorKind::conflict, "no 1 free ports between 1 and 2", {}};
    std::vector<system::PortLease> leases;
    for (std::size_t i = 0; i < count; ++i) leases.emplace_back(next_++, system::Descriptor());
    return leases;
  }
  Result<system::PortLease> retake(int port) override { return system::PortLease(port, system::Descriptor()); }

 private:
  int refusals_, next_ = 20000;
};

TEST(Standstill, AServerThatFoundNoPortGivesItsGpuBack) {
  Sweep run;
  run.points = one_point();
  one_gpu(run, {"serve"});
  bound(run);
  NoPortsFirst ports(1);
  run.plan = run.plan_now();
  execute::Workspace workspace = run.make_workspace();
  Scheduler scheduler(run.plan,
                      {.journal = run.journal, .executor = run.executor, .workspace = workspace, .readiness = run.readiness, .ports = ports, .gpu_memory = run.gpus, .clock = run.clock,
                       .interrupts = run.interrupts, .observers = {}, .make_token = [&] { return fmt::format("token{:03}", ++run.tokens); }, .random = [] { return 0.5; },
                       .changed_input = [](const plan::Stage&) { return std::string(); }},
                      run.options, run.adopted);
  try {
    EXPECT_EQ(scheduler.run()->done, 6u);
  } catch (const Stuck&) {
    FAIL() << "for ever";
  }
}

// The budget, with a journal that counts as the store's does: what is appended counts.
class CountingJournal final : public Journal {
 public:
  explicit CountingJournal(fakes::MemoryJournal& inner) : inner_(inner) {}
  int next_attempt(const plan::StageId& stage) override { return inner_.next_attempt(stage); }
  int failures_so_far(const plan::StageId& stage) override {
    return static_cast<int>(std::count_if(inner_.events.begin(), inner_.events.end(), [&](const Event& event) {
      const auto* ended = std::get_if<AttemptEnded>(&event);
      return ended && ended->attempt.stage == stage && !ended->ok && ended->kind == execute::FailureKind::harness && ended->failure_class != "interrupted";
    }));
  }
  bool is_current(const AttemptKey& key, const std::string& token) override { return inner_.is_current(key, token); }
  void append(const Event& event) override { inner_.append(event); }
  Status commit() override { return inner_.commit(); }
  std::string invalid_reasons(const AttemptKey& key) override { return inner_.invalid_reasons(key); }

 private:
  fakes::MemoryJournal& inner_;
};

TEST(Standstill, TheWholeBudgetIsUsed) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) { return launch.argv[0] == "build" ? Behaviour{.signal = SIGKILL} : run.normal(launch); };
  bound(run);
  CountingJournal journal(run.journal);
  run.plan = run.plan_now();
  execute::Workspace workspace = run.make_workspace();
  Scheduler scheduler(run.plan,
                      {.journal = journal, .executor = run.executor, .workspace = workspace, .readiness = run.readiness, .ports = run.ports, .gpu_memory = run.gpus, .clock = run.clock,
                       .interrupts = run.interrupts, .observers = {}, .make_token = [&] { return fmt::format("token{:03}", ++run.tokens); }, .random = [] { return 0.5; },
                       .changed_input = [](const plan::Stage&) { return std::string(); }},
                      run.options, run.adopted);
  ASSERT_TRUE(scheduler.run());
  EXPECT_EQ(starts(run, "build"), static_cast<std::size_t>(run.options.backoff.most_failures));
}

TEST(Standstill, AMeasurementWhoseServerWasGivenUpIsDecided) {
  Sweep run;
  run.points = one_point();
  run.options.backoff.most_failures = 1;
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] != "bench") return run.normal(launch);
    run.executor.die("serve", SIGKILL);
    return Behaviour{.lasts_s = 3600, .code = 1};
  };
  bound(run);
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->done + outcome->reused + outcome->failed + outcome->skipped + outcome->cancelled, run.plan.stages.size());
}

// The same, its measurement over before the server is known to be dead.
TEST(Standstill, AnInvalidMeasurementWhoseServerWasGivenUpIsDecided) {
  Sweep run;
  run.points = one_point();
  run.options.backoff.most_failures = 1;
  run.journal.judge = [](const AttemptKey&) { return "no request succeeded"; };
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "bench") run.executor.die_at("serve", run.clock.time_s + 1.5, SIGKILL);
    return run.normal(launch);
  };
  bound(run);
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->done + outcome->reused + outcome->failed + outcome->skipped + outcome->cancelled, run.plan.stages.size());
}

TEST(Standstill, AnAdoptedServerDoesNotKeepItsMeasurementsTaskFromTheGpu) {
  Sweep run;
  run.points = one_point();
  one_gpu(run, {"serve", "prompts"});
  run.let_last("bench", 50);
  run.executor.on_time = [&](double) {
    if (!starts(run, "bench")) return;
    run.executor.on_time = nullptr;
    throw Sweep::Died{};
  };
  run.run_until_it_dies();
  // The matrix has grown: another length is asked of the same server.
  run.points.push_back({{"precision", "f16"}, {"batch_size", "4"}, {"isl", "64"}});
  bound(run);
  try {
    EXPECT_EQ(run.resume()->failed, 0u);
  } catch (const Stuck&) {
    FAIL() << "for ever";
  }
}

// What ends while another round is under way.
TEST(Standstill, WhatWasTakenOverAndEndsInARoundThatDoesNotWantItIsHeardOfInTheNext) {
  Sweep run;
  run.points = one_point();
  run.let_last("build", 5);
  run.die_at(1003);
  run.run_until_it_dies();
  bound(run);
  // The first round: prompts of another length only, which take longer than the build.
  std::vector<Unfinished> unfinished = run.journal.unfinished();
  const plan::Plan before = run.plan;
  for (const plan::Stage& stage : before.stages)
    if (stage.spec.name == "download") run.done.made[stage.digest] = fakes::made_by(1);
  plan::Plan all = run.plan_now();
  execute::Workspace workspace = run.make_workspace();
  auto found = recover(all, std::move(unfinished), {.journal = run.journal, .executor = run.executor, .workspace = workspace, .clock = run.clock, .host = "here"});
  ASSERT_TRUE(found);
  run.adopted = std::move(*found);
  ASSERT_FALSE(run.adopted.empty());
  run.let_last("prompts", 60);
  run.points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "64"}}};
  run.change_plan = [](plan::Plan& made) {
    for (plan::Stage& stage : made.stages)
      if (stage.spec.name != "prompts" && stage.status == plan::Status::run) stage.status = plan::Status::idle;
  };
  ASSERT_TRUE(run.run());
  run.change_plan = nullptr;
  run.points = one_point();
  try {
    const auto outcome = run.run();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->failed, 0u);
  } catch (const Stuck&) {
    FAIL() << "for ever";
  }
}

// What is found by asking guardians is on record from then on.
TEST(Standstill, AnAdoptedAttemptWhoseSpawnWasNotOnRecordHasItsHandleThere) {
  Sweep run;
  run.points = one_point();
  run.let_last("build", 100);
  run.die_at(1003);
  run.run_until_it_dies();
  std::erase_if(run.journal.events, [](const Event& event) { const auto* spawned = std::get_if<AttemptSpawned>(&event); return spawned && spawned->attempt.stage.starts_with("build"); });
  run.journal.durable = run.journal.events.size();
  bound(run);
  ASSERT_TRUE(run.resume());
  EXPECT_TRUE(std::any_of(run.journal.events.begin(), run.journal.events.end(), [](const Event& event) {
    const auto* spawned = std::get_if<AttemptSpawned>(&event);
    return spawned && spawned->attempt.stage.starts_with("build");
  }));
}

// A new server has seen no prompts.
TEST(Standstill, ANewServerIsMeasuredWithTheFirstPrompts) {
  Sweep run;
  run.points = one_point();
  int benches = 0;
  std::vector<std::string> blocks;
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] != "bench") return run.normal(launch);
    blocks.push_back(launch.argv.back());
    if (++benches < 5) {
      run.executor.die("serve", SIGKILL);
      return Behaviour{.lasts_s = 5, .code = 1};
    }
    return run.normal(launch);
  };
  bound(run);
  ASSERT_TRUE(run.run());
  EXPECT_EQ(blocks, (Lines{"0", "0", "0", "0", "0"}));
}

// A measurement that its server's death ended four times has not failed itself.
TEST(Standstill, AServersDeathsAreNotItsMeasurementsFailures) {
  Sweep run;
  run.points = one_point();
  run.options.backoff.most_failures = 6;
  int benches = 0;
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] != "bench") return run.normal(launch);
    if (++benches <= 4) {
      run.executor.die("serve", SIGKILL);
      return Behaviour{.lasts_s = 5, .code = 1};
    }
    return benches == 5 ? Behaviour{.signal = SIGKILL} : run.normal(launch);
  };
  bound(run);
  CountingJournal journal(run.journal);
  run.plan = run.plan_now();
  execute::Workspace workspace = run.make_workspace();
  Scheduler scheduler(run.plan,
                      {.journal = journal, .executor = run.executor, .workspace = workspace, .readiness = run.readiness, .ports = run.ports, .gpu_memory = run.gpus, .clock = run.clock,
                       .interrupts = run.interrupts, .observers = {}, .make_token = [&] { return fmt::format("token{:03}", ++run.tokens); }, .random = [] { return 0.5; },
                       .changed_input = [](const plan::Stage&) { return std::string(); }},
                      run.options, run.adopted);
  const auto outcome = scheduler.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(starts(run, "bench"), 6u);
}

// There are three blocks of prompts; a fourth attempt on one server would have none of its own.
TEST(Standstill, OneServerIsNotMeasuredMoreOftenThanThereArePrompts) {
  Sweep run;
  run.points = one_point();
  std::vector<std::string> blocks;
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] != "bench") return run.normal(launch);
    blocks.push_back(launch.argv.back());
    return blocks.size() < 5 ? Behaviour{.signal = SIGKILL} : run.normal(launch);
  };
  bound(run);
  ASSERT_TRUE(run.run());
  for (const std::string& block : blocks) EXPECT_LT(std::stoi(block), plan::k_prompt_blocks);
}

// Taken over after Ctrl-C twice, before anything else: ended, and called off.
TEST(Standstill, AnAdoptedServerIsEndedWhenTheRunIsInterruptedAtOnce) {
  Sweep run;
  run.points = one_point();
  run.let_last("bench", 50);
  run.executor.on_time = [&](double) {
    if (!starts(run, "bench")) return;
    run.executor.on_time = nullptr;
    throw Sweep::Died{};
  };
  run.run_until_it_dies();
  run.interrupts.asked = 2;
  bound(run);
  const auto outcome = run.resume();
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->done + outcome->reused + outcome->failed + outcome->skipped + outcome->cancelled, run.plan.stages.size());
}

// A measurement that ended well while nobody looked, and whose server died with the run.
TEST(Standstill, AMeasurementThatEndedUnseenIsOnRecordOnce) {
  Sweep run;
  run.points = one_point();
  run.let_last("bench", 50);
  run.die_at(1010);
  run.run_until_it_dies();
  run.clock.time_s += 100;
  bound(run);
  const auto outcome = run.resume();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(starts(run, "bench"), 1u);
  std::vector<plan::StageId> sessions;
  for (const Event& event : run.journal.events)
    if (const auto* measured = std::get_if<MeasurementProduced>(&event)) sessions.push_back(measured->session.stage.substr(0, measured->session.stage.find('-')));
  EXPECT_EQ(sessions, (std::vector<plan::StageId>{"serve"}));
}

// The same without a dead run: the task is put off, and meanwhile the server takes the GPU.
TEST(Standstill, AServerDoesNotTakeTheGpuThatATaskOfItsMeasurementWaitsFor) {
  Sweep run;
  run.points = one_point();
  one_gpu(run, {"serve", "prompts"});
  int tries = 0;
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "prompts" && ++tries == 1) return Behaviour{.lasts_s = 20, .signal = SIGKILL};
    return run.normal(launch);
  };
  bound(run);
  try {
    EXPECT_EQ(run.run()->failed, 0u);
  } catch (const Stuck&) {
    FAIL() << "for ever";
  }
}

}  // namespace
}  // namespace orch::schedule
