// Every cause of the table by a log or an end as the real tools leave it, and logs that only look
// like one.
#include "attempt/failure.hpp"

#include "attempt/failure_table.hpp"

#include "attempt/failure_rows.hpp"

#include <gtest/gtest.h>

#include <set>

namespace orch::attempt {
namespace {

class Failures : public testing::TestWithParam<FailureRow> {};

TEST_P(Failures, AreRecognisedByWhatTheRealToolLeaves) {
  const FailureRow& row = GetParam();
  const Verdict verdict = classify(row.ended, row.log);
  ASSERT_NE(verdict.failure, nullptr);
  EXPECT_EQ(verdict.failure->name, row.wanted) << verdict.message;
  const std::string line = row.line == k_whole_log ? row.log : row.line;
  if (line.empty()) EXPECT_EQ(verdict.message.find(": "), std::string::npos) << verdict.message;
  else EXPECT_TRUE(verdict.message.ends_with(": " + line)) << verdict.message;
}

INSTANTIATE_TEST_SUITE_P(, Failures, testing::ValuesIn(k_failure_rows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(FailureClasses, HaveUniqueNamesAndSayWhatToDo) {
  std::set<std::string_view> names;
  for (const FailureClass& one : failure_classes()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_TRUE(one.meaning.ends_with('.')) << one.name;
    EXPECT_EQ(find_failure_class(one.name), &one);
  }
  EXPECT_EQ(find_failure_class("no_such"), nullptr);
  EXPECT_EQ(find_failure_class(""), nullptr);
}

TEST(FailureClasses, IncludeAllThatAreDecidedElsewhere) {
  for (const char* name :
       {"timeout", "not_ready", "died_starting", "server_crash", "output_missing", "cannot_prepare",
        "cannot_start", "cannot_watch", "cannot_publish", "no_ports", "invalid_measurement",
        "tool_mismatch", "dirty_gpu", "disk_full", "killed_externally", "exit_status", "crashed",
        "lost", "interrupted"})
    EXPECT_NE(find_failure_class(name), nullptr) << name;
}

TEST(FailureClasses, KeepTheFaultsOfTheSystemApartFromThoseOfTheMachine) {
  auto kind = [](const char* name) { return find_failure_class(name)->kind; };
  for (const char* name :
       {"cuda_oom", "host_oom", "crashed", "exit_status", "bad_argument", "unauthorized",
        "forbidden", "not_found", "timeout", "model_load_failed"})
    EXPECT_EQ(kind(name), FailureKind::system) << name;
  for (const char* name : {"dirty_gpu", "gpu_fault", "node_lost", "rate_limited", "server_error",
                           "dns_failure", "disk_full", "port_in_use", "killed_externally", "lost"})
    EXPECT_EQ(kind(name), FailureKind::harness) << name;
}

// A row that no log reaches is a row that nobody knows to be right.
TEST(FailureTable, HasATestForEveryCause) {
  std::set<const Cause*> reached;
  for (const FailureRow& row : k_failure_rows)
    for (const Cause& cause : failure_causes())
      if (holds(cause, row.ended, row.log)) {
        reached.insert(&cause);
        break;
      }
  for (const Cause& cause : failure_causes())
    EXPECT_TRUE(reached.contains(&cause))
        << cause.failure << " by '" << cause.text << cause.pattern << "'";
  EXPECT_GE(failure_causes().size(), 40u);
}

TEST(FailureTable, IsInLowerCase) {
  for (const Cause& cause : failure_causes()) {
    for (const char c : cause.text) EXPECT_FALSE(c >= 'A' && c <= 'Z') << cause.text;
    EXPECT_TRUE(cause.text.empty() || cause.pattern.empty()) << cause.text;
  }
}

TEST(Classify, TakesTheCauseAndNotWhatItDragsAlong) {
  const Verdict verdict =
      classify(code(1),
               "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has "
               "a total capacity of 79.10 GiB\n"
               "[rank1]:[W] NCCL WARN Cuda failure 'out of memory'\n"
               "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\n");
  EXPECT_EQ(verdict.failure->name, "cuda_oom");
  EXPECT_EQ(verdict.message,
            "ended with exit status 1: torch.OutOfMemoryError: CUDA out of memory. Tried to "
            "allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB");
}

TEST(Classify, DoesNotTakeWhatWasSurvived) {
  EXPECT_EQ(classify(code(1),
                     "Connection reset by peer, trying again (1/5)\nOSError: [Errno 28] No space "
                     "left on device\n")
                .failure->name,
            "disk_full");
  EXPECT_EQ(classify(code(2),
                     "curl: (22) The requested URL returned error: 503\nrun.py: error: "
                     "unrecognized arguments: --tpp 2\n")
                .failure->name,
            "bad_argument");
}

TEST(Classify, CitesTheLastOfEqualLinesCutAndPrintable) {
  const Verdict verdict =
      classify(code(1), "a: No space left on device\nb: No space left on device\x1b[0m" +
                            std::string(5000, 'x') + "\n");
  EXPECT_TRUE(verdict.message.starts_with(
      "ended with exit status 1: b: No space left on device\\x1b[0mxxx"))
      << verdict.message;
  EXPECT_LT(verdict.message.size(), 400u);
}

TEST(Classify, LooksOnlyAtTheEndOfALog) {
  EXPECT_EQ(classify(code(1), "No space left on device\n" + std::string(100 << 10, '\n') + "x")
                .failure->name,
            "exit_status");
}

TEST(Classify, StandsALineOfAnyLengthAndAnyBytes) {
  std::string log(60 << 10, '/');
  log += "dev/shm/";
  EXPECT_EQ(classify(code(1), log).failure->name, "exit_status");
  EXPECT_EQ(classify(code(1), std::string_view("\xff\x00\xfe\n\r\n", 6)).failure->name,
            "exit_status");
  EXPECT_EQ(classify(code(1), "").message, "ended with exit status 1");
}

struct Wait {
  const char* log;
  std::optional<double> wanted;
};

TEST(Classify, ObeysWhatAServerAskedFor) {
  const Wait rows[] = {
      {"< HTTP/2 429\n< Retry-After: 120\ncurl: (22) The requested URL returned error: 429\n", 120},
      {"429 Too Many Requests {'retry-after': '7'}\n", 7},
      {"We had to rate limit your IP. Retry after 47 seconds (0/3000 requests remaining)\n", 47},
      {"429 Client Error: Too Many Requests. Please try again in 2 minutes.\n", 120},
      {"429 Client Error: Too Many Requests. Please retry in 1.5s\n", 1.5},
      {"503 Server Error: Service Unavailable\nretry-after: 30\n", 30},
      {"429 Client Error: Too Many Requests\nRetry-After: 9\nRetry-After: 11\n", 11},
      {"429 Client Error: Too Many Requests\nRetry-After: 99999999\n", 3600},
      {"429 Client Error: Too Many Requests\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\n",
       std::nullopt},
      {"429 Client Error: Too Many Requests\n", std::nullopt},
      {"Retry-After: 120\nNo space left on device\n", std::nullopt},  // asked for something else
  };
  for (const Wait& row : rows)
    EXPECT_EQ(classify(code(1), row.log).retry_after_s, row.wanted) << row.log;
}

TEST(Backoff, GrowsByItsFactorUpToItsBound) {
  const Backoff backoff{.first_s = 1, .factor = 2, .most_s = 60, .jitter = 0};
  EXPECT_EQ(backoff.delay_s(1, 0.5), 1);
  EXPECT_EQ(backoff.delay_s(2, 0.5), 2);
  EXPECT_EQ(backoff.delay_s(5, 0.5), 16);
  EXPECT_EQ(backoff.delay_s(7, 0.5), 60);
  EXPECT_EQ(backoff.delay_s(100000, 0.5), 60);
  EXPECT_EQ(backoff.delay_s(0, 0.5), 1);
}

TEST(Backoff, JitterSpreadsEitherWayAndNeverBeyondTheBound) {
  const Backoff backoff{.first_s = 4, .factor = 2, .most_s = 60, .jitter = 0.25};
  EXPECT_DOUBLE_EQ(backoff.delay_s(1, 0), 3);
  EXPECT_DOUBLE_EQ(backoff.delay_s(1, 0.5), 4);
  EXPECT_DOUBLE_EQ(backoff.delay_s(1, 1), 5);
  for (int failures = 1; failures < 200; ++failures)
    for (const double random : {0.0, 0.3, 0.999999}) {
      EXPECT_LE(backoff.delay_s(failures, random), 60);
      EXPECT_GE(backoff.delay_s(failures, random), 3);
    }
  EXPECT_LT(backoff.delay_s(50, 0), backoff.delay_s(50, 0.999));
}

}  // namespace
}  // namespace orch::attempt
