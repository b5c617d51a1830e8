// What people and machines of a real Slurm do to jobs that run: each has a class of its own, and
// the sweep is completed all the same.
#include "crash/on_slurm.hpp"

#include <algorithm>
#include <csignal>
#include <regex>

namespace orch::crash {
namespace slurm_faults_test {

using Lines = std::vector<std::string>;

TEST_F(OnePoint, ATaskThatSomebodyCancelsIsTriedAgain) {
  start("build-f16", options());
  const Job job = job_at_work("build-f16");
  ASSERT_TRUE(slurm.does("scancel " + job.id));
  EXPECT_EQ(judged(world->finish(run)), "");
  EXPECT_EQ(failures(), Lines{"build: job_cancelled"});
}

// The server is started again, and the measurement that it took along is repeated.
TEST_F(OnePoint, AServerThatSomebodyCancelsWhileItMeasuresIsStartedAgain) {
  start("bench-f16-32-1", options());
  const Job job = job_at_work("bench-f16-32-1");
  ASSERT_TRUE(slurm.does("scancel " + job.id));
  EXPECT_EQ(judged(world->finish(run)), "");
  const Lines failed = failures();
  EXPECT_EQ(std::count(failed.begin(), failed.end(), "serve: job_cancelled"), 1);
  EXPECT_EQ(counts("start")["serve-f16"], 2);
}

// The measurement is on record, so that nothing runs on the server's node again.
TEST_F(OnePoint, AServerThatIsKilledAfterItsLastMeasurementLeavesNothingOnItsNode) {
  start("bench-f16-32-1", options());
  job_at_work("bench-f16-32-1");
  run.kill(SIGSTOP);
  go();
  const auto is_recorded = [&] {
    const auto entries = read_diary(*world);
    return std::ranges::any_of(entries, [&](const Entry& entry) {
      return entry.word == "start" && entry.stage == "bench-f16-32-1" &&
             std::filesystem::exists(world->store() + "/slurm/ended/" + entry.token);
    });
  };
  ASSERT_TRUE(wait_for(is_recorded, k_patience_s));
  const std::vector<int> agents = agents_of(*world);
  ASSERT_FALSE(agents.empty());
  run.kill();
  for (const int pid : agents) ::kill(pid, SIGKILL);
  world->finish(run);
  EXPECT_EQ(judged(world->run(k_paced)), "");
  EXPECT_EQ(counts("start")["serve-f16"], 1);
}

struct Loss {
  const char *name, *stage, *of;  // the stage at work, and the one whose class is judged
};
constexpr Loss k_losses[] = {{"task", "build-f16", "build"}, {"server", "bench-f16-32-1", "serve"}};

class LostNode : public OnePoint, public testing::WithParamInterface<Loss> {
 protected:
  // The class of the lost stage, and no other for it.
  void expect_node_lost() {
    int lost = 0;
    for (const std::string& line : failures())
      if (line.starts_with(GetParam().of)) {
        EXPECT_EQ(line, fmt::format("{}: node_lost", GetParam().of));
        ++lost;
      }
    EXPECT_EQ(lost, 1);
  }
};

// The machine dies with all its processes. The other node does the work; temporary files of the
// dead one are removed by the next job on the same machine.
TEST_P(LostNode, ThatDiesLeavesItsWorkToTheOther) {
  start(GetParam().stage, options());
  const Job job = job_at_work(GetParam().stage);
  ASSERT_EQ(slurm.control("crash-node", job.node), 0);
  EXPECT_EQ(judged(world->finish(run)), "");
  expect_node_lost();
  EXPECT_EQ(ask_store(world->store(), world->folder(),
                      fmt::format("SELECT a.node FROM attempt a JOIN stage s ON s.id = a.stage_id "
                                  "WHERE a.ok = 1 AND s.name = '{}'",
                                  GetParam().of)),
            Lines{job.node == "n1" ? "n2" : "n1"});
  EXPECT_EQ(slurm.control("start-node", job.node), 0);
  EXPECT_TRUE(are_nodes_up());
}

// An administrator takes it away; the controller ends its jobs. It comes back when it registers.
TEST_P(LostNode, ThatIsSetDownLosesItsWork) {
  start(GetParam().stage, options());
  const Job job = job_at_work(GetParam().stage);
  ASSERT_TRUE(
      slurm.does(fmt::format("scontrol update nodename={} state=down reason=test", job.node)));
  EXPECT_EQ(judged(world->finish(run)), "");
  expect_node_lost();
}

TEST_P(LostNode, CountsAlsoWhenAnAdministratorPutsTheJobBackIntoTheQueue) {
  start(GetParam().stage, options());
  const Job job = job_at_work(GetParam().stage);
  ASSERT_TRUE(slurm.does(fmt::format("scontrol update jobid={} requeue=1", job.id)));
  ASSERT_TRUE(slurm.does("scontrol requeue " + job.id));
  EXPECT_EQ(judged(world->finish(run)), "");
  expect_node_lost();
}

INSTANTIATE_TEST_SUITE_P(Of, LostNode, testing::ValuesIn(k_losses),
                         [](const auto& loss) { return loss.param.name; });

TEST_F(OnePoint, AJobThatIsHeldSaysSoAndGoesOnWhenItIsReleased) {
  ASSERT_TRUE(set_nodes("drain reason=test"));
  start("", options());
  ASSERT_TRUE(wait_for([&] { return !slurm.live_jobs().empty() || run.wait(0); }, k_patience_s));
  const std::string id = slurm.ask("squeue --me --noheader --format=%F | head -1 | tr -d '\\n'");
  ASSERT_TRUE(slurm.does("scontrol hold " + id)) << slurm.live_jobs();
  ASSERT_TRUE(set_nodes("resume"));
  const std::regex advice("`(scontrol release [^`]*)`");
  std::smatch said;
  std::string text;
  ASSERT_TRUE(wait_for(
      [&] {
        text = world->read(run.err);
        return std::regex_search(text, said, advice);
      },
      30))
      << text << slurm.live_jobs();
  EXPECT_EQ(counts("start"), (std::map<std::string, int>())) << "it waits";
  ASSERT_TRUE(slurm.does(said[1].str())) << said[1];
  EXPECT_EQ(judged(world->finish(run)), "");
  EXPECT_EQ(failures(), Lines());
}

// The controller has saved that the job waits, and dies when it has just begun. It starts it a
// second time, or finds that this fails and holds it; and it ends the first start, unless that is
// faster.
TEST_F(OnePoint, ASecondStartByTheControllerDoesNothingTwice) {
  ASSERT_TRUE(set_nodes("drain reason=test"));
  start("download", options());
  ASSERT_TRUE(wait_for([&] { return !slurm.live_jobs().empty() || run.wait(0); }, k_patience_s));
  wait_for([] { return false; }, k_saved_s);
  ASSERT_TRUE(set_nodes("resume"));
  const Job job = job_at_work("download");
  ASSERT_EQ(slurm.control("kill-ctld"), 0);
  ASSERT_EQ(slurm.control("start-ctld"), 0);
  set_nodes("resume");  // where it has saved that they are drained
  const auto state = [&] {
    return slurm.ask("squeue --noheader --states=all --array --format='%T %r' --jobs=" + job.id);
  };
  std::string seen;
  wait_for([&] { return (seen = state()).find("held") != std::string::npos; }, 8);
  fmt::print("[ on slurm ] after the death of its controller the job is {}", seen);
  go();
  EXPECT_EQ(judged(world->finish(run)), "");
  // What else ran, a controller may not know when it is back, and then ends it.
  for (const std::string& failure : failures())
    EXPECT_TRUE(failure == "download: node_lost" || failure.ends_with(": job_cancelled"))
        << failure;
}

// The controller has not even saved that there was a job. Once it is back, it ends what it does not
// know, and the stage is tried again.
TEST_F(OnePoint, AJobThatTheControllerForgetsWhileItRunsIsTriedAgain) {
  start("build-f16", options());
  job_at_work("build-f16");
  ASSERT_EQ(slurm.control("kill-ctld"), 0);
  ASSERT_EQ(slurm.control("start-ctld"), 0);
  wait_for([&] { return counts("start")["build-f16"] > 1; }, 60);
  go();
  EXPECT_EQ(judged(world->finish(run)), "");
}

// Slurm counts in minutes, and signals up to one too early.
TEST_F(OnePoint, ATaskThatExceedsItsTimeIsToldSoAndNotTriedAgain) {
  world.emplace(options());
  std::string runner = world->read("runners/crash/runner.yaml");
  const std::string build = "  build:\n    kind: task\n";
  runner.insert(runner.find(build) + build.size(), "    timeout_s: 5\n");
  world->write("runners/crash/runner.yaml", runner);
  world->write_matrix(k_one_point);
  World::Variables variables = k_paced;
  variables["ORCH_CRASH_WAITS"] = "build-f16";
  run = world->start(variables);
  ASSERT_TRUE(run.wait(170)) << world->read(run.err);
  const Ended ended = world->finish(run);
  EXPECT_EQ(ended.code, 1) << world->last_stderr();
  EXPECT_EQ(failures(), Lines{"build: job_time_limit"});
  EXPECT_GE(ended.wall_s, 5);
  EXPECT_TRUE(is_empty()) << slurm.live_jobs();
  EXPECT_EQ(alive_of(*world), Lines());
  fmt::print("[ on slurm ] a task of at most 5 s ended after {:.1f} s\n", ended.wall_s);
}

TEST_F(OnePoint, AServerThatExceedsItsTimeIsToldSo) {
  Options with = options();
  with.extra_site = "slurm: {server_minutes: 1}\n";
  start("bench-f16-32-1", with);
  job_at_work("bench-f16-32-1");
  const Ended ended = world->finish(run);
  EXPECT_EQ(ended.code, 1) << world->last_stderr();
  const Lines failed = failures();
  EXPECT_EQ(std::count(failed.begin(), failed.end(), "serve: job_time_limit"), 1)
      << fmt::format("{}", fmt::join(failed, ", "));
  EXPECT_TRUE(is_empty()) << slurm.live_jobs();
  EXPECT_EQ(alive_of(*world), Lines());
  fmt::print("[ on slurm ] a server of at most 60 s: the run took {:.1f} s\n", ended.wall_s);
}

// What waits in the queue is taken out of it; what runs is finished; the next run resumes.
TEST_F(OnePoint, TheFirstInterruptEmptiesTheQueueAndLetsRunningStagesEnd) {
  ASSERT_TRUE(set_nodes("drain reason=test"));
  start("environment", options());
  // The job of the download, as long as it waits.
  const auto waiting = [&] {
    std::string said;
    if (world->orchestrate({"status", "--json"}, &said).code != 0) return std::string();
    const auto status = nlohmann::json::parse(said, nullptr, false);
    if (!status.is_object()) return std::string();
    for (const auto& one : status["working"])
      if (one["stage"].get<std::string>().starts_with("download-") && one["job"].is_object() &&
          one["job"]["state"] == "PENDING")
        return one["job"]["id"].get<std::string>();
    return std::string();
  };
  ASSERT_TRUE(wait_for([&] { return !waiting().empty() || run.wait(0); }, k_patience_s));
  const std::string held = waiting();
  ASSERT_TRUE(slurm.does("scontrol hold " + held)) << slurm.live_jobs();
  ASSERT_TRUE(set_nodes("resume"));
  job_at_work("environment");
  run.kill(SIGINT);
  const auto is_queued = [&] {
    return slurm.does("squeue --me --noheader --array --format=%i | grep -qx " + held);
  };
  ASSERT_TRUE(wait_for([&] { return !is_queued() || run.wait(0); }, k_patience_s));
  go();
  const Ended first = world->finish(run);
  EXPECT_EQ(first.code, 130) << world->last_stderr();
  EXPECT_EQ(counts("end"), (std::map<std::string, int>{{"environment", 1}}));
  EXPECT_TRUE(is_empty(3)) << slurm.live_jobs();
  referee->note_record();
  EXPECT_EQ(judged(world->run(k_paced)), "");
  EXPECT_EQ(failures(), Lines{"download: interrupted"});
}

TEST_F(OnePoint, TheFirstInterruptEndsARunWhoseJobsAllWait) {
  ASSERT_TRUE(set_nodes("drain reason=test"));
  start("", options());
  ASSERT_TRUE(wait_for([&] { return !slurm.live_jobs().empty() || run.wait(0); }, k_patience_s));
  run.kill(SIGINT);
  const Ended first = world->finish(run);
  EXPECT_EQ(first.code, 130) << world->last_stderr();
  EXPECT_TRUE(is_empty(3)) << slurm.live_jobs();
  EXPECT_EQ(counts("start"), (std::map<std::string, int>()));
  ASSERT_TRUE(set_nodes("resume"));
  EXPECT_EQ(judged(world->run(k_paced)), "");
}

}  // namespace slurm_faults_test
}  // namespace orch::crash
