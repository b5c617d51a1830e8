// Servers that misbehave and stages that fail: the sweep reports each failure with its reason and
// completes everything else.
#include "crash/diary.hpp"
#include "crash/project.hpp"
#include "crash/snapshot.hpp"
#include "crash/world.hpp"

#include <regex>

#include <gtest/gtest.h>

namespace orch::crash {
namespace failures_test {

std::vector<std::string> left(const World& world) {
  const Snapshot store = read_store(world.store(), world.folder());
  EXPECT_TRUE(store.readable) << store.why_not;
  return left_behind(world, store.folders, 5);
}

struct Fault {
  const char* mode;
  const char* failure_class;  // "": no failure, its point has a result
};

// The behaviour of a server, and its failure class.
constexpr Fault k_faults[] = {
    {"hang", "not_ready"},
    {"dies-starting", "died_starting"},
    {"crashes", "server_crash"},
    {"garbage", "request_refused"},
    {"500", "invalid_measurement"},
    {"closes", "connection_failed"},
    {"ignores-term", ""},
    {"storm", ""},
    {"escape", ""},
    {"escape-wiped", ""},
};

void use_real_bench(World& world) {
  std::string runner = world.read("runners/crash/runner.yaml");
  const std::size_t at = runner.find("argv: [\"" ORCH_ACTOR "\", bench"),
                    end = runner.find('\n', at);
  runner.replace(at, end - at, fmt::format("argv: {}", k_real_bench));
  const std::string slow = "timeout_s: 20}";
  runner.replace(runner.find(slow), slow.size(), "timeout_s: 1}");
  world.write("runners/crash/runner.yaml", runner);
}

TEST(BadServers, FailTheirOwnPointsWithTheirOwnClassAndNoOthers) {
  World world;
  use_real_bench(world);
  std::string modes("plain");
  for (const Fault& fault : k_faults) modes += fmt::format(", \"{}\"", fault.mode);
  world.write_matrix(fmt::format(
      "measure: {{limits: {{wake_lag_ms: 1000, client_cpu_share: 1000}}}}\naxes: {{mode: [{}]}}\n",
      modes));
  const Ended ended = world.run();
  EXPECT_EQ(ended.code, 1) << world.last_stderr();
  EXPECT_FALSE(ended.late);
  const auto ask = [&](const std::string& sql) {
    return ask_store(world.store(), world.folder(), sql);
  };
  for (const Fault& fault : k_faults) {
    const std::string mode = fault.mode;
    const std::string of_its_points = fmt::format(
        " IN (SELECT rs.plan_id FROM point p JOIN point_stage ps ON ps.point_id = p.id JOIN "
        "run_stage rs ON rs.stage_id = ps.stage_id "
        "WHERE json_extract(p.parameters, '$.mode') = '{}')",
        mode);
    const auto classes =
        ask("SELECT DISTINCT class FROM failures WHERE final = 1 AND stage" + of_its_points);
    const bool good = !*fault.failure_class;
    EXPECT_EQ(classes,
              good ? std::vector<std::string>() : std::vector<std::string>{fault.failure_class})
        << mode;
    EXPECT_EQ(ask(fmt::format("SELECT count(*) FROM results WHERE mode = '{}'", mode)),
              std::vector<std::string>{good ? "1" : "0"})
        << mode;
  }
  EXPECT_EQ(ask("SELECT count(*) FROM results WHERE mode = 'plain'"),
            std::vector<std::string>{"1"});
  EXPECT_EQ(left(world), std::vector<std::string>());
}

constexpr const char* k_levels[] = {"convert", "build", "prompts", "serve", "bench"};

// AXES of COUNT points with separate chains, of which the first ones fail at LEVELS.
std::string chains(int count, const std::vector<std::string>& levels) {
  std::string values;
  for (int i = 0; i < count; ++i) {
    const std::string broken = static_cast<std::size_t>(i) < levels.size()
                                   ? levels[static_cast<std::size_t>(i)]
                                   : "nowhere";
    values +=
        fmt::format("{}{{precision: p{}, isl: {}, broken: {}}}", i ? ", " : "", i, 100 + i, broken);
  }
  return "axes: {chain: [" + values + "]}\n";
}

// One of COUNT chains fails at each of LEVELS.
void check_failures(int count, const std::vector<std::string>& levels) {
  World world;
  world.write_matrix(chains(count, levels));
  const Ended ended = world.run();
  EXPECT_EQ(ended.code, 1) << world.last_stderr();
  const auto ask = [&](const std::string& sql) {
    return ask_store(world.store(), world.folder(), sql);
  };
  EXPECT_EQ(ask("SELECT count(*) FROM results"),
            std::vector<std::string>{std::to_string(count - static_cast<int>(levels.size()))});
  for (const std::string& level : levels) {
    const auto failed =
        ask(fmt::format("SELECT rs.plan_id FROM run_stage rs JOIN stage s ON s.id = rs.stage_id "
                        "WHERE s.name = '{}' AND rs.state = 'failed'",
                        level));
    ASSERT_EQ(failed.size(), 1u) << level;
    const std::regex line("(^|\n)FAILED   [^\n]*\\(" + failed.front() + "\\)");
    EXPECT_TRUE(std::regex_search(world.last_stderr(), line)) << world.last_stderr();
    if (level == "bench") continue;
    // Every stage that it blocked names it, down to the measurement.
    const auto blocked = ask(fmt::format(
        "SELECT count(*) FROM run_stage WHERE state = 'skipped' AND state_why LIKE '%{}%'",
        failed.front()));
    EXPECT_NE(blocked, std::vector<std::string>{"0"}) << level;
    EXPECT_NE(world.last_stderr().find(failed.front() + " failed"), std::string::npos)
        << world.last_stderr();
  }
  EXPECT_EQ(left(world), std::vector<std::string>());
}

TEST(OneFailure, AtEveryLevelLeavesAllOthersDone) {
  check_failures(12, {std::begin(k_levels), std::end(k_levels)});
  for (const char* level : k_levels)
    if (full()) check_failures(50, {level});
}

}  // namespace failures_test
}  // namespace orch::crash
