// Which measurements are valid, and the reasons and warnings of the others.
#include "bench/measure/validity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::measure {
namespace validity_test {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t k_ms = 1'000'000;

RequestRecord good(std::int64_t index, std::int64_t ttft_ms = 10) {
  RequestRecord record;
  record.index = index;
  record.event_ns = {ttft_ms * k_ms, (ttft_ms + 10) * k_ms};
  record.osl_requested = 2;
  record.osl_counted = 2;
  record.status = 200;
  return record;
}

RequestRecord bad(std::int64_t index, std::string error) {
  RequestRecord record = good(index);
  record.event_ns.clear();
  record.error = std::move(error);
  return record;
}

struct Case {
  std::vector<RequestRecord> records = {good(0), good(1)};
  ClientHealth client;
  ServerCounts server;
  bool forced_osl = true;
  bool open_loop = false;
  bool max = false;

  Verdict verdict() const {
    return judge({.records = records, .server = server, .client = client, .open_loop = open_loop},
                 {.requests = 2, .forced_osl = forced_osl, .max = max});
  }
};

TEST(Validity, AWindowWithoutFaultIsValid) {
  const Verdict verdict = Case().verdict();
  EXPECT_TRUE(verdict.valid);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_THAT(verdict.warnings, IsEmpty());
}

TEST(Validity, FailedRequestsAreAWarningThatNamesTheFirst) {
  Case c{.records = {good(0), bad(1, "a"), bad(2, "b"), good(3)}, .client = {}, .server = {}};
  EXPECT_TRUE(c.verdict().valid);
  EXPECT_THAT(c.verdict().reasons, IsEmpty());
  EXPECT_THAT(c.verdict().warnings, ElementsAre("2 of 4 requests failed, the first: a"));
}

TEST(Validity, ResentRequestsAreAWarning) {
  Case c;
  c.client.resent = 2;
  EXPECT_TRUE(c.verdict().valid);
  EXPECT_THAT(
      c.verdict().warnings,
      ElementsAre("2 requests were sent a second time: the server had closed their "
                  "connections, or refused them unread, before the first byte of an answer; "
                  "their times count from the first send"));
}

TEST(Validity, AWindowWithoutOneSuccessIsNotValid) {
  Case c{.records = {bad(0, "a"), bad(1, "b")}, .client = {}, .server = {}};
  EXPECT_FALSE(c.verdict().valid);
  EXPECT_THAT(c.verdict().reasons, ElementsAre("no request succeeded"));
  EXPECT_THAT(c.verdict().warnings, ElementsAre("2 of 2 requests failed, the first: a"));
}

TEST(Validity, ALostServerIsAReason) {
  Case c{.records = {good(0), bad(1, "refused"), bad(2, "busy")}, .client = {}, .server = {}};
  c.records[1].lost_server = true;
  EXPECT_FALSE(c.verdict().valid);
  EXPECT_THAT(c.verdict().reasons,
              ElementsAre("1 of 3 requests lost the server, the first: refused"));
  EXPECT_THAT(c.verdict().warnings, ElementsAre("1 of 3 requests failed, the first: busy"));
}

TEST(Validity, AFailureOfTheClientIsAReasonButNotALostServer) {
  Case c{.records = {good(0), bad(1, "no port"), bad(2, "busy")}, .client = {}, .server = {}};
  c.records[1].client_failed = true;
  EXPECT_FALSE(c.verdict().valid);
  EXPECT_THAT(c.verdict().reasons,
              ElementsAre("1 of 3 requests failed on the client's side, the first: no port"));
  EXPECT_THAT(c.verdict().warnings, ElementsAre("1 of 3 requests failed, the first: busy"));
}

TEST(Validity, RequestsThatWereNotSentAreAReason) {
  Case c{.records = {good(0)}, .client = {}, .server = {}};
  EXPECT_THAT(c.verdict().reasons, ElementsAre("1 of 2 requests were not sent"));
}

TEST(Validity, AWindowWithoutLengthIsUnusable) {
  Case c{.records = {good(0), good(1)}, .client = {}, .server = {}};
  for (RequestRecord& record : c.records) record.event_ns = {0};
  EXPECT_THAT(c.verdict().reasons,
              testing::Contains("the window has no length: first send and last response coincide"));
}

TEST(Validity, WakeUpLagIsLimitedToOneMillisecondIfTheFirstTokenIsFast) {
  Case c;
  for (int i = 0; i < 100; ++i) c.client.wake_lag.add(900'000);
  EXPECT_TRUE(c.verdict().valid);
  for (int i = 0; i < 10; ++i) c.client.wake_lag.add(2 * k_ms);
  EXPECT_THAT(
      c.verdict().reasons,
      ElementsAre(
          "the client's wake-up lag is too large: p99 2.00 ms, limit 1.00 ms; give it a core of "
          "its own or let it take real-time priority (CAP_SYS_NICE)"));
}

TEST(Validity, WakeUpLagIsLimitedToAShareOfASlowFirstToken) {
  Case c{.records = {good(0, 100), good(1, 100)}, .client = {}, .server = {}};
  for (int i = 0; i < 100; ++i) c.client.wake_lag.add(4 * k_ms);
  EXPECT_TRUE(c.verdict().valid) << "5 % of 100 ms are 5 ms";
  for (int i = 0; i < 10; ++i) c.client.wake_lag.add(6 * k_ms);
  EXPECT_THAT(
      c.verdict().reasons,
      ElementsAre(
          "the client's wake-up lag is too large: p99 6.00 ms, limit 5.00 ms; give it a core of "
          "its own or let it take real-time priority (CAP_SYS_NICE)"));
}

TEST(Validity, ASaturatedClientIsAReason) {
  Case c;
  c.client.cpu_share = 0.85;
  EXPECT_TRUE(c.verdict().valid);
  c.client.cpu_share = 0.86;
  EXPECT_THAT(
      c.verdict().reasons,
      ElementsAre("the client was the bottleneck: its thread used 86 % of a core, limit 85 %"));
}

TEST(Validity, ASaturatedClientIsAWarningUnderMax) {
  Case c;
  c.max = true;
  c.client.cpu_share = 0.97;
  for (int i = 0; i < 100; ++i) c.client.wake_lag.add(50 * k_ms);
  EXPECT_TRUE(c.verdict().valid);
  EXPECT_THAT(c.verdict().warnings,
              ElementsAre("client_bound: the client was the bottleneck, and the server may be "
                          "faster than this: its thread used 97 % of a core, limit 85 %"));
}

TEST(Validity, AClientWithoutACoreOfItsOwnIsAWarningUnderMax) {
  Case c;
  c.max = true;
  for (int i = 0; i < 100; ++i) c.client.wake_lag.add(50 * k_ms);
  EXPECT_TRUE(c.verdict().valid);
  EXPECT_THAT(c.verdict().warnings,
              ElementsAre(testing::StartsWith("the client's wake-up lag is too large: p99 50")));
}

// Answers in one body have no TTFT to compare with.
TEST(Validity, TheWakeUpLagOfAnswersInOneBodyIsComparedWithTheirLatency) {
  Case c;
  for (RequestRecord& record : c.records) {
    record.streamed = false;
    record.event_ns = {200 * k_ms};
    record.osl_counted = record.osl_requested;
  }
  for (int i = 0; i < 100; ++i) c.client.wake_lag.add(4 * k_ms);
  EXPECT_THAT(c.verdict().reasons, IsEmpty());
  for (int i = 0; i < 100; ++i) c.client.wake_lag.add(40 * k_ms);
  EXPECT_THAT(c.verdict().reasons, ElementsAre(testing::HasSubstr("limit 10.00 ms")));
}

TEST(Validity, RequestsThatWereStoppedBeforeATokenAreAWarning) {
  Case c{.records = {good(0), good(1), good(2)}, .client = {}, .server = {}};
  const auto stop = [&](std::size_t index) {
    c.records[index].stopped = true;
    c.records[index].event_ns.clear();
    c.records[index].osl_counted.reset();
  };
  stop(1);
  EXPECT_THAT(c.verdict().warnings,
              ElementsAre("1 of 3 requests were stopped before their first token: latencies "
                          "exclude them and look better than they are; stop requests later"));
  EXPECT_TRUE(c.verdict().valid);
  stop(0), stop(2);
  EXPECT_THAT(c.verdict().reasons, testing::Contains(testing::StartsWith(
                                       "3 of 3 requests were stopped before their first token")));
}

TEST(Validity, DifferentPromptTokenCountsAreAWarning) {
  const auto warnings = [](std::int64_t counted, std::int64_t reported) {
    Case c;
    for (RequestRecord& record : c.records) record.isl = counted, record.isl_reported = reported;
    return c.verdict().warnings;
  };
  EXPECT_THAT(warnings(100, 100), IsEmpty());
  EXPECT_THAT(warnings(100, 140), IsEmpty()) << "a chat template adds tokens";
  EXPECT_THAT(warnings(3000, 2048),
              ElementsAre("the server counts 2048.0 prompt tokens per request, the client 3000.0: "
                          "isl_counted and input_tps use the client's count; give the model's own "
                          "--tokenizer, or leave isl out of the prompts"));
  EXPECT_EQ(warnings(8, 500).size(), 1u);
}

TEST(Validity, PromptTokenCountsAreComparedForTheSameRequests) {
  Case c;
  c.records[0].isl = c.records[0].isl_reported = 10;
  c.records[1].isl = 2006;
  EXPECT_THAT(c.verdict().warnings, IsEmpty())
      << "the server reports no count for the second request";
  c.records[0].isl_reported.reset();
  c.server = {
      .input_tokens = 4032, .input_requests = 3, .output_tokens = {}, .output_requests = {}};
  EXPECT_THAT(c.verdict().warnings, IsEmpty())
      << "the server's counters include requests of other clients";
  c.server.input_requests = 2;
  EXPECT_THAT(c.verdict().warnings,
              ElementsAre(testing::HasSubstr(
                  "the server counts 2016.0 prompt tokens per request, the client 1008.0")));
}

TEST(Validity, CachedPromptTokensAreAWarning) {
  Case c;
  for (RequestRecord& record : c.records)
    record.isl = record.isl_reported = 100, record.isl_cached = 10;
  EXPECT_THAT(c.verdict().warnings, IsEmpty()) << "a cached system prompt is usual";
  c.records[0].isl_cached = 900;
  EXPECT_THAT(c.verdict().warnings,
              ElementsAre("the server had 55 % of the prompt tokens in its cache: ttft_ms and "
                          "input_tps are those of cached prompts"));
}

TEST(Validity, EventsThatComeTogetherAreAWarning) {
  const auto warnings = [](std::vector<std::int64_t> event_ms) {
    Case c;
    for (RequestRecord& record : c.records) {
      record.event_ns.clear();
      for (const std::int64_t ms : event_ms) record.event_ns.push_back(ms * k_ms);
      record.osl_requested = *(record.osl_counted = std::ssize(event_ms));
    }
    return c.verdict().warnings;
  };
  EXPECT_THAT(warnings({400, 400, 400, 400}),
              ElementsAre(testing::HasSubstr("the stream arrived in bursts: 6 of 6 events")));
  EXPECT_THAT(warnings({100, 100, 100, 200, 200, 200}),
              ElementsAre(testing::HasSubstr("the stream arrived in bursts: 8 of 10 events")));
  EXPECT_THAT(warnings({100, 100, 200, 200, 300}), IsEmpty()) << "as many came alone";
  EXPECT_THAT(warnings({400}), IsEmpty());
  EXPECT_THAT(warnings({40, 40, 40, 40}), IsEmpty()) << "too fast to have been held back";
}

TEST(Validity, FewerRequestsThanTheConcurrencyAreAWarning) {
  const Case c;
  const Verdict verdict = judge(
      {.records = c.records, .server = {}, .client = {}, .open_loop = false, .concurrency = 64},
      {.requests = 2, .forced_osl = true});
  EXPECT_THAT(verdict.warnings,
              ElementsAre("64 concurrent requests were requested, but there were only 2"));
}

// Due every GAP_MS, sent LAG_MS later.
Case scheduled(std::int64_t gap_ms, std::int64_t lag_ms) {
  Case c;
  c.open_loop = true;
  for (std::int64_t i = 0; i < 2; ++i) {
    RequestRecord& record = c.records[static_cast<std::size_t>(i)];
    record.due_ns = i * gap_ms * k_ms;
    record.sent_ns = *record.due_ns + lag_ms * k_ms;
    for (std::int64_t& event_ns : record.event_ns) event_ns += record.sent_ns;
  }
  return c;
}

TEST(Validity, ALargeSendLagMakesAnOpenLoopInvalid) {
  EXPECT_TRUE(scheduled(5, 1).verdict().valid);
  EXPECT_THAT(scheduled(5, 2).verdict().reasons,
              ElementsAre("the send lag is too large: p99 2.00 ms, limit 1.00 ms; give the client "
                          "a core of its own, raise the limit of open requests, or check whether "
                          "the server is slow to accept connections"));
}

TEST(Validity, TheSendLagMayBeATenthOfTheMeanGap) {
  EXPECT_TRUE(scheduled(50, 5).verdict().valid);
  EXPECT_THAT(scheduled(50, 6).verdict().reasons,
              ElementsAre("the send lag is too large: p99 6.00 ms, limit 5.00 ms; give the client "
                          "a core of its own, raise the limit of open requests, or check whether "
                          "the server is slow to accept connections"));
}

TEST(Validity, WakeUpLagIsNotJudgedInAnOpenLoop) {
  Case c = scheduled(5, 0);
  for (int i = 0; i < 100; ++i) c.client.wake_lag.add(50 * k_ms);
  EXPECT_TRUE(c.verdict().valid) << "the send lag itself is known";
}

TEST(Validity, LatencyThatNeverReachedSteadyStateIsAWarning) {
  Case c;
  c.records.clear();
  for (std::int64_t i = 0; i < 200; ++i) c.records.push_back(good(i, i < 100 ? 10 : 30));
  EXPECT_TRUE(c.verdict().valid);
  EXPECT_EQ(c.verdict().steady, false);
  EXPECT_THAT(c.verdict().warnings,
              ElementsAre("request_latency_ms settled only after 100 of 200: 20 on average before, "
                          "40 after; send more requests, or warm up longer"));
}

TEST(Validity, SteadyStateIsReportedOnlyIfItCanBeDecided) {
  Case c;
  EXPECT_EQ(c.verdict().steady, std::nullopt);
  for (std::int64_t i = 2; i < 200; ++i) c.records.push_back(good(i, 10 + i % 3));
  EXPECT_EQ(c.verdict().steady, true);
  c.records.resize(99);
  EXPECT_EQ(c.verdict().steady, std::nullopt);
}

TEST(Validity, AStoppedAnswerMayBeShort) {
  Case c;
  c.records[1].osl_counted = 1;
  c.records[1].stopped = true;
  EXPECT_THAT(c.verdict().warnings, IsEmpty());
}

TEST(Validity, ALengthOtherThanForcedIsAWarningAndNotAReason) {
  Case c;
  c.records[1].osl_counted = 1;
  EXPECT_TRUE(c.verdict().valid);
  EXPECT_THAT(
      c.verdict().warnings,
      ElementsAre("1 of 2 answers differ from the requested length: 1 instead of 2 tokens"));
  c.forced_osl = false;
  EXPECT_THAT(c.verdict().warnings, IsEmpty());
  c.records = {good(0), good(1), good(2), good(3)};
  c.records[1].osl_counted = 9;
  c.records[2].osl_requested = 3;
  c.records[2].osl_counted = 7;
  c.records[3].osl_counted = 1;
  EXPECT_THAT(
      c.verdict().warnings,
      ElementsAre("2 of 4 answers are longer than requested: 7 to 9 instead of 2 to 3 tokens"));
  c.forced_osl = true;
  EXPECT_THAT(
      c.verdict().warnings,
      ElementsAre(
          "3 of 4 answers differ from the requested length: 1 to 9 instead of 2 to 3 tokens"));
}

TEST(Validity, ALengthByEventsSaysSoAndHowToCount) {
  Case c;
  for (RequestRecord& record : c.records) record.counted_by = CountedBy::events;
  c.records[1].osl_counted = 1;
  EXPECT_THAT(c.verdict().warnings,
              ElementsAre("1 of 2 answers differ from the requested length: 1 events, each counted "
                          "as a token, instead of 2 tokens; where an event has several, give "
                          "--tokenizer DIR or --tokens-per-event N, or let the server report its "
                          "usage"));
}

TEST(Validity, FewerTokensThanEventsAreAWarning) {
  Case c;
  for (RequestRecord& record : c.records) {
    record.counted_by = CountedBy::usage;
    record.event_ns = {10 * k_ms, 20 * k_ms, 30 * k_ms};
  }
  EXPECT_THAT(c.verdict().warnings, IsEmpty()) << "two tokens and three events";
  c.records[1].osl_requested = 1;
  c.records[1].osl_counted = 1;
  EXPECT_THAT(c.verdict().warnings,
              ElementsAre("1 of 2 answers have more events with text than tokens by the server's "
                          "count, 3 and 1 in all: output_tps and itl_ms follow its count, and may "
                          "be wrong; --tokenizer DIR counts without it"));
}

TEST(Validity, AnInvalidTokenCountIsAWarning) {
  Case c;
  c.records[1].odd_count = "1e308";
  EXPECT_TRUE(c.verdict().valid);
  EXPECT_THAT(
      c.verdict().warnings,
      ElementsAre("1 of 2 answers report an invalid token count, the first: '1e308'; "
                  "their counts are ignored (a count is a whole number from 0 to 1000000000)"));
}

TEST(Validity, AServerThatCountsRequestsOfOthersIsAWarning) {
  Case c;
  c.server.output_requests = 2;
  EXPECT_THAT(c.verdict().warnings, IsEmpty());
  for (RequestRecord& record : c.records) record.sequences = 3;
  EXPECT_THAT(c.verdict().warnings, IsEmpty());
  c.server.output_requests = 6;
  EXPECT_THAT(c.verdict().warnings, IsEmpty()) << "the server counts each answer of a batch";
  c.server.output_requests = 5;
  EXPECT_THAT(c.verdict().warnings,
              ElementsAre("the server's metrics page counts 5 requests in the window, the client "
                          "2; another client used the server, or its page lags"));
}

TEST(Validity, TellsAServerThatAnswersNothing) {
  Case silent;
  silent.records = {bad(0, "no complete answer within 2 s"),
                    bad(1, "no complete answer within 2 s")};
  EXPECT_THAT(silent.verdict().reasons,
              ElementsAre("no request succeeded: " + std::string(k_answers_nothing)));
  Case slow = silent;
  slow.records[0].event_ns = {5 * k_ms};
  EXPECT_THAT(slow.verdict().reasons, ElementsAre("no request succeeded")) << "it answers slowly";
  Case refused;
  refused.records = {bad(0, "HTTP status 500"), bad(1, "HTTP status 500")};
  EXPECT_THAT(refused.verdict().reasons, ElementsAre("no request succeeded"));
}

}  // namespace validity_test
}  // namespace orch::measure
