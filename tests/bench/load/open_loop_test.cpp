// Open loops, loads that end after a duration and requests that the client stops early, against the
// ground-truth server.
#include "bench/load/loop_fixture.hpp"
#include "bench/wire/tls_relay.hpp"

#include <gtest/gtest.h>

namespace orch::load {
namespace open_loop_test {

TEST(OpenLoop, SendsEveryScheduledRequestNotBeforeItsTime) {
  TimedLoop fixture(truth::always(truth::stream()));
  std::vector<std::int64_t> due;
  for (int i = 0; i < 60; ++i) due.push_back(i * k_ms / 2);
  const auto phase =
      fixture.run(4, {.requests = fixture.first(60), .concurrency = 0, .due_ns = due});
  ASSERT_EQ(phase.records.size(), 60u);
  EXPECT_EQ(fixture.server.log().size(), 60u);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(phase.records[i].error, "");
    EXPECT_EQ(phase.records[i].due_ns, phase.start_ns + due[i]);
    EXPECT_GE(phase.records[i].sent_ns, *phase.records[i].due_ns);
  }
}

TEST(OpenLoop, OpensConnectionsInsteadOfWaitingForAnswers) {
  truth::Answer together = truth::stream();
  together.after_requests = 40;  // no answer before every request has arrived
  TimedLoop fixture(truth::always(together));
  const std::vector<std::int64_t> due(40, 0);
  const auto phase =
      fixture.run(2, {.requests = fixture.first(40), .concurrency = 0, .due_ns = due});
  ASSERT_EQ(phase.records.size(), 40u);
  std::int64_t last_sent = 0, first_token = phase.records[0].first_ns();
  for (const auto& record : phase.records) {
    EXPECT_EQ(record.error, "");
    last_sent = std::max(last_sent, record.sent_ns);
    first_token = std::min(first_token, record.first_ns());
  }
  EXPECT_LT(last_sent, first_token);
  EXPECT_GE(fixture.server.connections(), 40);
}

// 8 connections carry one answer each, so that 12 of 20 requests need another one. A busy machine
// may open some of them late.
TEST(OpenLoop, ReopensClosedConnectionsBeforeTheNextSend) {
  for (const char* head_line : {"Connection: close\r\n", ""}) {
    TimedLoop fixture(
        truth::always(truth::stream({.head_line = head_line, .after = truth::After::close})));
    std::vector<std::int64_t> due;
    for (int i = 1; i <= 20; ++i) due.push_back(10 * i * k_ms);
    const auto phase =
        fixture.run(8, {.requests = fixture.first(20), .concurrency = 0, .due_ns = due});
    for (const auto& record : phase.records) EXPECT_EQ(record.error, "");
    const auto log = fixture.server.log();
    ASSERT_EQ(log.size(), 20u);
    std::vector<std::size_t> waited;  // requests without an open connection when they were due
    for (std::size_t i = 0; i < 20; ++i)
      if (log[i].connected_ns >= phase.start_ns + due[i]) waited.push_back(i);
    EXPECT_LT(waited.size(), 6u) << head_line;
  }
}

TEST(OpenLoop, RequestsAboveTheConcurrencyWaitAndKeepTheirDueTime) {
  TimedLoop fixture(truth::always(truth::stream({.first_wait_ns = 2 * k_ms})));
  const std::vector<std::int64_t> due(10, 0);
  const auto phase =
      fixture.run(1, {.requests = fixture.first(10), .concurrency = 1, .due_ns = due});
  ASSERT_EQ(phase.records.size(), 10u) << "nothing is dropped";
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_EQ(phase.records[i].due_ns, phase.start_ns);
    EXPECT_GE(phase.records[i].sent_ns, phase.records[i - 1].last_ns())
        << "at most one is in flight";
  }
}

TEST(OpenLoop, SendsNothingDueAfterTheDuration) {
  TimedLoop fixture(truth::always(truth::stream()));
  const std::vector<std::int64_t> due{0, 5 * k_ms, 9 * k_ms, 10 * k_ms, 11 * k_ms};
  EXPECT_EQ(fixture
                .run(2, {.requests = fixture.first(5),
                         .concurrency = 0,
                         .due_ns = due,
                         .duration_ns = 10 * k_ms})
                .records.size(),
            3u);
  EXPECT_EQ(fixture
                .run(2, {.requests = fixture.first(5),
                         .concurrency = 0,
                         .due_ns = due,
                         .max_requests = 2,
                         .duration_ns = 10 * k_ms})
                .records.size(),
            2u);
}

TEST(OpenLoop, AnInterruptionRecordsWhichDueRequestsWereNotSent) {
  std::atomic<bool> stopped = false;
  TimedLoop fixture(
      [&stopped](const truth::Request& request) {
        if (request.number == 2) stopped = true;
        return std::make_shared<const truth::Answer>(
            request.number == 2 ? truth::Answer{.pieces = {}, .after = truth::After::silent}
                                : truth::stream());
      },
      0, &stopped);
  std::vector<std::int64_t> due = {0, 1 * k_ms, 2 * k_ms};
  for (int i = 0; i < 5; ++i) due.push_back((60'000 + i) * k_ms);
  const SendPlan plan{
      .requests = fixture.first(8), .concurrency = 0, .due_ns = due, .duration_ns = 60'003 * k_ms};
  const auto phase = fixture.run(4, plan);
  EXPECT_TRUE(phase.interrupted);
  EXPECT_EQ(phase.unsent_due_ns,
            (std::vector<std::int64_t>{60'000 * k_ms, 60'001 * k_ms, 60'002 * k_ms}))
      << "requests due after the duration do not count as unsent";
  EXPECT_EQ(phase.unsent, 3u);
  EXPECT_EQ(phase.records.size() + phase.cut_off_due_ns.size(), 3u);
  EXPECT_EQ(std::count(phase.cut_off_due_ns.begin(), phase.cut_off_due_ns.end(), due[2]), 1);
}

TEST(ClosedLoop, ReusesItsRequestsUntilTheDurationEnds) {
  TimedLoop fixture(truth::always(truth::stream()));
  const auto phase =
      fixture.run(2, {.requests = fixture.first(3), .concurrency = 2, .duration_ns = 30 * k_ms});
  ASSERT_GT(phase.records.size(), 3u);
  for (std::size_t i = 0; i < phase.records.size(); ++i) {
    EXPECT_EQ(phase.records[i].error, "");
    EXPECT_EQ(phase.records[i].index, static_cast<std::int64_t>(i));
    EXPECT_LT(phase.records[i].due_ns.value_or(0) - phase.start_ns, 30 * k_ms);
  }
  EXPECT_EQ(fixture.server.log().size(), phase.records.size());
}

TEST(ClosedLoop, CompletesRequestsInFlightAfterShouldStop) {
  TimedLoop fixture(truth::always(truth::stream()));
  std::size_t reported = 0;
  const auto should_stop = [&](std::span<const measure::RequestRecord* const> ended) {
    for (const auto* record : ended) EXPECT_TRUE(record->ok() && record->has_events());
    reported += ended.size();
    return reported >= 100;
  };
  const auto phase = fixture.run(4, {.requests = fixture.first(64),
                                     .concurrency = 4,
                                     .max_requests = 100'000,
                                     .should_stop = should_stop});
  EXPECT_GE(phase.records.size(), 100u);
  EXPECT_LT(phase.records.size(), 100'000u);
  for (const auto& record : phase.records) EXPECT_EQ(record.error, "");
  EXPECT_EQ(phase.give_up_reason, "");
}

TEST(ClosedLoop, IsInterruptedOnlyIfRequestsRemain) {
  for (int attempt = 0; attempt < 30; ++attempt) {
    std::atomic<bool> stopped = false;
    TimedLoop fixture(
        [&, answer = std::make_shared<const truth::Answer>(truth::at_once(truth::stream()))](
            const truth::Request& request) {
          // The loop sees it in the turn that ends the last answer, or shortly before.
          if (request.number == 1) stopped = true;
          return answer;
        },
        0, &stopped);
    const auto phase = fixture.run(1, {.requests = fixture.first(2), .concurrency = 1});
    EXPECT_EQ(phase.interrupted, phase.records.size() < 2);
  }
}

TEST(EarlyStop, EndsALongRequestAndKeepsItsTokens) {
  truth::Answer endless =
      truth::stream({.tokens = 3, .whole = false, .after = truth::After::silent});
  // Long enough for all three tokens to arrive.
  TimedLoop fixture(truth::always(endless), 400 * k_ms);
  const auto phase = fixture.run(1, {.requests = fixture.first(2), .concurrency = 1});
  ASSERT_EQ(phase.records.size(), 2u);
  for (const auto& record : phase.records) {
    EXPECT_TRUE(record.ok()) << record.error;
    EXPECT_TRUE(record.stopped);
    EXPECT_EQ(record.event_ns.size(), 3u);
    EXPECT_EQ(record.osl_counted, 3);
    EXPECT_GE(record.end_ns - record.sent_ns, 400 * k_ms);
  }
  EXPECT_EQ(fixture.server.connections(), 2) << "a closed connection tells the server to stop";
}

TEST(EarlyStop, DoesNotAffectAnswersThatEndInTime) {
  TimedLoop fixture(
      truth::except(1, truth::stream({.tokens = 2, .whole = false, .after = truth::After::silent}),
                    truth::stream()),
      200 * k_ms);
  const auto phase = fixture.run(1, {.requests = fixture.first(3), .concurrency = 1});
  EXPECT_FALSE(phase.records[0].stopped);
  EXPECT_TRUE(phase.records[1].stopped);
  EXPECT_FALSE(phase.records[2].stopped);
}

TEST(EarlyStop, ARequestStoppedBeforeItsFirstTokenIsNotAFailure) {
  TimedLoop fixture(truth::always({.pieces = {}, .after = truth::After::silent}), 2 * k_ms);
  const auto phase = fixture.run(1, {.requests = fixture.first(1), .concurrency = 1});
  EXPECT_TRUE(phase.records[0].ok()) << phase.records[0].error;
  EXPECT_TRUE(phase.records[0].stopped);
  EXPECT_FALSE(phase.records[0].has_events());
}

TEST(EarlyStop, ARequestThatWaitsForItsConnectionDoesNotDelayOthers) {
  // One server's handshakes are slow and its connections carry one answer each; the other never
  // answers its second request.
  truth::Server slow(truth::except(
      1, {.pieces = {}, .after = truth::After::silent},
      truth::stream({.head_line = "Connection: close\r\n", .after = truth::After::close})));
  const truth::TlsRelay relay(slow.port(), "", "good", 400);
  TimedLoop fixture(truth::except(0, truth::stream({.first_wait_ns = 20 * k_ms}),
                                  {.pieces = {}, .after = truth::After::silent}));
  const wire::Url far = *wire::parse_url(fmt::format("https://127.0.0.1:{}", relay.port()));
  LoadLoop::Options options;
  options.reading.protocol = fixture.protocol.get();
  options.endpoints = {*wire::resolve(far), *wire::resolve(*wire::parse_url(fixture.server.url()))};
  options.access.ca_file = truth::Authority::shared().file("ca.pem");
  options.deadlines.timeout_ns = 20'000 * k_ms;
  options.deadlines.stop_after_ns = 600 * k_ms;
  LoadLoop loop(std::move(options));
  ASSERT_TRUE(loop.open(2).ok());
  const auto phase = loop.run({.requests = fixture.first(4), .concurrency = 2});
  ASSERT_TRUE(phase.ok());
  ASSERT_EQ(phase->records.size(), 4u);
  const auto& waited = phase->records[2];
  const auto& other = phase->records[3];
  EXPECT_EQ(waited.server, 0);
  EXPECT_EQ(other.server, 1);
  EXPECT_TRUE(waited.stopped && other.stopped);
  EXPECT_GE(waited.end_ns - waited.sent_ns, 600 * k_ms);
  EXPECT_LT(other.end_ns, waited.end_ns)
      << "it was sent while the other request's connection was still being opened";
}

TEST(LongAnswers, KeepEveryStampAndCharacter) {
  constexpr int k_tokens = 3000;
  TimedLoop fixture(truth::always(truth::stream({.tokens = k_tokens})));
  const auto phase = fixture.run(3, {.requests = fixture.first(6), .concurrency = 3});
  const auto log = fixture.server.log();
  for (const auto& record : phase.records) {
    ASSERT_EQ(record.event_ns.size(), static_cast<std::size_t>(k_tokens)) << record.error;
    EXPECT_EQ(record.answer, truth::answer_text(k_tokens));
    EXPECT_TRUE(std::is_sorted(record.event_ns.begin(), record.event_ns.end()));
    EXPECT_EQ(record.osl_counted, k_tokens);
  }
}

}  // namespace open_loop_test
}  // namespace orch::load
