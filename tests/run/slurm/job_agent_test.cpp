// The leader of a job, in this process: real processes, real files, no cluster.
#include "run/slurm/job_agent.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/version.hpp"
#include "fakes/faulty_files.hpp"
#include "fakes/temp_folder.hpp"
#include "run/execute/exit_record.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace orch::slurm {
namespace job_agent_test {

using attempt::Health;

// Reports what a test has set, and keeps what it is asked.
class FixedReadiness final : public attempt::Readiness {
 public:
  void watch(const std::string&, const attempt::Probe& probe) override { asked = probe; }
  attempt::HealthReport report(const std::string&) override {
    attempt::HealthReport report;
    report.health = asked ? Health::ready : Health::pending;
    return report;
  }
  void forget(const std::string&) override {}

  std::optional<attempt::Probe> asked;
};

class JobAgentTest : public testing::Test {
 protected:
  execute::Launch launch(const std::string& script) {
    const std::string token = system::new_token(), folder = files.attempt(token);
    std::filesystem::create_directories(folder + "/work");
    execute::Launch made{.argv = {"/bin/sh", "-c", script},
                         .env = {{"PATH", "/usr/bin:/bin"}},
                         .work = folder + "/work",
                         .log = folder + "/log",
                         .token = token,
                         .exit_record = folder + "/exit.json",
                         .tmp = folder + "/tmp"};
    made.containment = system::Containment::session;
    return made;
  }
  // A batch that holds LAUNCHES, each of which was written.
  std::string batch(const std::vector<execute::Launch>& launches) {
    std::vector<std::string> tokens;
    for (const execute::Launch& one : launches) {
      EXPECT_TRUE(files.write_launch(one, system::LogLevel::off));
      tokens.push_back(one.token);
    }
    EXPECT_TRUE(files.write_batch(
        {.name = "b1", .tokens = tokens, .extra = {}, .program = "/opt/orchestrate"}));
    return files.batch_folder("b1");
  }
  int serve(const std::string& folder, const std::string& index = "",
            const SiteVariables& site = {}) {
    auto environment = job_variables;
    if (!index.empty()) environment["SLURM_ARRAY_TASK_ID"] = index;
    return serve_as_job({.host = {host.processes, agent_files, host.clock},
                         .children = host.processes.descriptor(),
                         .readiness = readiness,
                         .ports = ports,
                         .remains = remains,
                         .environment = environment,
                         .site = site,
                         .who = who},
                        folder);
  }
  std::string read(const std::string& path) const {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::map<std::string, std::string> job_variables = {{"SLURMD_NODENAME", "n1"},
                                                      {"SLURM_JOB_ID", "12"}};
  const std::string who = system::new_token();
  fakes::TempFolder store;
  system::RealHost host;
  fakes::FaultyFiles agent_files{host.files};
  system::RealPorts ports;
  FixedReadiness readiness;
  NodeRemains remains{store.file("remains")};
  OrchestratorFiles files{host.files, store.path()};
  AgentFiles agent_side{host.files, store.path()};
};

TEST_F(JobAgentTest, RunsATaskAndLeavesItsRecord) {
  const auto task = launch("echo $SLURM_JOB_ID; exit 3");
  EXPECT_EQ(serve(batch({task})), 0);
  const auto ended = files.read_ended(task.token);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 3);
  EXPECT_EQ(ended->node, "n1");
  EXPECT_EQ(ended->job, "12");
  EXPECT_FALSE(ended->stopped_by_slurm);
  EXPECT_EQ(read(task.log), "12\n");
}

// A daemon starts containers outside of the job, whose own numbers mean nothing there.
TEST_F(JobAgentTest, AContainerGetsTheGpusOfTheJobAsTheNodeNumbersThem) {
  auto task = launch("");
  task.argv = {"/bin/echo", "device={gpu:0},{gpu:1},{gpu:2}"};
  job_variables["SLURM_JOB_GPUS"] = "4,6";
  EXPECT_EQ(serve(batch({task})), 0);
  EXPECT_EQ(read(task.log), "device=4,6,2\n");
}

TEST_F(JobAgentTest, CommandsAroundALaunchGetTheGpusThatTheJobSees) {
  const auto with_clocks = [&] {
    auto server = launch("cat ../clocks");
    const std::vector<std::string> smi = {
        "/bin/sh", "-c", "echo \"$*\" >>" + files.attempt(server.token) + "/clocks",
        "smi",     "-i", "{gpus}"};
    server.before = {smi};
    server.before.front().emplace_back("-lgc");
    server.after = {smi};
    server.undo = files.attempt(server.token) + "/undo.json";
    return server;
  };
  const auto unknown = with_clocks();
  EXPECT_EQ(serve(batch({unknown})), 1);
  EXPECT_EQ(
      files.read_ended(unknown.token)->refused,
      "cannot lock GPU clocks: neither CUDA_VISIBLE_DEVICES nor SLURM_JOB_GPUS names a GPU of "
      "this job");
  EXPECT_EQ(read(files.attempt(unknown.token) + "/clocks"), "");
  job_variables["SLURM_JOB_GPUS"] = "4,6";
  job_variables["CUDA_VISIBLE_DEVICES"] = "0,1";
  const auto known = with_clocks();
  EXPECT_EQ(serve(batch({known})), 0);
  EXPECT_EQ(read(known.log), "-i 0,1 -lgc\n");
  EXPECT_EQ(read(files.attempt(known.token) + "/clocks"), "-i 0,1 -lgc\n-i 0,1\n");
}

TEST_F(JobAgentTest, ALaunchGetsWhatTheSiteSetButForWhatItStates) {
  auto task = launch("echo $PATH $CUDA_HOME $THREADS");
  task.env["THREADS"] = "4";
  task.place.inherited = {"PATH"};
  const SiteVariables site{
      .set = {{"PATH", "/cuda:/bin"}, {"CUDA_HOME", "/cuda"}, {"THREADS", "64"}}, .unset = {}};
  EXPECT_EQ(serve(batch({task}), "", site), 0);
  EXPECT_EQ(read(task.log), "/cuda:/bin /cuda 4\n");
}

TEST_F(JobAgentTest, TakesItsElementOfAnArray) {
  const auto first = launch("exit 1"), second = launch("exit 2");
  const std::string folder = batch({first, second});
  EXPECT_EQ(serve(folder, "1"), 0);
  EXPECT_FALSE(files.read_ended(first.token));
  ASSERT_TRUE(files.read_ended(second.token));
  EXPECT_EQ(files.read_ended(second.token)->code, 2);
  EXPECT_EQ(serve(folder, "2"), 0) << "there is no such element";
}

TEST_F(JobAgentTest, LeavesALaunchThatAnotherJobHasOrThatWasGivenUp) {
  const auto task = launch("exit 0"), given_up = launch("exit 0");
  const std::string folder = batch({task, given_up});
  ASSERT_TRUE(*agent_side.claim(task.token, "11"));
  EXPECT_EQ(serve(folder, "0"), 0);
  EXPECT_FALSE(files.read_ended(task.token));
  EXPECT_TRUE(files.has_second_start(task.token));
  ASSERT_TRUE(files.write_off(given_up.token));
  EXPECT_EQ(serve(folder, "1"), 0);
  EXPECT_FALSE(files.read_ended(given_up.token));
  EXPECT_FALSE(files.has_second_start(given_up.token));
}

TEST_F(JobAgentTest, SaysWhyALaunchCannotStart) {
  auto task = launch("exit 0");
  task.argv = {"/nonexistent/program"};
  EXPECT_EQ(serve(batch({task})), 1);
  const auto ended = files.read_ended(task.token);
  ASSERT_TRUE(ended);
  EXPECT_NE(ended->refused, "");
}

// As on a file system that is full for a while.
TEST_F(JobAgentTest, ARecordThatCannotBeWrittenIsWrittenLater) {
  int failures = 0;
  agent_files.fault = [&](std::string_view verb, const std::string& path) -> Status {
    if (verb != "replace" || path.find("/slurm/ended/") == path.npos || failures == 2) return {};
    ++failures;
    return Error{ErrorKind::io, "no space left on device", {}};
  };
  const auto task = launch("exit 5");
  EXPECT_EQ(serve(batch({task})), 0);
  EXPECT_EQ(failures, 2);
  const auto ended = files.read_ended(task.token);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 5);
}

TEST_F(JobAgentTest, AMeasurementThatCannotBeClaimedNowIsClaimedLater) {
  auto server = launch("read forever < fifo");
  server.place.is_server = true;
  ASSERT_EQ(std::system(("mkfifo " + server.work + "/fifo").c_str()), 0);
  const auto measurement = launch("kill -TERM $PPID; exit 0");
  const std::string folder = batch({server});
  ASSERT_TRUE(files.write_launch(measurement, system::LogLevel::off));
  ASSERT_TRUE(files.ask(server.token, measurement.token));
  int failures = 0;
  agent_files.fault = [&](std::string_view verb, const std::string& path) -> Status {
    if (verb != "link" || path.find(measurement.token) == path.npos || failures == 2) return {};
    ++failures;
    return Error{ErrorKind::io, "stale file handle", {}};
  };
  EXPECT_EQ(serve(folder), 0);
  EXPECT_EQ(failures, 2);
  EXPECT_TRUE(files.read_ended(measurement.token));
}

// Whoever writes a launch off removes its folder, and may begin it elsewhere.
TEST_F(JobAgentTest, ALaunchWhoseFolderIsRemovedIsEnded) {
  const auto kept = launch("exit 0");  // of another attempt of this store
  auto task = launch("");
  const std::string folder = files.attempt(task.token);
  // As if the agent had written a file when all others were gone.
  task.argv = {"/bin/sh", "-c",
               "find '" + folder + "' -mindepth 1 -delete; exec tail -f /dev/null"};
  EXPECT_EQ(serve(batch({task})), 0);
  const auto ended = files.read_ended(task.token);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, SIGKILL);
}

TEST_F(JobAgentTest, ALaunchThatAPowerCutHasTakenIsLost) {
  const auto task = launch("exit 0");
  const std::string folder = batch({task});
  std::filesystem::resize_file(files.attempt(task.token) + "/launch.json", 0);
  EXPECT_EQ(serve(folder), 1);
  const auto ended = files.read_ended(task.token);
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->guardian_lost);
  EXPECT_EQ(ended->refused, "");
}

TEST_F(JobAgentTest, ALaunchOfAnotherVersionStartsNothing) {
  const auto task = launch("touch started");
  const std::string folder = batch({task}), path = files.attempt(task.token) + "/launch.json";
  std::string text = system::RealFiles().read(path).value();
  const std::string own = fmt::format("\"version\":\"{}\"", k_version);
  ASSERT_NE(text.find(own), std::string::npos) << text;
  std::ofstream(path) << text.replace(text.find(own), own.size(), "\"version\":\"9.8.7\"");
  EXPECT_EQ(serve(folder), 1);
  const auto ended = files.read_ended(task.token);
  ASSERT_TRUE(ended);
  EXPECT_FALSE(ended->guardian_lost);
  EXPECT_NE(ended->refused.find("orchestrate 9.8.7"), std::string::npos) << ended->refused;
  EXPECT_FALSE(std::filesystem::exists(task.work + "/started"));
}

TEST_F(JobAgentTest, ChoosesPortsAndProbesAServerAndRunsItsMeasurements) {
  auto server = launch("echo listens on $0; read forever < fifo");
  server.argv.push_back("{port:http}");
  server.place.is_server = true;
  server.place.ports = {"http"};
  server.secrets = {"some-secret-1234"};
  ASSERT_EQ(std::system(("mkfifo " + server.work + "/fifo").c_str()), 0);
  auto measurement = launch("echo asks $0; kill -TERM $PPID; exit 0");
  measurement.argv.push_back("{port:serve.http}");
  measurement.place.within = server.token;
  measurement.place.port_prefix = "serve.";
  attempt::Probe probe;
  probe.get = {"http://127.0.0.1:{port:http}/health"};
  probe.timeout_s = 10;
  const std::string folder = batch({server});
  ASSERT_TRUE(files.write_launch(measurement, system::LogLevel::off));
  ASSERT_TRUE(files.write_probe(server.token, probe));
  ASSERT_TRUE(files.ask(server.token, measurement.token));
  EXPECT_EQ(serve(folder), 0);

  const auto started = files.read_started(server.token);
  ASSERT_TRUE(started);
  const std::string port = std::to_string(started->ports.at("http"));
  EXPECT_EQ(read(server.log), "listens on " + port + "\n");
  EXPECT_EQ(read(measurement.log), "asks " + port + "\n");
  ASSERT_TRUE(readiness.asked);
  EXPECT_EQ(readiness.asked->get.front(), "http://127.0.0.1:" + port + "/health");
  ASSERT_TRUE(files.health(server.token));
  EXPECT_EQ(files.health(server.token)->health, Health::ready);
  EXPECT_GT(files.health(server.token)->start_s.value_or(0), 0);
  ASSERT_TRUE(readiness.asked->redact);
  EXPECT_EQ(readiness.asked->redact("key some-secret-1234").find("some-secret"), std::string::npos);
  ASSERT_TRUE(files.read_ended(measurement.token));
  const auto ended = files.read_ended(server.token);
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->stopped_by_slurm) << "the job itself was told to stop";
}

// Another job may listen there, and would answer in its place.
TEST_F(JobAgentTest, APinnedPortThatIsTakenOnTheNodeIsRefused) {
  auto server = launch("exit 0");
  server.place.is_server = true;
  server.place.ports = {"http"};
  const auto taken = system::RealPorts().lease(1);
  ASSERT_TRUE(taken);
  server.place.pinned = {{"http", taken->front().port()}};
  EXPECT_EQ(serve(batch({server})), 1);
  const auto ended = files.read_ended(server.token);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->refused, fmt::format("port {} is in use by another run of orchestrate, which "
                                        "has leased it",
                                        taken->front().port()));
}

TEST_F(JobAgentTest, AServerWithoutWorkEndsAfterTheGracePeriod) {
  auto server = launch("mkfifo fifo; read forever < fifo");
  server.place.is_server = true;
  server.place.grace_s = 0.3;
  EXPECT_EQ(serve(batch({server})), 0);
  const auto ended = files.read_ended(server.token);
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->abandoned);
}

// Slurm calls a job that ends before its limit COMPLETED or FAILED.
TEST_F(JobAgentTest, AStopNearTheTimeLimitIsOne) {
  for (const auto& [seconds, state] : {std::pair(60, "TIMEOUT"), std::pair(3600, "")}) {
    auto server = launch("mkfifo fifo; kill -TERM $PPID; read forever < fifo");
    server.place.is_server = true;
    server.place.seconds = seconds;
    EXPECT_EQ(serve(batch({server})), 0);
    const auto ended = files.read_ended(server.token);
    ASSERT_TRUE(ended);
    EXPECT_TRUE(ended->stopped_by_slurm);
    EXPECT_EQ(ended->job_state, state) << seconds;
  }
}

TEST_F(JobAgentTest, WhatADeadAgentLeftIsEndedAndRecorded) {
  auto task = launch("mkfifo fifo; read forever < fifo");
  const std::string folder = batch({task});
  ASSERT_TRUE(*agent_side.claim(task.token, who));
  ASSERT_TRUE(agent_side.write_remains(task));
  std::filesystem::create_directories(task.tmp);
  const auto tree = host.processes.spawn(
      {.argv = task.argv, .env = task.env, .work = task.work, .token = task.token});
  ASSERT_TRUE(tree);
  settle_dead_agent(host.host(), {{"SLURM_JOB_ID", "12"}, {"SLURMD_NODENAME", "n1"}}, who, folder);
  EXPECT_FALSE(host.processes.alive(*tree));
  EXPECT_FALSE(std::filesystem::exists(task.tmp));
  const auto ended = files.read_ended(task.token);
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->guardian_lost);
  EXPECT_EQ(ended->job, "12");
}

// Killed with the first process of its job, so that nothing is recorded.
TEST_F(JobAgentTest, WhatAKilledAgentLeftOnItsNodeIsRemovedByAJobWithoutALaunch) {
  auto task = launch("true");
  task.exit_record.clear();
  std::filesystem::create_directories(task.tmp);
  NodeRemains(store.file("remains")).keep(task);
  for (const char* node : {"n1", "n2"}) files.note_unclean(node);
  EXPECT_EQ(serve(batch({})), 0);
  EXPECT_FALSE(std::filesystem::exists(task.tmp));
  EXPECT_EQ(files.unclean_nodes(), std::vector<std::string>{"n2"});
}

TEST_F(JobAgentTest, WhatADeadAgentHadFinishedIsRecordedAsItEnded) {
  auto task = launch("exit 0");
  const std::string folder = batch({task});
  ASSERT_TRUE(*agent_side.claim(task.token, who));
  ASSERT_TRUE(agent_side.write_remains(task));
  const execute::Ended done{.token = task.token, .code = 7};
  ASSERT_TRUE(host.files.write(
      task.exit_record,
      to_json_text(execute::ExitRecord{.ended = done, .boot_id = system::boot_id()}) + "\n"));
  settle_dead_agent(host.host(), {}, who, folder);
  const auto ended = files.read_ended(task.token);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 7);
  EXPECT_FALSE(ended->guardian_lost);
}

TEST_F(JobAgentTest, ADeadAgentOfAJobThatNeverHadTheLaunchLeavesItAlone) {
  auto task = launch("exit 0");
  const std::string folder = batch({task});
  ASSERT_TRUE(*agent_side.claim(task.token, "another"));
  settle_dead_agent(host.host(), {}, who, folder);
  EXPECT_FALSE(files.read_ended(task.token));
}

TEST(Child, ItsStatusIsTheStatusOfTheJob) {
  EXPECT_EQ(run_in_child([] { return 3; }), 3);
  EXPECT_EQ(run_in_child([] { return ::kill(::getpid(), SIGKILL); }), std::nullopt);
}

}  // namespace job_agent_test
}  // namespace orch::slurm
