// Kills at random moments: of the orchestrator, of a guardian, of all at once, repeatedly; and of
// what else a sweep has in containers and on Slurm.
#include "crash/random_kills.hpp"

#include "crash/on_slurm.hpp"
#include "crash/podman.hpp"

#include <mutex>
#include <thread>

namespace orch::crash {
namespace random_kills_test {

bool kill_orchestrator(const World&, const World::Run& run, Random&) {
  run.kill();
  return true;
}
bool kill_guardian(const World& world, const World::Run& run, Random& random) {
  return kill_one_of(guardians_of(world, run.pid), random);
}
bool kill_both(const World& world, const World::Run& run, Random&) {
  const std::vector<int> guardians = guardians_of(world, run.pid);
  run.kill();
  kill_all(guardians);
  return true;
}

const Victim k_orchestrator = {"the orchestrator", kill_orchestrator},
             k_guardian = {"one guardian", kill_guardian},
             k_both = {"orchestrator and all guardians", kill_both},
             k_again = {"the orchestrator, up to 3 times in a row", kill_orchestrator, 3};

TEST(RandomKills, NeitherLoseNorDuplicateNorOverlapNorLeaveAnything) {
  RandomKills{.title = "killed at random moments",
              .victims = {k_orchestrator, k_guardian, k_both, k_again}}
      .attempt(count_of(50, 1000), 0);
}

// No time passes between the kill and the next run.
TEST(RandomKills, AnImmediateRestartRunsNoStageTwiceAtOnce) {
  RandomKills{.title = "killed and at once restarted",
              .victims = {k_orchestrator, k_guardian, k_both, k_again},
              .looks_between = false}
      .attempt(count_of(20, 500), 1'000'000);
}

TEST(RandomKills, HarmNothingInContainers) {
  Podman podman;
  if (!podman.why_not().empty()) GTEST_SKIP() << podman.why_not();
  const Options options = {.extra_site = podman.site(), .image = Podman::k_image};
  const Reference undisturbed = make_reference(k_one_point, k_one_point_outputs, options);
  const Victim monitor = {"one monitor of the engine",
                          [](const World&world, const World::Run&, Random&random) {
                            return kill_one_of(monitors_of(world), random);
                          }},
               all = {"orchestrator, guardians and monitors",
                      [](const World&world, const World::Run&run, Random&random) {
                        const std::vector<int> found = monitors_of(world);
                        kill_both(world, run, random);
                        return kill_all(found), true;
                      }};
  RandomKills{
      .title = "in containers, killed at random moments",
      .victims = {k_orchestrator, k_guardian, k_both, k_again, monitor, all},
      .options = options,
      .axes = k_one_point,
      .undisturbed = &undisturbed,
      .left_elsewhere = [&](const World& world) { return podman.containers_of(world.store()); }}
      .attempt(count_of(6, 500), 2'000'000);
  EXPECT_EQ(podman.containers(), "");
}

class RandomKillsOnSlurm : public OnSlurm {
 protected:
  // It is down for a moment, for the sweeps in the other lanes as well.
  void kill_controller() {
    const std::lock_guard lock(one_at_a_time_);
    EXPECT_EQ(slurm.control("kill-ctld"), 0);
    // On a busy machine it does not answer at once.
    EXPECT_TRUE(wait_for([&] { return slurm.control("start-ctld") == 0; }, k_patience_s));
  }
  // Some time later another daemon is started, after the controller has given up the node or
  // before.
  void kill_daemon(Random& random) {
    static constexpr double k_longest_s = 10;
    const std::string node = random() % 2 ? "n1" : "n2";
    const std::lock_guard lock(one_at_a_time_);
    EXPECT_EQ(slurm.control("kill-node", node), 0);
    wait_for([] { return false; }, std::uniform_real_distribution<>(0, k_longest_s)(random));
    EXPECT_EQ(slurm.control("start-node", node), 0);
  }
  // A node on which a job was started twice is drained at some time, until an administrator brings
  // it back.
  void administer(const std::stop_token& end) const {
    while (!end.stop_requested()) {
      slurm.ask(
          "sh -c 'for node in $(sinfo --noheader --Node --states=drain --format=%N); do "
          "scontrol update nodename=$node state=resume; done'");
      wait_for([] { return false; }, 1);
    }
  }

 private:
  std::mutex one_at_a_time_;
};

TEST_F(RandomKillsOnSlurm, HarmNothing) {
  const Reference undisturbed = make_reference(k_one_point, k_one_point_outputs, options());
  const Victim agent = {"one of a job's agents",
                        [](const World&world, const World::Run&, Random&random) {
                          return kill_one_of(agents_of(world), random);
                        }},
               agents = {"all agents", [](const World&world, const World::Run&,
                                          Random&) { return kill_all(agents_of(world)); }},
               controller = {"the controller",
                             [this](const World&, const World::Run&, Random&) {
                               kill_controller();
                               return true;
                             }},
               daemon = {"the daemon of a node",
                         [this](const World&, const World::Run&, Random&random) {
                           kill_daemon(random);
                           return true;
                         }},
               all = {"orchestrator, agents and controller",
                      [this](const World&world, const World::Run&run, Random&) {
                        const std::vector<int> found = agents_of(world);
                        run.kill();
                        kill_all(found);
                        kill_controller();
                        return true;
                      }};
  std::vector<Victim> victims = {k_orchestrator, agent, agents, k_again, controller, all};
  // Until Slurm uses a node again, minutes may pass.
  if (full()) victims.push_back(daemon);
  const std::jthread administrator([this](const std::stop_token& end) { administer(end); });
  RandomKills{.title = "on Slurm, killed at random moments",
              .victims = std::move(victims),
              .options = options(),
              .axes = k_one_point,
              .undisturbed = &undisturbed}
      .attempt(count_of(6, 500), 3'000'000);
  // The queue is not looked at: a controller that dies before it has saved the end of a job shows
  // the job as running for minutes, without a process.
}

}  // namespace random_kills_test
}  // namespace orch::crash
