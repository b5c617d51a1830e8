// Every cause of the table by the log or the exit of a real tool, and logs that only look like one.
#include "run/attempt/engine_rows.hpp"
#include "run/attempt/failure.hpp"
#include "run/attempt/failure_rows.hpp"

#include <regex>
#include <set>
#include <span>

#include <gtest/gtest.h>

namespace orch::attempt {
namespace failure_table_test {

class Failures : public testing::TestWithParam<FailureRow> {};

TEST_P(Failures, AreRecognisedByTheLogsOfRealTools) {
  const FailureRow& row = GetParam();
  const Verdict verdict = classify(row.ended, row.log);
  EXPECT_EQ(to_string(verdict.failure), row.failure_class) << verdict.message;
  const std::string line = row.line == k_whole_log ? row.log : row.line;
  if (line.empty()) EXPECT_EQ(verdict.message.find(": "), std::string::npos) << verdict.message;
  else EXPECT_TRUE(verdict.message.ends_with(": " + line)) << verdict.message;
}

INSTANTIATE_TEST_SUITE_P(, Failures, testing::ValuesIn(k_failure_rows),
                         [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(OfEngines, Failures, testing::ValuesIn(k_engine_rows),
                         [](const auto& row) { return std::string(row.param.name); });

// A row that no log reaches is untested.
TEST(FailureTable, HasATestForEveryCause) {
  std::set<const Cause*> reached;
  for (const auto& rows :
       {std::span<const FailureRow>(k_failure_rows), std::span<const FailureRow>(k_engine_rows)})
    for (const FailureRow& row : rows)
      for (const Cause& cause : failure_causes())
        if (holds(cause, row.ended, row.log)) {
          reached.insert(&cause);
          break;
        }
  for (const Cause& cause : failure_causes())
    EXPECT_TRUE(reached.contains(&cause))
        << to_string(cause.failure) << " by '" << cause.text << cause.pattern << "'";
  EXPECT_GE(failure_causes().size(), 40u);
}

// `orchestrate explain CLASS` promises what to do.
TEST(FailureTable, SaysWhatToDoAboutEveryClass) {
  const std::regex remedy(
      "\\b(Change|Check|Compare|End|Free|Install|Lower|Mend|Raise|Read|Remove|Request|Run|See|Set|"
      "Update|Use|Build|check|correct|mend|use|reset) |the next run makes it|what to "
      "check|`dmesg`|the stage is retried|The stage is retried");
  for (const FailureTraits& one : failure_classes())
    EXPECT_TRUE(std::regex_search(std::string(one.meaning), remedy)) << one.name();
}

TEST(FailureTable, IsInLowerCase) {
  for (const Cause& cause : failure_causes()) {
    for (const char c : cause.text) EXPECT_FALSE(c >= 'A' && c <= 'Z') << cause.text;
    EXPECT_TRUE(cause.text.empty() || cause.pattern.empty()) << cause.text;
  }
}

}  // namespace failure_table_test
}  // namespace orch::attempt
