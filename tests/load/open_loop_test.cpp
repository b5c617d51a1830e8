// Loads that do not wait for answers, loads that end by the clock, requests that we end: the loop against the ground-truth server.
#include <gtest/gtest.h>

#include "load/load_loop.hpp"
#include "load/triton_answers.hpp"

namespace orch::load {
namespace {

constexpr std::int64_t k_ms = 1'000'000;

struct Ground {
  explicit Ground(truth::Script script, std::int64_t stop_after_ns = 0) : server(std::move(script)) {
    LoadLoop::Options options;
    options.stop_after_ns = stop_after_ns;
    const wire::Url url = *wire::parse_url(server.url());
    protocol = *make_protocol("triton-http", {.url = url, .model = "m", .stream = true, .osl = 4, .forced_osl = true, .inputs = {}});
    options.reading.protocol = protocol.get();
    options.endpoints = {*wire::resolve(url)};
    options.timeout_ns = 20'000 * k_ms;
    loop = std::make_unique<LoadLoop>(std::move(options));
    for (int i = 0; i < 64; ++i) requests.push_back({.bytes = protocol->request({.text_input = std::to_string(i) + ":", .isl = 8}), .isl = 8, .osl = 4});
  }

  LoadLoop::Phase run(wire::SlotId slots, const Sending& sending) {
    EXPECT_TRUE(loop->open(slots).ok());
    Result<LoadLoop::Phase> phase = loop->run(sending);
    EXPECT_TRUE(phase.ok());
    return std::move(*phase);
  }
  std::span<const PreparedRequest> first(std::size_t count) const { return std::span(requests).first(count); }

  truth::Server server;
  std::unique_ptr<Protocol> protocol;
  std::unique_ptr<LoadLoop> loop;
  std::vector<PreparedRequest> requests;
};

TEST(OpenLoop, SendsEveryRequestOfTheScheduleAndNoneBeforeItsTime) {
  Ground ground(truth::always(truth::stream()));
  std::vector<std::int64_t> due;
  for (int i = 0; i < 60; ++i) due.push_back(i * k_ms / 2);
  const auto phase = ground.run(4, {.requests = ground.first(60), .concurrency = 0, .due_ns = due});
  ASSERT_EQ(phase.records.size(), 60u);
  EXPECT_EQ(ground.server.log().size(), 60u);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(phase.records[i].error, "");
    EXPECT_EQ(phase.records[i].due_ns, phase.start_ns + due[i]) << "a schedule is never anchored anew";
    EXPECT_GE(phase.records[i].sent_ns, *phase.records[i].due_ns);
  }
}

TEST(OpenLoop, DoesNotWaitForAnswersAndOpensTheConnectionsThatItNeeds) {
  // Answered at all only when every request is there.
  std::atomic<int> seen = 0;
  Ground ground([&](const truth::Request&) {
    ++seen;
    return std::make_shared<const truth::Answer>(truth::stream({.first_wait_ns = 300 * k_ms}));
  });
  const std::vector<std::int64_t> due(40, 0);
  const auto phase = ground.run(2, {.requests = ground.first(40), .concurrency = 0, .due_ns = due});
  ASSERT_EQ(phase.records.size(), 40u);
  std::int64_t last_sent = 0, first_token = phase.records[0].first_ns();
  for (const auto& record : phase.records) {
    EXPECT_EQ(record.error, "");
    last_sent = std::max(last_sent, record.sent_ns);
    first_token = std::min(first_token, record.first_ns());
  }
  EXPECT_LT(last_sent, first_token);
  EXPECT_GE(ground.server.connections(), 40);
}

TEST(OpenLoop, RequestsThatFindNoRoomWaitAndAreLateFromWhenTheyWereDue) {
  Ground ground(truth::always(truth::stream({.first_wait_ns = 2 * k_ms})));
  const std::vector<std::int64_t> due(10, 0);
  const auto phase = ground.run(1, {.requests = ground.first(10), .concurrency = 1, .due_ns = due});
  ASSERT_EQ(phase.records.size(), 10u) << "nothing is dropped";
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_EQ(phase.records[i].due_ns, phase.start_ns);
    EXPECT_GE(phase.records[i].sent_ns, phase.records[i - 1].last_ns()) << "at most one is under way";
  }
}

TEST(OpenLoop, EndsByTheClockOfItsSchedule) {
  Ground ground(truth::always(truth::stream()));
  const std::vector<std::int64_t> due{0, 5 * k_ms, 9 * k_ms, 10 * k_ms, 11 * k_ms};
  EXPECT_EQ(ground.run(2, {.requests = ground.first(5), .concurrency = 0, .due_ns = due, .duration_ns = 10 * k_ms}).records.size(), 3u);
  EXPECT_EQ(ground.run(2, {.requests = ground.first(5), .concurrency = 0, .due_ns = due, .most = 2, .duration_ns = 10 * k_ms}).records.size(), 2u);
}

TEST(ClosedLoop, EndsByTheClockAndUsesItsRequestsAgain) {
  Ground ground(truth::always(truth::stream()));
  const auto phase = ground.run(2, {.requests = ground.first(3), .concurrency = 2, .duration_ns = 30 * k_ms});
  ASSERT_GT(phase.records.size(), 3u);
  for (std::size_t i = 0; i < phase.records.size(); ++i) {
    EXPECT_EQ(phase.records[i].error, "");
    EXPECT_EQ(phase.records[i].index, static_cast<std::int64_t>(i));
    EXPECT_LT(phase.records[i].due_ns.value_or(0) - phase.start_ns, 30 * k_ms);
  }
  EXPECT_EQ(ground.server.log().size(), phase.records.size());
}

TEST(ClosedLoop, EndsWhenItIsToldThatItIsEnoughAndFinishesWhatIsUnderWay) {
  Ground ground(truth::always(truth::stream()));
  std::size_t told = 0;
  const auto enough = [&](std::span<const measure::RequestRecord* const> news) {
    for (const auto* record : news) EXPECT_TRUE(record->ok() && record->has_events());
    told += news.size();
    return told >= 100;
  };
  const auto phase = ground.run(4, {.requests = ground.first(64), .concurrency = 4, .most = 100'000, .enough = enough});
  EXPECT_GE(phase.records.size(), 100u);
  EXPECT_LT(phase.records.size(), 100'000u);
  for (const auto& record : phase.records) EXPECT_EQ(record.error, "");
  EXPECT_EQ(phase.gave_up, "");
}

TEST(EarlyStop, EndsARequestThatGoesOnAndKeepsWhatCame) {
  truth::Answer endless = truth::stream({.tokens = 3, .whole = false, .after = truth::After::silent});
  Ground ground(truth::always(endless), 400 * k_ms);  // time enough for what is there to come
  const auto phase = ground.run(1, {.requests = ground.first(2), .concurrency = 1});
  ASSERT_EQ(phase.records.size(), 2u);
  for (const auto& record : phase.records) {
    EXPECT_TRUE(record.ok()) << record.error;
    EXPECT_TRUE(record.stopped);
    EXPECT_EQ(record.event_ns.size(), 3u);
    EXPECT_EQ(record.osl_counted, 3);
    EXPECT_GE(record.end_ns - record.sent_ns, 400 * k_ms);
  }
  EXPECT_EQ(ground.server.connections(), 2) << "closing the connection is what tells the server";
}

TEST(EarlyStop, LeavesAnswersThatEndInTimeAlone) {
  Ground ground(truth::except(1, truth::stream({.tokens = 2, .whole = false, .after = truth::After::silent}), truth::stream()), 200 * k_ms);
  const auto phase = ground.run(1, {.requests = ground.first(3), .concurrency = 1});
  EXPECT_FALSE(phase.records[0].stopped);
  EXPECT_TRUE(phase.records[1].stopped);
  EXPECT_FALSE(phase.records[2].stopped);
}

TEST(EarlyStop, ARequestThatHadNotBeenAnsweredYetIsNoFailure) {
  Ground ground(truth::always({.pieces = {}, .after = truth::After::silent}), 2 * k_ms);
  const auto phase = ground.run(1, {.requests = ground.first(1), .concurrency = 1});
  EXPECT_TRUE(phase.records[0].ok()) << phase.records[0].error;
  EXPECT_TRUE(phase.records[0].stopped);
  EXPECT_FALSE(phase.records[0].has_events());
}

TEST(LongAnswers, AreReadWhileTheyComeWithoutLosingAStampOrALetter) {
  constexpr int k_tokens = 3000;
  Ground ground(truth::always(truth::stream({.tokens = k_tokens})));
  const auto phase = ground.run(3, {.requests = ground.first(6), .concurrency = 3});
  const auto log = ground.server.log();
  for (const auto& record : phase.records) {
    ASSERT_EQ(record.event_ns.size(), static_cast<std::size_t>(k_tokens)) << record.error;
    EXPECT_EQ(record.answer, truth::answer_text(k_tokens));
    EXPECT_TRUE(std::is_sorted(record.event_ns.begin(), record.event_ns.end()));
    EXPECT_EQ(record.osl_counted, k_tokens);
  }
}

}  // namespace
}  // namespace orch::load
