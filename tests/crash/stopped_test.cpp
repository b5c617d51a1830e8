// Processes that are stopped for a while, as by a debugger, a full disk or a laptop's lid. An
// attempt that was superseded meanwhile cannot publish; an orchestrator that was stopped does not
// count the time against its stages.
#include "crash/diary.hpp"
#include "crash/referee.hpp"
#include "crash/reference.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace orch::crash {
namespace stopped_test {

// A process that is signalled only while its identity is unchanged.
class Identified {
 public:
  explicit Identified(int pid) : pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  ~Identified() { ::close(pidfd_); }
  Identified(const Identified&) = delete;
  Identified& operator=(const Identified&) = delete;
  // False: the process is gone.
  bool signal(int number) const {
    return ::syscall(SYS_pidfd_send_signal, pidfd_, number, nullptr, 0) == 0;
  }

 private:
  int pidfd_;
};

std::optional<Entry> started(const World& world, const std::string& stage) {
  for (const Entry& entry : read_diary(world))
    if (entry.word == "start" && entry.stage == stage) return entry;
  return std::nullopt;
}

TEST(Stopped, ASupersededAttemptPublishesNothing) {
  World world({.grace_s = 60, .extra_site = "containment: session\n"});
  world.write_matrix("axes: {precision: [f16]}\n");
  const Reference undisturbed = make_reference("axes: {precision: [f16]}\n", k_one_point_outputs);
  ASSERT_EQ(undisturbed.complaint, "");
  Referee referee(world, undisturbed.store);
  World::Run run = world.start({{"ORCH_CRASH_PACE", "task=700"}});
  std::optional<Entry> build;
  ASSERT_TRUE(
      wait_for([&] { return (build = started(world, "build-f16")).has_value(); }, k_patience_s))
      << world.read(run.err);
  std::vector<std::unique_ptr<Identified>> old;
  for (const int guardian : guardians_of(world, run.pid))
    old.push_back(std::make_unique<Identified>(guardian));
  old.push_back(std::make_unique<Identified>(build->pid));
  EXPECT_GT(old.size(), 1u);
  for (const auto& one : old) EXPECT_TRUE(one->signal(SIGSTOP));
  run.kill();
  world.finish(run);
  referee.note_record();

  const Ended again = world.run(k_paced);
  for (const auto& one : old) one->signal(SIGCONT);
  EXPECT_EQ(referee.judge(again, world.last_stderr()).text(), "");
  const auto ask = [&](const std::string& sql) {
    return ask_store(world.store(), world.folder(), sql);
  };
  EXPECT_EQ(ask(fmt::format("SELECT failure_class FROM attempt WHERE token = '{}'", build->token)),
            std::vector<std::string>{"lost"});
  EXPECT_EQ(ask("SELECT a.number FROM artifact f JOIN attempt a ON a.id = f.attempt_id JOIN stage "
                "s ON s.id = a.stage_id WHERE s.name = 'build'"),
            std::vector<std::string>{"2"});
}

// The awaited events happen while it is stopped, and the limits pass: the time of a server to
// become ready, and of a task to end.
TEST(Stopped, AnOrchestratorReportsNoTimeoutForEventsThatWereInTime) {
  World world;
  std::string runner = world.read("runners/crash/runner.yaml");
  const std::string slow = "timeout_s: 20}";
  runner.replace(runner.find(slow), slow.size(), "timeout_s: 1}");
  const std::string task = "    keep: engines\n    needs: [convert]\n";
  runner.replace(runner.find(task), task.size(), task + "    timeout_s: 1\n");
  world.write("runners/crash/runner.yaml", runner);
  world.write_matrix("axes: {precision: [f16]}\n");
  World::Run run = world.start({{"ORCH_CRASH_PACE", "task=100,start=300"}});
  for (const char* stage : {"build-f16", "serve-f16"}) {
    ASSERT_TRUE(wait_for([&] { return run.wait(0) || started(world, stage); }, k_patience_s));
    run.kill(SIGSTOP);
    EXPECT_FALSE(run.wait(1.5));
    run.kill(SIGCONT);
  }
  EXPECT_EQ(world.finish(run).code, 0) << world.last_stderr();
  EXPECT_EQ(ask_store(world.store(), world.folder(), "SELECT count(*) FROM attempt WHERE ok = 0"),
            std::vector<std::string>{"0"});
  EXPECT_EQ(ask_store(world.store(), world.folder(),
                      "SELECT count(*) FROM attempt WHERE wall_s < 0 OR ended_at < spawned_at"),
            std::vector<std::string>{"0"});
  EXPECT_EQ(left_behind(world, read_store(world.store(), world.folder()).folders, 5),
            std::vector<std::string>());
}

}  // namespace stopped_test
}  // namespace orch::crash
