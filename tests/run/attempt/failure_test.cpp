// Failure classes, the message of a verdict, and the backoff between retries.
#include "run/attempt/failure.hpp"

#include "run/attempt/failure_rows.hpp"

#include <set>

#include <gtest/gtest.h>

namespace orch::attempt {
namespace failure_test {

TEST(FailureClasses, HaveUniqueNamesAndAMeaning) {
  std::set<std::string_view> names;
  for (const FailureTraits& one : failure_classes()) {
    EXPECT_TRUE(names.insert(one.name()).second) << one.name();
    EXPECT_TRUE(one.meaning.ends_with('.')) << one.name();
    EXPECT_EQ(&traits_of(one.failure), &one);
    EXPECT_EQ(parse_name<FailureClass>(one.name()), one.failure);
  }
  EXPECT_EQ(parse_name<FailureClass>("no_such"), std::nullopt);
  EXPECT_EQ(parse_name<FailureClass>(""), std::nullopt);
}

TEST(FailureClasses, IncludeThoseThatTheSchedulerDecides) {
  for (const char* name :
       {"timeout",        "not_ready",      "died_starting",       "server_crash",
        "output_missing", "cannot_prepare", "cannot_start",        "cannot_watch",
        "cannot_publish", "no_ports",       "invalid_measurement", "tool_mismatch",
        "server_changed", "input_lost",     "no_access",           "file_size_limit",
        "dirty_gpu",      "disk_full",      "killed_externally",   "exit_status",
        "crashed",        "lost",           "interrupted"})
    EXPECT_TRUE(parse_name<FailureClass>(name)) << name;
}

// How programs end when they are told to says nothing about them.
TEST(Classify, AJobThatSlurmStoppedIsNoFailureOfItsProgram) {
  execute::Ended ended{.token = "o1", .code = 130};
  EXPECT_EQ(to_string(classify(ended, "").failure), "exit_status");
  ended.stopped_by_slurm = true;
  ended.node = "n1";
  EXPECT_EQ(to_string(classify(ended, "").failure), "killed_externally");
  EXPECT_EQ(classify(ended, "").message, "Slurm told its job on n1 to stop, and did not say why");
  ended.job_state = "TIMEOUT";
  EXPECT_EQ(to_string(classify(ended, "").failure), "job_time_limit");
}

TEST(FailureClasses, SeparateSystemFailuresFromHarnessFailures) {
  auto kind = [](const char* name) { return traits_of(*parse_name<FailureClass>(name)).kind; };
  for (const char* name :
       {"cuda_oom", "host_oom", "crashed", "exit_status", "bad_argument", "unauthorized",
        "forbidden", "not_found", "timeout", "model_load_failed"})
    EXPECT_EQ(kind(name), FailureKind::system) << name;
  for (const char* name : {"dirty_gpu", "gpu_fault", "node_lost", "rate_limited", "server_error",
                           "dns_failure", "disk_full", "port_in_use", "killed_externally", "lost"})
    EXPECT_EQ(kind(name), FailureKind::harness) << name;
}

TEST(Classify, PicksTheCauseAndNotItsConsequences) {
  const Verdict verdict =
      classify(code(1),
               "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has "
               "a total capacity of 79.10 GiB\n"
               "[rank1]:[W] NCCL WARN Cuda failure 'out of memory'\n"
               "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\n");
  EXPECT_EQ(verdict.failure, FailureClass::cuda_oom);
  EXPECT_EQ(verdict.message,
            "ended with exit status 1: torch.OutOfMemoryError: CUDA out of memory. Tried to "
            "allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB");
}

TEST(Classify, SkipsErrorsThatTheProgramSurvived) {
  EXPECT_EQ(classify(code(1),
                     "Connection reset by peer, trying again (1/5)\nOSError: [Errno 28] No space "
                     "left on device\n")
                .failure,
            FailureClass::disk_full);
  EXPECT_EQ(classify(code(2),
                     "curl: (22) The requested URL returned error: 503\nrun.py: error: "
                     "unrecognized arguments: --tpp 2\n")
                .failure,
            FailureClass::bad_argument);
}

TEST(Classify, QuotesTheLastMatchingLineTruncatedAndPrintable) {
  const Verdict verdict =
      classify(code(1), "a: No space left on device\nb: No space left on device\x1b[0m" +
                            std::string(5000, 'x') + "\n");
  EXPECT_TRUE(verdict.message.starts_with(
      "ended with exit status 1: b: No space left on device\\x1b[0mxxx"))
      << verdict.message;
  EXPECT_LT(verdict.message.size(), 400u);
}

TEST(Classify, ReadsOnlyTheEndOfALog) {
  EXPECT_EQ(
      classify(code(1), "No space left on device\n" + std::string(100 << 10, '\n') + "x").failure,
      FailureClass::exit_status);
}

TEST(Classify, AcceptsLinesOfAnyLengthAndAnyBytes) {
  std::string log(60 << 10, '/');
  log += "dev/shm/";
  EXPECT_EQ(classify(code(1), log).failure, FailureClass::exit_status);
  EXPECT_EQ(classify(code(1), std::string_view("\xff\x00\xfe\n\r\n", 6)).failure,
            FailureClass::exit_status);
  EXPECT_EQ(classify(code(1), "").message, "ended with exit status 1");
}

TEST(FailureClasses, AreVagueWhereTheySayNoCause) {
  for (const char* name :
       {"exit_status", "crashed", "died_starting", "server_crash", "model_load_failed", "assertion",
        "mpi_abort", "timeout", "not_ready", "output_missing"})
    EXPECT_TRUE(traits_of(*parse_name<FailureClass>(name)).vague) << name;
  for (const char* name :
       {"cuda_oom", "host_oom", "bad_argument", "missing_program", "unsupported"})
    EXPECT_FALSE(traits_of(*parse_name<FailureClass>(name)).vague) << name;
}

TEST(MachineFailure, IsEmptyWhereNothingWasWrongWithTheMachine) {
  EXPECT_FALSE(machine_failure(code(1)));
  EXPECT_FALSE(machine_failure(signalled(SIGSEGV)));
  EXPECT_EQ(machine_failure(on_full_disk(code(0)))->message,
            fmt::format("ended with exit status 0: {}", k_disk_was_full));
}

// A failure on record that ended with exit status 1.
RecordedFailure recorded(std::string_view failure_class,
                         std::string_view message = "ended with exit status 1") {
  return {.failure_class = failure_class, .message = message, .judged_by = "", .ended = code(1)};
}

TEST(RecordedFailures, AreOutdatedOnceAnotherTableJudges) {
  RecordedFailure failure = recorded("exit_status");
  EXPECT_TRUE(is_outdated(failure));
  failure.judged_by = "0123456789ab";
  EXPECT_TRUE(is_outdated(failure));
  failure.judged_by = failure_table_digest();
  EXPECT_FALSE(is_outdated(failure));
}

TEST(RecordedFailures, AreJudgedByTheirEndAndTheirLog) {
  const auto judged = [](const RecordedFailure& failure, const char* log) {
    const std::optional<FailureClass> found = harness_class_of(failure, log);
    return found ? to_string(*found) : "";
  };
  EXPECT_EQ(judged(recorded("exit_status"), "cp: write error: No space left on device\n"),
            "disk_full");
  EXPECT_EQ(judged(recorded("exit_status"), "step 3 of 7\n"), "");
  EXPECT_EQ(judged(recorded("exit_status"), "torch.OutOfMemoryError: CUDA out of memory\n"), "");
  RecordedFailure full = recorded("crashed", "was ended by signal 11 (Segmentation fault)");
  full.ended = on_full_disk(signalled(SIGSEGV));
  EXPECT_EQ(judged(full, ""), "disk_full");
  // Older rows name the OOM killer in their message alone.
  RecordedFailure oom = recorded("host_oom",
                                 "was ended by signal 9 (Killed) after the kernel ran out of "
                                 "memory and killed a process");
  oom.ended = signalled(SIGKILL);
  EXPECT_EQ(judged(oom, ""), "");
}

TEST(RecordedFailures, KeepTheDecisionsOfTheScheduler) {
  const char* full = "No space left on device\n";
  EXPECT_EQ(harness_class_of(recorded("timeout", "did not end within 60 s"), full), std::nullopt);
  EXPECT_EQ(harness_class_of(recorded("not_ready", "not ready after 30 s"), full), std::nullopt);
  // A measurement that was ended because its server crashed.
  EXPECT_EQ(harness_class_of(recorded("server_crash",
                                      "was ended by signal 11 (Segmentation fault) while serving"),
                             full),
            std::nullopt);
  EXPECT_EQ(
      harness_class_of(recorded("output_missing", "the output 'a' is missing or empty"), full),
      std::nullopt);
  EXPECT_EQ(
      harness_class_of(
          recorded("output_missing", "cannot open /store/a: Too many open files\nlast line"), ""),
      FailureClass::too_many_files);
}

struct Wait {
  const char* log;
  std::optional<double> expected_s;
};

TEST(Classify, TakesTheDelayThatAServerRequested) {
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
      {"Retry-After: 120\nNo space left on device\n", std::nullopt},  // a message of another kind
  };
  for (const Wait& row : rows)
    EXPECT_EQ(classify(code(1), row.log).retry_after_s, row.expected_s) << row.log;
}

TEST(Backoff, IsExponentialUpToItsBound) {
  const Backoff backoff{.first_s = 1, .factor = 2, .most_s = 60, .jitter = 0};
  EXPECT_EQ(backoff.delay_s(1, 0.5), 1);
  EXPECT_EQ(backoff.delay_s(2, 0.5), 2);
  EXPECT_EQ(backoff.delay_s(5, 0.5), 16);
  EXPECT_EQ(backoff.delay_s(7, 0.5), 60);
  EXPECT_EQ(backoff.delay_s(100000, 0.5), 60);
  EXPECT_EQ(backoff.delay_s(0, 0.5), 1);
}

TEST(Backoff, JitterGoesBothWaysAndNeverExceedsTheBound) {
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

}  // namespace failure_test
}  // namespace orch::attempt
