// The number of tokens in first events, inferred from the totals of all answers.
#include "bench/measure/metrics.hpp"
#include "bench/measure/request_record.hpp"

#include <gtest/gtest.h>

namespace orch::measure {
namespace first_events_test {

// An answer of TOKENS in EVENTS, sent 40 ms apart, the first after 200 ms.
RequestRecord answer(std::int64_t tokens, std::int64_t events,
                     CountedBy counted_by = CountedBy::usage) {
  RequestRecord record;
  for (std::int64_t i = 0; i < events; ++i) record.event_ns.push_back((200 + 40 * i) * 1'000'000);
  record.end_ns = record.event_ns.back();
  record.osl_counted = tokens;
  record.counted_by = counted_by;
  return record;
}

double tpot_ms(const std::vector<RequestRecord>& records) {
  return std::get<Statistics>(
             find_metric("tpot_ms")->compute({.records = records, .server = {}, .client = {}}))
      .mean;
}

constexpr const char* k_more =
    " streamed answers have more tokens than events: itl_ms and tpot_ms assume one token in the "
    "first event, and are too small if it carried more; if every event carries N tokens, give "
    "--tokens-per-event N";

TEST(FirstEvents, CarryAsManyTokensAsEveryOtherEvent) {
  for (const CountedBy by : {CountedBy::usage, CountedBy::forced}) {
    std::vector<RequestRecord> records = {answer(16, 8, by), answer(8, 4, by)};
    EXPECT_EQ(
        settle_first_events(records, by == CountedBy::usage ? 1 : 0),
        "all answers have 2 tokens per event: the same number is assumed for their first events");
    EXPECT_EQ(records[0].first_event_tokens, 2);
    EXPECT_EQ(records[1].first_event_tokens, 2);
    EXPECT_DOUBLE_EQ(tpot_ms(records), 20)
        << "40 ms of one token more than the events have would be 18.67";
  }
}

TEST(FirstEvents, CarryOneTokenWhenTheAnswersDisagree) {
  // One token, then two an event, the last of them short or not.
  for (const RequestRecord& other : {answer(15, 8), answer(14, 8), answer(24, 8), answer(8, 8),
                                     answer(16, 8, CountedBy::events)}) {
    for (const bool first : {true, false}) {
      std::vector<RequestRecord> records = {answer(16, 8), answer(16, 8)};
      records.insert(first ? records.begin() : records.end(), other);
      const auto warning = settle_first_events(records, 1);
      const bool more = other.counted_by == CountedBy::usage && *other.osl_counted > 9;
      EXPECT_EQ(warning, (more ? "3 of 3" : "2 of 3") + std::string(k_more)) << *other.osl_counted;
      for (const RequestRecord& record : records) EXPECT_EQ(record.first_event_tokens, 1);
    }
  }
}

TEST(FirstEvents, AreUnknownWhenAllAnswersHaveOneLength) {
  // 64 tokens as 1, 10, 10, 10, 10, 10, 10, 3.
  std::vector<RequestRecord> records = {answer(64, 8), answer(64, 8), answer(64, 8)};
  EXPECT_EQ(settle_first_events(records, 1), "3 of 3" + std::string(k_more));
  for (const RequestRecord& record : records) EXPECT_EQ(record.first_event_tokens, 1);
}

TEST(FirstEvents, GiveNoWarningWhenEachEventCarriesOneToken) {
  std::vector<RequestRecord> records = {answer(8, 8), answer(9, 8), answer(7, 8)};
  EXPECT_EQ(settle_first_events(records, 1), std::nullopt)
      << "the end token came without an event; an event came without a token";
  EXPECT_EQ(settle_first_events(std::span<RequestRecord>(), 1), std::nullopt);
}

TEST(FirstEvents, KeepTheCountOfTheServerOrTheUser) {
  std::vector<RequestRecord> reported = {answer(16, 8)};
  reported[0].first_event_told = true;
  EXPECT_EQ(settle_first_events(reported, 1), std::nullopt);
  std::vector<RequestRecord> ids = {answer(16, 8, CountedBy::ids)};
  EXPECT_EQ(settle_first_events(ids, 1), std::nullopt);
  std::vector<RequestRecord> configured = {answer(16, 8)};
  EXPECT_EQ(settle_first_events(configured, 4), std::nullopt);
  for (const auto& records : {reported, ids, configured})
    EXPECT_EQ(records[0].first_event_tokens, 1);
}

TEST(FirstEvents, AreInferredOnlyFromSuccessfulStreamsOfOneSequence) {
  std::vector<RequestRecord> records = {answer(16, 8), answer(5, 1), answer(16, 1), answer(16, 4),
                                        answer(12, 6)};
  records[1].error = "broken";
  records[2].streamed = false;
  records[3].sequences = 2;
  EXPECT_EQ(
      settle_first_events(records, 1),
      "all answers have 2 tokens per event: the same number is assumed for their first events");
  for (const std::size_t i : {0, 4}) EXPECT_EQ(records[i].first_event_tokens, 2) << i;
  for (const std::size_t i : {1, 2, 3}) EXPECT_EQ(records[i].first_event_tokens, 1) << i;
}

}  // namespace first_events_test
}  // namespace orch::measure
