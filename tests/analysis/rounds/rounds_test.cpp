// Rounds of sessions until a difference is decided: when they look, whom they measure, and what
// ends them.
#include "analysis/rounds/rounds.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace orch::rounds {
namespace rounds_test {

using statistics::Step;
using testing::ElementsAre;

// Servers whose sessions have given throughputs, and a clock that a session moves by 60 s.
class Bench {
 public:
  // Of side SIDE in session N, counted from 0.
  std::function<double(std::size_t side, int n)> value = [](std::size_t, int) { return 100.0; };
  std::vector<int> sessions = {0, 0};
  std::vector<std::string> measured;
  std::vector<double> levels;
  double now = 1000;
  int reports = 0;

  Tools tools() {
    return {.compare = [this](std::size_t a, std::size_t b,
                              double level) -> Result<statistics::SessionDifference> {
              levels.push_back(level);
              return statistics::session_difference(of(a), of(b), {.level = level});
            },
            .measure = [this](const std::string& sql, int count) -> Result<bool> {
              measured.push_back(sql + " x" + std::to_string(count));
              now += 60.0 * count;
              for (std::size_t side = 0; side < sessions.size(); ++side)
                if (sql.find(question.sides[side].sql) != std::string::npos)
                  sessions[side] += count;
              return true;
            },
            .now_s = [this] { return now; },
            .report = [this](const Answer&) { ++reports; }};
  }
  Answer run(std::optional<double> budget_s = {}) {
    auto answer = add_rounds(question, budget_s, 1000, tools());
    EXPECT_TRUE(answer.ok());
    return answer.ok() ? *answer : Answer{};
  }

  Question question{.metric = "output_tps",
                    .size = 0.03,
                    .most = 10,
                    .sides = {{"f16", "p = 'f16'"}, {"q8_0", "p = 'q8_0'"}}};

 private:
  statistics::Sessions of(std::size_t side) const {
    statistics::Sessions all;
    for (int n = 0; n < sessions[side]; ++n) all.push_back({{"point", value(side, n)}});
    return all;
  }
};

// Alternates by SPREAD (a share) around MEAN.
double around(double mean, double spread, int n) { return mean * (1 + (n % 2 ? spread : -spread)); }

TEST(Rounds, EndWhenALargeDifferenceIsFoundAtTheFirstLook) {
  Bench bench;
  bench.value = [](std::size_t side, int n) { return around(side ? 150 : 100, 0.01, n); };
  const Answer answer = bench.run();
  EXPECT_EQ(answer.end, End::decided);
  EXPECT_EQ(answer.comparisons[0].step, Step::differs);
  EXPECT_EQ(answer.comparisons[0].looked_at, 3);
  EXPECT_THAT(bench.measured, ElementsAre("(p = 'q8_0') OR (p = 'f16') x3"));
  EXPECT_NEAR(*answer.comparisons[0].difference.difference, 50, 0.1);
  ASSERT_TRUE(answer.comparisons[0].detectable);
}

TEST(Rounds, EndWhenNoDifferenceOfTheSizeIsPossible) {
  Bench bench;
  bench.value = [](std::size_t, int n) { return around(100, 0.002, n); };
  const Answer answer = bench.run();
  EXPECT_EQ(answer.end, End::decided);
  EXPECT_EQ(answer.comparisons[0].step, Step::same);
}

TEST(Rounds, AddASessionAtATimeAfterTheFirstLookUpToTheMost) {
  Bench bench;
  bench.question.most = 5;
  bench.value = [](std::size_t side, int n) { return around(side ? 102 : 100, 0.05, n); };
  const Answer answer = bench.run();
  EXPECT_EQ(answer.end, End::most_sessions);
  EXPECT_EQ(answer.comparisons[0].step, Step::ended);
  EXPECT_EQ(answer.rounds, 3);
  EXPECT_THAT(bench.sessions, ElementsAre(5, 5));
  EXPECT_EQ(bench.reports, 4) << "one before the first round, and one after each";
}

TEST(Rounds, LookOnceAtEachNumberOfSessionsWithItsOwnLevel) {
  Bench bench;
  bench.question.most = 4;
  bench.value = [](std::size_t side, int n) { return around(side ? 102 : 100, 0.05, n); };
  bench.run();
  const auto looks = statistics::looks(4);
  const double count = 1 - looks[0].alpha;
  EXPECT_THAT(bench.levels,
              ElementsAre(count, count, 1 - looks[0].alpha, count, 1 - looks[1].alpha));
}

TEST(Rounds, DivideTheLevelAmongComparisons) {
  Bench bench;
  bench.question.sides.push_back({"q4_0", "p = 'q4_0'"});
  bench.sessions = {3, 3, 3};
  bench.value = [](std::size_t side, int n) {
    return around(100 + 50.0 * static_cast<double>(side), 0.01, n);
  };
  const Answer answer = bench.run();
  EXPECT_EQ(answer.end, End::decided);
  EXPECT_EQ(bench.levels[1], 1 - statistics::looks(10, statistics::k_look_alpha / 2)[0].alpha);
}

TEST(Rounds, LeaveADecidedSideAlone) {
  Bench bench;
  bench.question.sides.push_back({"q4_0", "p = 'q4_0'"});
  bench.sessions = {3, 3, 3};
  bench.question.most = 4;
  bench.value = [](std::size_t side, int n) {
    return side == 1 ? around(150, 0.01, n) : around(side ? 101 : 100, 0.05, n);
  };
  const Answer answer = bench.run();
  EXPECT_EQ(answer.comparisons[0].step, Step::differs);
  EXPECT_EQ(answer.comparisons[1].step, Step::ended);
  EXPECT_THAT(bench.measured, ElementsAre("(p = 'q4_0') OR (p = 'f16') x1"));
}

TEST(Rounds, BringASideThatIsBehindToTheOther) {
  Bench bench;
  bench.sessions = {5, 2};
  bench.value = [](std::size_t side, int n) { return around(side ? 150 : 100, 0.01, n); };
  bench.run();
  EXPECT_THAT(bench.measured, ElementsAre("(p = 'q8_0') x1"));
}

TEST(Rounds, UseSessionsThatAreThereAlready) {
  Bench bench;
  bench.sessions = {4, 4};
  bench.value = [](std::size_t side, int n) { return around(side ? 150 : 100, 0.01, n); };
  const Answer answer = bench.run();
  EXPECT_EQ(answer.end, End::decided);
  EXPECT_EQ(answer.comparisons[0].looked_at, 4);
  EXPECT_TRUE(bench.measured.empty());
}

TEST(Rounds, BeginNoneThatWouldEndAfterTheBudget) {
  Bench bench;
  bench.value = [](std::size_t side, int n) { return around(side ? 102 : 100, 0.05, n); };
  // 3 sessions take 180 s, and another one is expected to take a third of it.
  const Answer answer = bench.run(250);
  EXPECT_EQ(answer.end, End::budget);
  EXPECT_EQ(answer.rounds, 2);
}

TEST(Rounds, BeginTheFirstWhileAnyBudgetIsLeft) {
  Bench bench;
  bench.value = [](std::size_t side, int n) { return around(side ? 102 : 100, 0.05, n); };
  EXPECT_EQ(bench.run(0.001).rounds, 1);
}

TEST(Rounds, EndWhenARoundAddsNoSession) {
  Bench bench;
  Tools tools = bench.tools();
  tools.measure = [](const std::string&, int) -> Result<bool> { return true; };
  const auto answer = add_rounds(bench.question, {}, 0, tools);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->end, End::nothing_gained);
}

TEST(Rounds, EndWhenTheyAreStopped) {
  Bench bench;
  Tools tools = bench.tools();
  tools.measure = [](const std::string&, int) -> Result<bool> { return false; };
  const auto answer = add_rounds(bench.question, {}, 0, tools);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->end, End::stopped);
  EXPECT_EQ(answer->rounds, 0);
}

TEST(Rounds, DoNotAddSessionsToWhatCannotBeCompared) {
  Bench bench;
  bench.sessions = {1, 1};
  bench.value = [](std::size_t side, int) { return side ? 0.0 : 100.0; };
  const auto answer = add_rounds(bench.question, {}, 0, bench.tools());
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("output_tps has values that are not above 0"),
            std::string::npos);
  EXPECT_TRUE(bench.measured.empty());
}

TEST(Rounds, SayWhereAComparisonStands) {
  Bench bench;
  bench.value = [](std::size_t side, int n) { return around(side ? 150 : 100, 0.01, n); };
  const Answer answer = bench.run();
  const std::vector<std::string> lines = sentences(bench.question, answer);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("q8_0 against f16: output_tps +50.0 % (+"));
  EXPECT_NE(
      lines[0].find("), 3 sessions a side: they differ; with this many sessions, a difference of "),
      std::string::npos);

  Answer early{.comparisons = {{.side = 1, .difference = {}}}};
  EXPECT_EQ(sentences(bench.question, early)[0],
            "q8_0 against f16: output_tps, 0 sessions a side: too few sessions for a first look");
}

}  // namespace rounds_test
}  // namespace orch::rounds
