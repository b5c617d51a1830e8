// Each containment by itself, through the whole binary: servers that leave their session or fork
// endlessly while the orchestrator is killed, alone or with its guardians. None of their processes
// is left, and the sweep completes.
#include "crash/diary.hpp"
#include "crash/lanes.hpp"
#include "crash/snapshot.hpp"
#include "crash/world.hpp"
#include "os/system/process.hpp"

#include <csignal>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

namespace orch::crash {
namespace containment_test {

enum class Ending { adopted, abandoned, both };
constexpr std::pair<Ending, const char*> k_endings[] = {
    {Ending::adopted, "orchestrator, resumed at once"},
    {Ending::abandoned, "orchestrator, after the grace period"},
    {Ending::both, "orchestrator and guardians, resumed"}};
constexpr const char* k_shapes[] = {"escape", "escape-wiped", "storming"};
constexpr double k_grace_s = 20, k_abandoned_grace_s = 0.1;

struct Trial {
  Ending ending = Ending::adopted;
  std::vector<std::string> left;  // processes, ports and files
  std::string wrong;
  // From the kill, or the start of the run that resumed, until the old tree had ended.
  double gone_s = 0;
};

// The present and past processes, by the files that they lock.
std::vector<std::string> lives(const World& world) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(world.diary() + "/life"))
    names.push_back("process " + entry.path().filename().string());
  return names;
}

bool any_alive(const World& world, const std::vector<std::string>& names) {
  const auto alive = alive_of(world);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(alive.begin(), alive.end(), name) != alive.end();
  });
}

bool any_escaped(const World& world) {
  const auto names = lives(world);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.find("-escaped-") != std::string::npos;
  });
}

// Kills the run at a random moment after its server started.
void kill_serving(World& world, const std::string& shape, Ending ending, std::size_t number,
                  Trial& trial) {
  World::Run run = world.start({{"ORCH_CRASH_PACE", "bench=60000"}});
  const bool came = wait_for(
      [&] { return run.wait(0) || world.read("diary/diary").find(" serve-") != std::string::npos; },
      k_patience_s);
  if (!came || run.wait(0))
    trial.wrong += "the sweep did not get as far as its server: " + world.read(run.err);
  if (shape != "storming" &&
      !wait_for([&] { return run.wait(0) || any_escaped(world); }, k_patience_s))
    trial.wrong += "its server did not get away. ";
  std::mt19937_64 random(number);
  run.wait(std::uniform_real_distribution<>(0, 0.25)(random));
  const auto guardians = guardians_of(world, run.pid);
  run.kill();
  if (ending == Ending::both)
    for (const int guardian : guardians) ::kill(guardian, SIGKILL);
  world.finish(run);
}

Trial attempt(const std::string& method, const std::string& shape, std::size_t number, int lane) {
  Trial trial{.ending = k_endings[number % std::size(k_endings)].first,
              .left = {},
              .wrong = {},
              .gone_s = 0};
  World world({.lane = lane,
               .grace_s = trial.ending == Ending::abandoned ? k_abandoned_grace_s : k_grace_s,
               .extra_site = "containment: " + method + "\n"});
  world.write_matrix("axes: {precision: [f16]}\ndefaults: {mode: " + shape + "}\n");
  kill_serving(world, shape, trial.ending, number, trial);
  const auto before = lives(world);
  const auto killed = Clock::now();
  const auto until_gone = [&] {
    if (!wait_for([&] { return !any_alive(world, before); }, k_patience_s))
      trial.wrong += "the old server lives on. ";
    trial.gone_s = seconds_since(killed);
  };
  if (trial.ending == Ending::abandoned) until_gone();
  World::Run again = world.start();
  if (trial.ending != Ending::abandoned) until_gone();
  const Ended ended = world.finish(again);
  if (ended.code != 0)
    trial.wrong += fmt::format("the run that resumed ended with exit status {}: {}", ended.code,
                               world.last_stderr());
  const auto methods =
      ask_store(world.store(), world.folder(),
                "SELECT DISTINCT containment FROM attempt WHERE containment IS NOT NULL");
  if (methods != std::vector<std::string>{method})
    trial.wrong += "on record is containment " + testing::PrintToString(methods);
  trial.left = left_behind(world, read_store(world.store(), world.folder()).folders, 5);
  return trial;
}

struct Row {
  int kills = 0, wrong = 0;
  std::size_t left = 0;
  std::vector<double> gone_s;
};

std::string line(const std::string& method, const std::string& shape, const std::string& killed,
                 Row row) {
  std::sort(row.gone_s.begin(), row.gone_s.end());
  return fmt::format("{:<14} {:<13} {:<38} {:>5} {:>5} {:>6} {:>10.2f} {:>10.2f}\n", method, shape,
                     killed, row.kills, row.left, row.wrong, row.gone_s[row.gone_s.size() / 2],
                     row.gone_s.back());
}

// What is taken from the host, and the strongest containment that is left.
struct Rung {
  const char* name;
  const char* without;
  const char* strongest;
};
class StrongestLeft : public testing::TestWithParam<Rung> {};

TEST_P(StrongestLeft, IsTakenAndOnRecord) {
  World world;
  world.write_matrix("axes: {precision: [f16]}\n");
  World::Run run = world.spawn({ORCH_WITHOUT_CALLS, GetParam().without, ORCH_BINARY, "run",
                                "crash.yaml", "--site", "site.yaml"});
  const Ended ended = world.finish(run);
  if (ended.code == 77) GTEST_SKIP() << world.last_stderr();
  ASSERT_EQ(ended.code, 0) << world.last_stderr();
  EXPECT_EQ(ask_store(world.store(), world.folder(),
                      "SELECT DISTINCT containment FROM attempt WHERE containment IS NOT NULL"),
            std::vector<std::string>{GetParam().strongest});
}

INSTANTIATE_TEST_SUITE_P(
    Rungs, StrongestLeft,
    testing::Values(Rung{"WithoutCgroups", "cgroups", "pid-namespace"},
                    Rung{"WithoutCgroupsAndPidfds", "cgroups,pidfd_open", "pid-namespace"},
                    Rung{"WithoutCgroupsAndNamespaces", "cgroups,namespaces", "session"}),
    [](const auto& rung) { return rung.param.name; });

class EachContainment : public testing::TestWithParam<const char*> {};

TEST_P(EachContainment, LeavesNothingOfServersThatTryToEscape) {
  const std::string method = GetParam();
  if (!system::is_available(*parse_name<system::Containment>(method)))
    GTEST_SKIP() << "containment '" << method << "' is not available on this machine";
  const auto per_shape =
      static_cast<std::size_t>(count_of(static_cast<int>(std::size(k_endings)), 100));
  std::vector<Trial> trials(std::size(k_shapes) * per_shape);
  in_lanes(trials.size(), [&](std::size_t i, int lane) {
    trials[i] = attempt(method, k_shapes[i / per_shape], i % per_shape, lane);
  });
  std::string table =
      fmt::format("\n{:<14} {:<13} {:<38} {:>5} {:>5} {:>6} {:>10} {:>10}\n", "containment",
                  "server", "killed", "kills", "left", "wrong", "gone p50 s", "gone max s");
  for (std::size_t shape = 0; shape < std::size(k_shapes); ++shape) {
    std::map<Ending, Row> rows;
    for (std::size_t i = shape * per_shape; i < (shape + 1) * per_shape; ++i) {
      const Trial& trial = trials[i];
      Row& row = rows[trial.ending];
      ++row.kills;
      row.left += trial.left.size();
      row.wrong += !trial.wrong.empty();
      row.gone_s.push_back(trial.gone_s);
      EXPECT_EQ(trial.wrong, "") << k_shapes[shape] << ", number " << i % per_shape;
      EXPECT_EQ(trial.left, std::vector<std::string>())
          << k_shapes[shape] << ", number " << i % per_shape;
    }
    for (const auto& [ending, name] : k_endings)
      if (rows.contains(ending)) table += line(method, k_shapes[shape], name, rows[ending]);
  }
  fmt::print("{}", table);
}

INSTANTIATE_TEST_SUITE_P(Rungs, EachContainment,
                         testing::Values("cgroup", "pid-namespace", "session"),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace containment_test
}  // namespace orch::crash
