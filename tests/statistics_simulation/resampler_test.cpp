// The A/A resampler on simulated sessions, and on those of a real server: ORCH_AA_CSV=FILE prints
// the false alarms of each metric in FILE, whose format resampler.hpp has.
#include "resampler.hpp"

#include "sweeps.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace orch::statistics {
namespace resampler_test {

TEST(SessionsCsv, IsReadByMetricAndSession) {
  const auto read = read_sessions(
      "session,point,metric,value\n"
      "7,c1,ttft_ms,12.5\n"
      "7,c8,ttft_ms,30\n"
      "7,c1,output_tps,200\r\n"
      "9,c1,ttft_ms,13\n");
  ASSERT_TRUE(read.ok());
  const Sessions& ttft = read->at("ttft_ms");
  ASSERT_EQ(ttft.size(), 2u);
  EXPECT_EQ(ttft[0][1].pair, "c8");
  EXPECT_EQ(ttft[0][1].value, 30);
  EXPECT_EQ(ttft[1][0].value, 13);
  EXPECT_EQ(read->at("output_tps").size(), 1u);
}

TEST(SessionsCsv, NamesTheLineThatItCannotRead) {
  EXPECT_EQ(read_sessions("a,b\n").error().message,
            "the first line is not session,point,metric,value");
  EXPECT_EQ(read_sessions("session,point,metric,value\n1,c1,ttft_ms,fast\n").error().message,
            "line 2 has not four fields and a number");
  EXPECT_FALSE(read_sessions("session,point,metric,value\n1,c1,ttft_ms\n").ok());
}

std::string example_csv(int sessions) {
  Random random(20261130);
  std::string text = "session,point,metric,value\n";
  for (int i = 0; i < sessions; ++i) {
    const SimulatedSession session = simulate_session({.points = 4}, random);
    for (const Observation& one : session.mean_latency)
      text += fmt::format("{},{},latency_ms,{}\n", i, one.pair, one.value);
    for (const Observation& one : session.throughput)
      text += fmt::format("{},{},output_tps,{}\n", i, one.pair, one.value);
  }
  return text;
}

void print_and_check(const SessionsOfMetrics& metrics, int sweeps) {
  for (const auto& [name, sessions] : metrics) {
    for (const Resampled& seen : resample(sessions, sweeps, 20261201)) {
      fmt::print("{:20} {:3} sessions, {:2} a side{}: {:4.1f} % false alarms\n", name,
                 sessions.size(), seen.sessions, seen.lent ? ", lent spread" : "", seen.alarms);
      SCOPED_TRACE(fmt::format("{}, {} a side", name, seen.sessions));
      const double slack = sweeps >= 2000 ? 0 : chance(5, sweeps) - chance(5, 2000);
      EXPECT_GE(seen.alarms, seen.lent ? 0 : 3 - slack);
      EXPECT_LE(seen.alarms, (seen.lent ? 8 : 7) + slack);
    }
  }
}

TEST(Resampler, HasFiveFalseAlarmsInAHundredForEqualSides) {
  const auto read = read_sessions(example_csv(32));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->size(), 2u);
  print_and_check(*read, sweeps_to_run(1000));
}

TEST(Resampler, DrawsNoSessionTwice) {
  // Equal sessions but for one: wherever it is drawn, only one side has it, and no side is constant
  // at another value. With replacement both sides could have it twice, and p would be 0.
  Sessions sessions(4, Session{{"c1", 1.0}});
  sessions[3][0].value = 2;
  for (const Resampled& seen : resample(sessions, 500, 1)) EXPECT_EQ(seen.alarms, 0);
}

TEST(Resampler, DrawsOnlySidesForWhichThereAreSessions) {
  std::vector<std::pair<int, bool>> drawn;
  for (const Resampled& seen : resample(Sessions(10, Session{{"c1", 1.0}}), 10, 1))
    drawn.emplace_back(seen.sessions, seen.lent);
  const std::vector<std::pair<int, bool>> wanted = {
      {2, false}, {3, false}, {5, false}, {1, true}, {2, true}};
  EXPECT_EQ(drawn, wanted);
}

TEST(Resampler, HasFiveFalseAlarmsInAHundredForTheSessionsOfAFile) {
  const char* path = std::getenv("ORCH_AA_CSV");
  if (path == nullptr) GTEST_SKIP() << "ORCH_AA_CSV names no file of sessions";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const auto read = read_sessions(text.str());
  ASSERT_TRUE(read.ok()) << read.error().message;
  print_and_check(*read, sweeps_to_run(2000));
}

}  // namespace resampler_test
}  // namespace orch::statistics
