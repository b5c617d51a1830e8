// Tasks and a server in containers of a real podman: the sweep, kills at every kill point, deaths
// of all processes at once, secrets.
#include "crash/podman.hpp"
#include "crash/trials.hpp"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>

namespace orch::crash {
namespace contained_test {

class Contained : public testing::Test {
 protected:
  void SetUp() override {
    if (!podman.why_not().empty()) GTEST_SKIP() << podman.why_not();
  }
  Options options() const { return {.extra_site = podman.site(), .image = Podman::k_image}; }

  Podman podman;
};

TEST_F(Contained, ASweepLeavesNoContainerAndIsReused) {
  World world(options());
  world.write_matrix(k_one_point);
  ASSERT_EQ(world.run(k_paced).code, 0) << world.last_stderr();
  EXPECT_NE(world.last_stderr().find("image localhost/actor:1: localhost/actor@sha256:"),
            std::string::npos)
      << world.last_stderr();
  EXPECT_EQ(podman.containers(), "");
  ASSERT_EQ(world.run(k_paced).code, 0) << world.last_stderr();
  EXPECT_NE(world.last_stderr().find("0 done"), std::string::npos) << world.last_stderr();
}

// Every third kill point; all of them with ORCH_CRASH=full.
TEST_F(Contained, AfterAKillAtAnyPointTheSameCommandCompletesTheSweep) {
  const Reference undisturbed = make_reference(k_one_point, k_one_point_outputs, options());
  ASSERT_EQ(undisturbed.complaint, "");
  const Scenario scenario{.options = options(), .axes = k_one_point, .undisturbed = &undisturbed};
  const std::set<std::string> always = {"undo-recorded", "undo-done", "guardian-after-spawn",
                                        "guardian-tree-ended", "spawned"};
  std::vector<std::vector<Kill>> plans;
  int number = 0;
  for (const auto& [name, hits] : count_mode(scenario))
    if (full() || always.contains(name) || number++ % 3 == 0)
      plans.push_back({{name, (hits + 1) / 2}});
  attempt_all("in containers, killed at", scenario, plans);
  EXPECT_EQ(podman.containers(), "");
}

// Returns while the server is measured.
World::Run start_measuring(World& world) {
  world.write_matrix(k_one_point);
  World::Variables slow = k_paced;
  slow["ORCH_CRASH_PACE"] = "task=15,start=10,bench=60000";
  World::Run run = world.start(slow);
  EXPECT_TRUE(wait_for(
      [&] {
        return world.read("diary/diary").find("start") != std::string::npos &&
               world.read("diary/diary").find(" bench-") != std::string::npos;
      },
      k_patience_s));
  return run;
}

// Kills the orchestrator and its guardians at once.
void kill_all_of_a_serving_run(World& world) {
  World::Run run = start_measuring(world);
  std::vector<int> pids = guardians_of(world, run.pid);
  pids.push_back(run.pid);
  for (const int pid : pids) ::kill(pid, SIGSTOP);
  for (const int pid : pids) ::kill(pid, SIGKILL);
  ASSERT_TRUE(run.wait(k_patience_s));
}

TEST_F(Contained, TheNextRunMeasuresAServerThatLives) {
  World world(options());
  World::Run run = start_measuring(world);
  run.kill();
  world.finish(run);
  ASSERT_EQ(world.run(k_paced).code, 0) << world.last_stderr();
  EXPECT_EQ(starts_of(world, "serve"), 1);
  EXPECT_EQ(podman.containers(), "");
}

// Podman ends with 127 then, as where the program is missing.
TEST_F(Contained, AKilledMonitorIsNoResult) {
  World world(options());
  World::Run run = start_measuring(world);
  const std::vector<int> killed = monitors_of(world);
  EXPECT_FALSE(killed.empty());
  for (const int pid : killed) ::kill(pid, SIGKILL);
  ASSERT_TRUE(wait_for(
      [&] {
        return ask_store(world.store(), world.folder(),
                         "SELECT 1 FROM attempt WHERE failure_class = 'container_engine'")
                   .size() > 0;
      },
      k_patience_s));
  run.kill();
  world.finish(run);
  ASSERT_EQ(world.run(k_paced).code, 0) << world.last_stderr();
  EXPECT_TRUE(ask_store(world.store(), world.folder(), "SELECT class FROM failures WHERE final = 1")
                  .empty());
  EXPECT_EQ(podman.containers(), "");
}

TEST_F(Contained, TheNextRunRemovesWhatDeathsOfAllProcessesLeft) {
  World world(options());
  kill_all_of_a_serving_run(world);
  EXPECT_NE(podman.containers(), "") << "the server's container outlived its guardian";
  ASSERT_EQ(world.run(k_paced).code, 0) << world.last_stderr();
  EXPECT_EQ(podman.containers(), "");
}

// As after a reboot, when the lists of what is to be taken back are those of another boot.
TEST_F(Contained, TheNextRunFindsContainersByTheirLabels) {
  World world(options());
  kill_all_of_a_serving_run(world);
  for (const auto& attempt : std::filesystem::directory_iterator(world.store() + "/attempts"))
    std::filesystem::remove(attempt.path() / "undo.json");
  ASSERT_EQ(world.run(k_paced).code, 0) << world.last_stderr();
  EXPECT_NE(world.last_stderr().find("removed the container orchestrate-"), std::string::npos)
      << world.last_stderr();
  EXPECT_EQ(podman.containers(), "");
}

// With our labels and a name like ours, but no token that the store has.
TEST_F(Contained, AContainerOfAStrangerStaysWhateverItsLabels) {
  World world(options());
  kill_all_of_a_serving_run(world);
  for (const auto& attempt : std::filesystem::directory_iterator(world.store() + "/attempts"))
    std::filesystem::remove(attempt.path() / "undo.json");
  const std::string store = std::filesystem::canonical(world.store());
  for (const char* name : {"theirs", "orchestrate-o123456789abcdef", "orchestrate-"})
    EXPECT_NE(podman.ask(fmt::format("create --name {} --network host --label "
                                     "orchestrate.store={} --label orchestrate.attempt={} {} "
                                     "/bin/true",
                                     name, store, name, Podman::k_image)),
              "?");
  ASSERT_EQ(world.run(k_paced).code, 0) << world.last_stderr();
  EXPECT_NE(world.last_stderr().find("removed the container orchestrate-"), std::string::npos)
      << world.last_stderr();
  const std::string left = podman.containers();
  for (const char* name : {"theirs\n", "orchestrate-o123456789abcdef\n", "orchestrate-\n"})
    EXPECT_NE(left.find(name), std::string::npos) << left;
  EXPECT_EQ(std::count(left.begin(), left.end(), '\n'), 3) << left;
}

TEST_F(Contained, ASecretReachesTheCommandAndNobodyElse) {
  World world(options());
  world.write("runners/crash/runner.yaml", fmt::format(R"(runner: crash
parameters: {{tag: {{type: text, default: a}}}}
container: {{image: '{0}', folders: ['{1}']}}
stages:
  fetch:
    kind: task
    container: true
    reads: [tag]
    secrets: [HF_TOKEN]
    argv:
      - /bin/sh
      - -c
      - echo "$HF_TOKEN" > "$1/up"; read x < "$1/go"; echo ok > "$0"
      - "{{out}}/ok"
      - '{1}'
    outputs: [ok]
  serve:
    {{kind: service, needs: [fetch], argv: [/bin/sh], ports: [http], ready: {{port: http, get: [/]}}}}
  bench: {{kind: measure, needs: [serve], argv: ["{{orchestrate}}"], outputs: [x]}}
)",
                                                       Podman::k_image, world.diary()));
  world.write_matrix("axes: {tag: [a]}\n");
  const std::string go = world.diary() + "/go", up = world.diary() + "/up";
  ASSERT_EQ(::mkfifo(go.c_str(), 0600), 0);
  const int held = ::open(go.c_str(), O_RDWR | O_CLOEXEC);
  World::Run run = world.start({{"HF_TOKEN", "a 'canary'"}}, {"--until", "fetch"});
  EXPECT_TRUE(wait_for([&] { return world.read("diary/up") == "a 'canary'\n"; }, 20))
      << world.read(run.err);
  const std::string seen = podman.ask("inspect --latest") + podman.ask("top --latest args");
  EXPECT_NE(seen.find("orchestrate.attempt"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("canary"), std::string::npos) << seen;
  EXPECT_EQ(::write(held, "\n", 1), 1);
  EXPECT_EQ(world.finish(run).code, 0) << world.last_stderr();
  ::close(held);
}

}  // namespace contained_test
}  // namespace orch::crash
