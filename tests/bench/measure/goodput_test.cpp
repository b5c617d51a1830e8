// Which requests are good, which terms are ignored, and the messages for invalid expressions.
#include "bench/measure/goodput.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::measure {
namespace goodput_test {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t k_ms = 1'000'000;

// Sent at SENT_MS; tokens came one by one.
RequestRecord request(std::int64_t sent_ms, std::vector<std::int64_t> event_ms) {
  RequestRecord record;
  record.sent_ns = sent_ms * k_ms;
  for (const std::int64_t ms : event_ms) record.event_ns.push_back(ms * k_ms);
  record.end_ns = record.event_ns.back();
  record.osl_counted = static_cast<std::int64_t>(event_ms.size());
  return record;
}

RequestRecord failed(RequestRecord record) {
  record.error = "broken";
  return record;
}

// First tokens after 100, 400 and 100 ms, times between tokens of 50, 20 and 20 ms; half a second
// in all.
const std::vector<RequestRecord> k_three = {request(0, {100, 150}), request(0, {400, 420}),
                                            request(380, {480, 500})};

Goodput goodput_of(std::string_view expression, const std::vector<RequestRecord>& records,
                   bool open_loop = false) {
  const Window window{.records = records, .server = {}, .client = {}, .open_loop = open_loop};
  auto result = goodput(expression, window);
  if (!result.ok()) throw std::runtime_error(result.error().text());
  return *result;
}

TEST(Goodput, CountsTheRequestsThatMetEveryTermOverTheWindow) {
  EXPECT_EQ(goodput_of("ttft_ms < 200", k_three).good, 2);
  const Goodput both = goodput_of("ttft_ms < 200 AND itl_ms < 30", k_three);
  EXPECT_EQ(both.good, 1);
  EXPECT_EQ(both.of, 3);
  EXPECT_DOUBLE_EQ(both.requests_per_s.value(), 2);
  EXPECT_THAT(both.left_out, IsEmpty());
}

TEST(Goodput, IsAMetricWhenAnExpressionIsGiven) {
  Window window{.records = k_three, .server = {}, .client = {}};
  EXPECT_TRUE(std::holds_alternative<std::monostate>(find_metric("goodput_rps")->compute(window)));
  window.goodput_rps = 2;
  EXPECT_EQ(std::get<double>(find_metric("goodput_rps")->compute(window)), 2);
}

TEST(Goodput, IgnoresATermThatIsUndefinedForARequest) {
  const std::vector<RequestRecord> records = {request(0, {100}), request(0, {300}),
                                              request(0, {100, 500})};
  const Goodput some = goodput_of("ttft_ms < 200 AND itl_ms < 50", records);
  EXPECT_EQ(some.good, 1) << "the first one by its first token, the third was too slow";
  EXPECT_THAT(
      some.left_out,
      ElementsAre(
          "goodput: 'itl_ms < 50' was left out for 2 of 3 requests, which have no value for it"));
}

TEST(Goodput, DoesNotCountARequestWithoutAnyDefinedTerm) {
  const Goodput none = goodput_of("itl_ms < 50", {request(0, {100})});
  EXPECT_EQ(none.good, 0);
  EXPECT_EQ(none.requests_per_s, std::nullopt)
      << "absent rather than 0, which would mean that no request was good";
  EXPECT_EQ(goodput_of("itl_ms < 50", {failed(request(0, {100}))}).requests_per_s, 0);
  EXPECT_EQ(goodput_of("ttft_ms < 1", {request(0, {100})}).requests_per_s, 0);
  EXPECT_THAT(
      none.left_out,
      ElementsAre(
          "goodput: 'itl_ms < 50' was left out for 1 of 1 requests, which have no value for it"));
}

TEST(Goodput, NeverCountsFailedRequests) {
  const Goodput some = goodput_of("request_latency_ms > 0 AND itl_ms < 100",
                                  {request(0, {100, 150}), failed(request(0, {100, 150}))});
  EXPECT_EQ(some.good, 1);
  EXPECT_EQ(some.of, 2);
  EXPECT_THAT(some.left_out, IsEmpty()) << "failed requests are not reported as left out";
}

TEST(Goodput, CountsLatencyFromTheScheduledSendInAnOpenLoop) {
  std::vector<RequestRecord> records = {request(300, {400})};
  records[0].due_ns = 0;
  EXPECT_EQ(goodput_of("ttft_ms < 200", records, false).good, 1);
  EXPECT_EQ(goodput_of("ttft_ms < 200", records, true).good, 0);
  EXPECT_EQ(goodput_of("request_latency_ms < 200", records, true).good, 0);
  EXPECT_EQ(goodput_of("send_lag_ms < 200", records, true).good, 0);
}

TEST(Goodput, KeepsOperandsTogetherThatBelongToOneTerm) {
  const std::vector<RequestRecord> one = {request(0, {100})};
  const auto left_out = [&](std::string_view expression) {
    return goodput_of(expression, one).left_out;
  };
  EXPECT_THAT(left_out("itl_ms BETWEEN 1 AND 2 AND ttft_ms > 0"),
              ElementsAre("goodput: 'itl_ms BETWEEN 1 AND 2' was left out for 1 of 1 requests, "
                          "which have no value for it"));
  EXPECT_THAT(left_out("(itl_ms > 1 AND itl_ms < 2) and ttft_ms > 0"),
              ElementsAre("goodput: '(itl_ms > 1 AND itl_ms < 2)' was left out for 1 of 1 "
                          "requests, which have no value for it"));
  EXPECT_THAT(left_out("CASE WHEN ttft_ms > 0 AND itl_ms > 0 THEN 1 ELSE 0 END AND ttft_ms > 0"),
              IsEmpty());
  EXPECT_THAT(left_out("itl_ms > 1 AND itl_ms < 2 OR itl_ms IS NULL"), IsEmpty())
      << "one true operand decides an OR";
  EXPECT_EQ(goodput_of("itl_ms > 1 OR ttft_ms = 100", one).good, 1);
}

TEST(Goodput, AcceptsEveryValueThatIsTrueInSql) {
  EXPECT_EQ(goodput_of("osl_counted", k_three).good, 3);
  EXPECT_EQ(goodput_of("osl_counted - 2", k_three).good, 0);
}

TEST(Goodput, RejectsUnknownNamesAndInvalidExpressions) {
  EXPECT_EQ(check_goodput("ttfd_ms < 5").error().text(),
            "goodput 'ttfd_ms < 5': unknown name 'ttfd_ms'; did you mean 'ttft_ms'?");
  EXPECT_FALSE(check_goodput("requests_per_s > 5").ok()) << "it is not a metric of one request";
  EXPECT_FALSE(check_goodput("ttft_ms <").ok());
  EXPECT_FALSE(check_goodput("").ok());
  EXPECT_TRUE(
      check_goodput("ttft_ms < 500 AND itl_ms < 50 AND request_latency_ms_intended < 9000").ok());
}

TEST(Goodput, IsTheSumOverBatchesOfRequests) {
  std::vector<RequestRecord> records(50'001, request(0, {100, 150}));
  EXPECT_EQ(goodput_of("ttft_ms < 200", records).good, 50'001);
}

}  // namespace goodput_test
}  // namespace orch::measure
