// The controller of a real Slurm is killed again and again while a sweep of small stages goes
// through arrays: settled, when it has saved what it knows, and unsettled, right after a
// submission, when it forgets the last jobs, gives their ids again and starts others a second time.
#include "crash/on_slurm.hpp"

#include <csignal>
#include <numeric>

namespace orch::crash {
namespace slurm_controller_test {

constexpr const char* k_runner_of_many = R"(
runner: many
parameters:
  isl: {type: integer, default: 0}
stages:
  one:
    kind: task
    reads: [isl]
    inherit: [ORCH_CRASH_*]
    argv: ["@actor@", task, "one-{isl}", "{out}", one.txt]
    outputs: [one.txt]
  serve:
    kind: service
    needs: [one]
    ports: [http]
    argv: ["@actor@", serve, serve, "{port:http}"]
    ready: {port: http, get: [/ready]}
  bench:
    kind: measure
    needs: [serve]
    reads: [isl]
    argv: ["@actor@", bench, "bench-{isl}", "http://127.0.0.1:{port:serve.http}", "{out}"]
    outputs: [measurement.json, requests.jsonl]
)";

class Controller : public OnSlurm {
 protected:
  // A test that failed leaves no run behind.
  void TearDown() override {
    if (run.pid == 0 || run.wait(0)) return;
    run.kill();
    run.wait(k_patience_s);
  }
  // STAGES tasks, of which at most JOBS are in the queue at one time, so that there are many
  // submissions.
  void start(int stages, int jobs) {
    Options with = options();
    with.extra_site = fmt::format("slurm: {{most_jobs: {}}}\n", jobs);
    world.emplace(with);
    std::filesystem::create_directories(world->folder() + "/runners/many");
    std::string runner = k_runner_of_many;
    for (std::size_t at; (at = runner.find("@actor@")) != std::string::npos;)
      runner.replace(at, 7, ORCH_ACTOR);
    world->write("runners/many/runner.yaml", runner);
    std::vector<int> all(static_cast<std::size_t>(stages));
    for (int i = 0; i < stages; ++i) all[static_cast<std::size_t>(i)] = i;
    world->write("crash.yaml", fmt::format("name: crash\nrunner: many\naxes: {{isl: [{}]}}\n",
                                           fmt::join(all, ", ")));
    run = world->start(k_paced, {"--until", "one"});
  }
  std::size_t submissions() const {
    std::error_code ignored;
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(world->store() + "/slurm/batches", ignored))
      ++count;
    return count;
  }
  void kill_controller() {
    EXPECT_EQ(slurm.control("kill-ctld"), 0);
    EXPECT_EQ(slurm.control("start-ctld"), 0);
    bring_nodes_back();
  }
  // A node on which a job was started twice is drained, which the controller may do only some time
  // after its start; an administrator brings it back.
  void bring_nodes_back() { slurm.ask("scontrol update nodename=n[1-2] state=resume"); }
  std::optional<Ended> wait_to_the_end() {
    std::optional<Ended> ended;
    const int longest_s = count_of(300, 1200);
    for (double waited_s = 0; !ended && waited_s < longest_s; waited_s += k_saved_s) {
      bring_nodes_back();
      ended = run.wait(k_saved_s);
    }
    return ended;
  }
  // False: the run ended before.
  bool kill_unsettled() {
    const std::size_t before = submissions();
    if (!wait_for([&] { return run.wait(0) || submissions() > before; }, k_patience_s))
      return false;
    if (run.wait(0)) return false;
    kill_controller();
    return true;
  }
  // Nobody submits anything until the controller has saved its state.
  bool kill_settled() {
    if (run.wait(0)) return false;
    run.kill(SIGSTOP);
    wait_for([] { return false; }, k_saved_s);
    run.kill(SIGCONT);
    kill_controller();
    return true;
  }

  std::optional<World> world;
  World::Run run;
};

TEST_F(Controller, MayDieAtAnyMoment) {
  const int stages = count_of(100, 1000), kills = count_of(5, 20);
  start(stages, stages / 8);
  int unsettled = 0, settled = 0;
  for (int i = 0; i < kills; ++i)
    (i % 2 ? settled : unsettled) += i % 2 ? kill_settled() : kill_unsettled();
  const auto ended = wait_to_the_end();
  ASSERT_TRUE(ended) << world->read(run.err) << slurm.live_jobs() << slurm.ask("sinfo -N --long");
  EXPECT_EQ(ended->code, 0) << world->read(run.err);
  EXPECT_EQ(unsettled + settled, kills) << "the sweep was too short";

  std::map<std::string, int> starts, ends;
  int overlaps = 0;
  for (const Entry& entry : read_diary(*world)) {
    starts[entry.stage] += entry.word == "start";
    ends[entry.stage] += entry.word == "end";
    overlaps += entry.word == "overlap";
  }
  const auto once = [](const auto& one) { return one.second == 1; };
  EXPECT_EQ(ends.size(), static_cast<std::size_t>(stages));
  EXPECT_EQ(std::count_if(ends.begin(), ends.end(), once), stages) << "side effects, each once";
  EXPECT_EQ(overlaps, 0);
  const Snapshot store = read_store(world->store(), world->folder());
  EXPECT_EQ(store.unfinished, std::vector<std::string>());
  EXPECT_EQ(left_behind(*world, store.folders, 5), std::vector<std::string>());
  const auto ask = [&](const std::string& sql) {
    return ask_store(world->store(), world->folder(), sql);
  };
  EXPECT_EQ(ask("SELECT count(*) FROM artifact WHERE removed_at IS NULL"),
            std::vector<std::string>{std::to_string(stages)});
  EXPECT_TRUE(is_empty()) << slurm.live_jobs();
  fmt::print(
      "[ controller ] {} stages, {} kills settled, {} unsettled: {} starts, {} ends, {} "
      "submissions, {:.1f} s; failures: {}\n",
      stages, settled, unsettled,
      std::accumulate(starts.begin(), starts.end(), 0,
                      [](int sum, const auto& one) { return sum + one.second; }),
      ends.size(), submissions(), ended->wall_s,
      fmt::join(ask("SELECT failure_class || ' ' || count(*) FROM attempt WHERE ok = 0 GROUP BY "
                    "failure_class"),
                ", "));
}

}  // namespace slurm_controller_test
}  // namespace orch::crash
