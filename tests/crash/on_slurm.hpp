// Sweeps on a real Slurm, faults in the middle of them, and what is left afterwards.
#pragma once

#include "crash/local_slurm.hpp"
#include "crash/referee.hpp"
#include "crash/reference.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::crash {

// A controller saves what it knows every 5 s at the latest.
inline constexpr double k_saved_s = 6;

// A controller that dies before it has saved the end of a job reports the job as running. Without a
// sign of life from it, a run cancels such a job after ten minutes (launch_watcher.cpp).
inline constexpr double k_patience_on_slurm_s = 800;

class OnSlurm : public testing::Test {
 protected:
  void SetUp() override {
    if (!slurm.why_not().empty()) GTEST_SKIP() << slurm.why_not();
  }
  Options options() const {
    return {.arguments = {"--executor", "slurm"},
            .variables = slurm.variables(),
            .patience_s = k_patience_on_slurm_s,
            .surroundings = [this] {
              return slurm.ask("squeue --noheader --format='%i %j %T %r %N'") +
                     slurm.ask("sinfo --noheader --Node --format='%n %t %E'");
            }};
  }
  // The jobs of a sweep that has ended leave the queue a little later.
  bool is_empty(double at_most_s = 20) const {
    return wait_for([&] { return slurm.live_jobs().empty(); }, at_most_s);
  }
  bool set_nodes(const std::string& state) const {
    return slurm.does("scontrol update nodename=n[1-2] state=" + state);
  }
  bool are_nodes_up() const {
    return wait_for(
        [&] { return slurm.ask("sinfo --noheader --Node --format=%t") == "idle\nidle\n"; }, 30);
  }

  Slurm slurm;
};

// One point on a cluster: a fault while one of its stages is at work, and then its end.
class OnePoint : public OnSlurm {
 protected:
  struct Job {
    std::string id, node;
  };

  static const Reference& undisturbed() {
    static const Reference made = make_reference(k_one_point, k_one_point_outputs);
    return made;
  }
  // A test that failed leaves no run behind.
  void TearDown() override {
    if (run.pid == 0 || run.wait(0)) return;
    run.kill();
    run.wait(k_patience_s);
  }
  // Starts the sweep, whose STAGE waits the first time until go().
  void start(const std::string& stage, Options with, const World::Variables& more = {}) {
    ASSERT_EQ(undisturbed().complaint, "");
    world.emplace(with);
    world->write_matrix(k_one_point);
    referee.emplace(*world, undisturbed().store);
    World::Variables variables = k_paced;
    variables["ORCH_CRASH_WAITS"] = stage;
    for (const auto& [name, value] : more) variables[name] = value;
    run = world->start(variables);
  }
  // Until the first attempt at STAGE waits; its job.
  Job job_at_work(const std::string& stage) {
    Job job;
    const bool came = wait_for(
        [&] {
          if (run.wait(0)) return true;
          job = job_of(stage);
          return !job.id.empty() && std::filesystem::exists(world->diary() + "/waited");
        },
        k_patience_s);
    EXPECT_TRUE(came && !run.wait(0)) << stage << ": " << world->read(run.err);
    return job;
  }
  void go() { world->write("diary/go", ""); }
  // A measurement runs in the job of its server.
  Job job_of(const std::string& stage) const {
    Job job;
    for (const Entry& entry : read_diary(*world)) {
      if (entry.word != "start" || entry.stage != stage) continue;
      const auto json = nlohmann::json::parse(
          world->read("results/attempts/" + entry.token + "/started.json"), nullptr, false);
      if (json.is_object()) job = {json.value("job", ""), json.value("node", "")};
    }
    return job;
  }
  // The run, or the next one, has ended: what the referee says, and the jobs that are left.
  std::string judged(const Ended& ended) {
    const Verdict verdict = referee->judge(ended, world->last_stderr());
    std::string text = verdict.text();
    if (!is_empty()) text += "  jobs are left: " + slurm.live_jobs();
    for (const auto& [stage, count] : counts("end"))
      if (count > 1) text += fmt::format("  {} ended {} times\n", stage, count);
    fmt::print("[ on slurm ] the run took {:.1f} s; failures: {}\n", ended.wall_s,
               fmt::join(failures(), ", "));
    return text;
  }
  std::map<std::string, int> counts(const std::string& word) const {
    std::map<std::string, int> counts;
    for (const Entry& entry : read_diary(*world)) counts[entry.stage] += entry.word == word;
    return counts;
  }
  // The classes of failed attempts, by their stage.
  std::vector<std::string> failures() const {
    return ask_store(world->store(), world->folder(),
                     "SELECT s.name || ': ' || a.failure_class FROM attempt a JOIN stage s ON "
                     "s.id = a.stage_id WHERE a.ok = 0 ORDER BY a.id");
  }

  std::optional<World> world;
  std::optional<Referee> referee;
  World::Run run;
};

}  // namespace orch::crash
