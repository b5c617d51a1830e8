// Loads that replay a trace: requests are sent at the timestamps of their prompts.
#include "bench/load/bench_all.hpp"
#include "bench/protocol/triton_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::load {
namespace trace_test {

using testing::ElementsAre;

constexpr std::int64_t k_ms = 1'000'000;
constexpr record::Load k_trace = {.kind = record::Load::Kind::open,
                                  .arrival = record::Arrival::trace};

prompt::PromptSet trace(std::initializer_list<double> times_ms) {
  prompt::PromptSet set;
  for (const double ms : times_ms)
    set.measured.push_back(
        {.text_input = fmt::format("at {}", ms), .isl = 3, .timestamp_s = ms / 1000});
  return set;
}

BenchOptions options(const truth::Server& server, std::vector<record::Load> loads) {
  BenchOptions out = one_at_a_time(server.url(), 0);
  out.loads = std::move(loads);
  return out;
}

std::vector<std::int64_t> due_ms(const record::Measurement& measurement) {
  std::vector<std::int64_t> out;
  for (const measure::RequestRecord& record : measurement.records)
    if (!record.warmup) out.push_back(record.due_ns.value_or(-k_ms) / k_ms);
  return out;
}

std::vector<std::string> prompts_of(const std::vector<truth::Served>& log) {
  std::vector<std::string> out;
  for (const truth::Served& served : log)
    out.push_back(nlohmann::json::parse(served.request.body)["text_input"]);
  return out;
}

TEST(Trace, SendsAtItsTimestampsRelativeToTheFirst) {
  truth::Answer together = truth::stream();
  together.after_requests = 5;  // no answer before the last request has arrived
  truth::Server server(truth::always(together));
  const record::Measurement measurement =
      bench_one(options(server, {k_trace}), trace({7000, 7004, 7004, 7012, 7030}));
  EXPECT_THAT(due_ms(measurement), ElementsAre(0, 4, 4, 12, 30));
  EXPECT_THAT(errors_of(measurement), testing::Each(""));
  for (const measure::RequestRecord& record : measurement.records)
    EXPECT_GE(record.sent_ns, *record.due_ns);
  EXPECT_THAT(prompts_of(server.log()),
              testing::UnorderedElementsAre("at 7000", "at 7004", "at 7004", "at 7012", "at 7030"));
  EXPECT_TRUE(measurement.verdict.valid);
  EXPECT_EQ(measurement.load.text(), "a trace");
}

TEST(Trace, AfterAnotherLoadStartsAtItsOwnFirstPrompt) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with =
      options(server, {{.kind = record::Load::Kind::closed, .concurrency = 1}, k_trace});
  with.requests = 2;
  const auto result = bench_all(with, trace({0, 10, 500, 507}));
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->size(), 2u);
  EXPECT_THAT(due_ms(result->back()), ElementsAre(0, 7));
  EXPECT_THAT(prompts_of(server.log()), ElementsAre("at 0", "at 10", "at 500", "at 507"));
}

TEST(Trace, WithDecreasingOrMissingTimestampsIsRefusedBeforeSending) {
  truth::Server server(truth::always(truth::stream()));
  const auto refused = bench_all(options(server, {k_trace}), trace({0, 20, 10, 30}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().text(),
            "the timestamps of p.jsonl decrease at prompt 3; sort its lines by timestamp");
  prompt::PromptSet without = trace({0, 20, 30});
  without.measured[1].timestamp_s.reset();
  EXPECT_EQ(bench_all(options(server, {k_trace}), without).error().text(),
            "--arrival trace needs a timestamp in every prompt, but prompt 2 of p.jsonl has none");
  EXPECT_TRUE(server.log().empty());
  EXPECT_TRUE(bench_all(one_at_a_time(server.url(), 4), trace({0, 20, 10, 30})).ok())
      << "a closed loop ignores timestamps";
}

TEST(Trace, WarmsUpWithOneRequestAtATime) {
  truth::Server server(truth::always(truth::stream({.first_wait_ns = k_ms})));
  BenchOptions with = options(server, {k_trace});
  with.loads.front().concurrency = 8;
  with.warmup = 3;
  prompt::PromptSet set = trace({0, 1});
  for (int i = 0; i < 3; ++i)
    set.warmup.push_back(
        {.text_input = "w", .isl = 1, .timestamp_s = 1000});  // ignored by the warm-up
  const record::Measurement measurement = bench_one(with, set);
  ASSERT_EQ(measurement.records.size(), 5u);
  const auto log = server.log();
  ASSERT_EQ(log.size(), 5u);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GT(log[i].arrived_ns, log[i - 1].token_ns.back()) << i;
  EXPECT_THAT(due_ms(measurement), ElementsAre(0, 1));
}

}  // namespace trace_test
}  // namespace orch::load
