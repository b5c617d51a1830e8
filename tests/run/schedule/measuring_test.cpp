#include "bench/measure/validity.hpp"
#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace measuring_test {

TEST(Measuring, AnInvalidMeasurementIsRepeatedOnTheSameServerWithTheSamePrompts) {
  Sweep run;
  run.points = one_point();
  run.journal.judge = [](const AttemptKey& key) {
    return key.number < 3 ? std::string("client thread at 97 %") : std::string();
  };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failed, 0u);
  Lines benches;
  for (const std::string& line : run.executor.diary)
    if (line.starts_with("start bench")) benches.push_back(line.substr(line.rfind(' ') + 1));
  EXPECT_EQ(benches, (Lines{"0", "0", "0"}));
  const auto started = run.started(1);
  EXPECT_EQ(std::count(started.begin(), started.end(), "start serve"), 1);
}

TEST(Measuring, AMeasurementThatStaysInvalidIsAFailure) {
  Sweep run;
  run.points = one_point();
  run.journal.judge = [](const AttemptKey&) { return std::string("client thread at 97 %"); };
  EXPECT_EQ(run.run()->failures_by_class.at("invalid_measurement"), 1u);
}

// bench has an exit status for an invalid record. The record decides what follows, not the status.
TEST(Measuring, AnInvalidRecordIsNotAFailureOfTheBenchProcess) {
  const auto classes_of = [](int code, const std::string& reasons) {
    Sweep run;
    run.points = one_point();
    run.journal.judge = [&](const AttemptKey&) { return reasons; };
    run.on("bench", [&](const auto&, Behaviour normal) {
      normal.code = code;
      return normal;
    });
    const auto outcome = run.run();
    Lines classes;
    for (const auto& [name, count] : outcome->failures_by_class) classes.push_back(name);
    return classes;
  };
  EXPECT_EQ(classes_of(execute::k_not_valid_status, "client thread at 97 %"),
            Lines{"invalid_measurement"});
  EXPECT_EQ(classes_of(execute::k_not_valid_status, ""), Lines{});
  EXPECT_NE(classes_of(5, ""), Lines{});
}

TEST(Measuring, NoTimePassesBetweenOneMeasurementAndTheNext) {
  Sweep run;
  run.points = {point("f16"), point("f16", "4", "64")};
  std::vector<double> starts;
  run.on("bench", [&](const auto&, Behaviour normal) {
    starts.push_back(run.clock.time_s);
    normal.lasts_s = 0.125;
    return normal;
  });
  ASSERT_TRUE(run.run());
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_DOUBLE_EQ(starts[1] - starts[0], 0.125);
}

TEST(Measuring, RepeatsGoThroughAllLoadsOnceAndThenAgain) {
  Sweep run;
  run.repeats = 2;
  run.points = {point("f16"), point("f16", "4", "64")};
  ASSERT_TRUE(run.run());
  Lines benches;
  for (const std::string& line : run.started(3))
    if (line.starts_with("start bench")) benches.push_back(line);
  EXPECT_EQ(benches, (Lines{"start bench f16 32", "start bench f16 64", "start bench f16 32",
                            "start bench f16 64"}));
}

// A new server has seen no prompts.
TEST(Measuring, ANewServerIsMeasuredWithTheFirstPrompts) {
  Sweep run;
  run.points = one_point();
  int benches = 0;
  std::vector<std::string> blocks;
  run.on("bench", [&](const auto& launch, Behaviour normal) {
    blocks.push_back(launch.argv.back());
    if (++benches < 5) {
      run.executor.die("serve", SIGKILL);
      return Behaviour{.lasts_s = 5, .code = 1};
    }
    return normal;
  });
  ASSERT_TRUE(run.run());
  EXPECT_EQ(blocks, (Lines{"0", "0", "0", "0", "0"}));
}

// The first two attempts end by a signal. Starts of the server, and what the attempts were sent.
std::pair<std::size_t, std::vector<std::string>> servers_of_three_attempts(bool forgets_prompts) {
  Sweep run;
  run.points = one_point();
  run.forgets_prompts = forgets_prompts;
  std::vector<std::string> blocks;
  run.on("bench", [&](const auto& launch, Behaviour normal) {
    blocks.push_back(launch.argv.back());
    return blocks.size() < 3 ? Behaviour{.signal = SIGKILL} : normal;
  });
  EXPECT_TRUE(run.run());
  return {count(run.started(1), "start serve"), blocks};
}

// What a point is compared by, and its references, are the same whichever attempt succeeded.
TEST(Measuring, IsRepeatedWithTheSamePromptsOnAServerThatHasNotSeenThem) {
  const std::vector<std::string> same = {"0", "0", "0"};
  EXPECT_EQ(servers_of_three_attempts(false), std::pair(std::size_t{3}, same));
  EXPECT_EQ(servers_of_three_attempts(true), std::pair(std::size_t{1}, same));
}

// A front end that is deadlocked would fail one measurement after another.
TEST(Measuring, AServerThatAnswersNothingIsRestarted) {
  Sweep run;
  run.points = one_point();
  int asked = 0;
  run.journal.judge = [&asked](const AttemptKey&) -> std::string {
    return ++asked <= 2 ? fmt::format("no request succeeded: {}", measure::k_answers_nothing) : "";
  };
  ASSERT_TRUE(run.run());
  EXPECT_EQ(count(run.started(1), "start serve"), 2u);
  EXPECT_EQ(count(run.started(1), "start bench"), 2u);
}

}  // namespace measuring_test
}  // namespace orch::schedule
