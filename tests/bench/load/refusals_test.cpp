// Kinds of refusals, and when equal refusals end a load.
#include "bench/load/bench_all.hpp"
#include "bench/load/loop_fixture.hpp"
#include "bench/load/loop_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::load {
namespace refusals_test {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

TEST(RefusalKind, TellsPermanentRefusalsFromOverload) {
  for (const int status :
       {200, 302, 400, 401, 403, 404, 405, 422, 501, 505, 1003, 1005, 1012, 1016})
    EXPECT_EQ(refusal_kind(status), RefusalKind::permanent) << status;
  for (const int status : {500, 1002, 1013})
    EXPECT_EQ(refusal_kind(status), RefusalKind::internal) << status;
  for (const int status : {408, 425, 429, 502, 503, 504, 1004, 1008, 1014})
    EXPECT_EQ(refusal_kind(status), RefusalKind::busy) << status;
  for (const int status : {401, 403, 1007, 1016}) EXPECT_TRUE(lacks_permission(status)) << status;
  for (const int status : {7, 16, 200, 404, 1005}) EXPECT_FALSE(lacks_permission(status)) << status;
}

measure::RequestRecord refused(int status) {
  measure::RequestRecord record;
  record.end_ns = 1;
  record.status = status;
  record.error = fmt::format("HTTP {}: no", status);
  record.refused = true;
  return record;
}

measure::RequestRecord succeeded() {
  measure::RequestRecord record;
  record.end_ns = 1;
  record.status = 200;
  return record;
}

std::string reason_for(std::size_t slots, const std::deque<measure::RequestRecord>& records) {
  RefusalWatch watch;
  watch.begin(slots);
  watch.look(records);
  return watch.reason();
}

TEST(RefusalWatch, GivesUpAfterTwentyEqualRefusalsOrOnePerSlot) {
  const std::string reason =
      "gave up after 20 requests in a row were refused alike, the last: HTTP 404: no";
  EXPECT_EQ(reason_for(1, std::deque(20, refused(404))), reason);
  EXPECT_EQ(reason_for(1, std::deque(19, refused(404))), "");
  EXPECT_EQ(reason_for(64, std::deque(63, refused(404))), "");
  EXPECT_THAT(reason_for(64, std::deque(64, refused(404))), HasSubstr("after 64 requests"));
}

TEST(RefusalWatch, ASuccessEndsItForGood) {
  std::deque records(19, refused(404));
  records.push_back(succeeded());
  records.insert(records.end(), 100, refused(404));
  EXPECT_EQ(reason_for(1, records), "");
}

TEST(RefusalWatch, DifferentRefusalsAndOverloadAndLostRequestsCountAnew) {
  std::deque records(19, refused(404));
  for (measure::RequestRecord other : {refused(400), refused(503)}) {
    std::deque mixed = records;
    mixed.push_back(other);
    mixed.insert(mixed.end(), 19, refused(404));
    EXPECT_EQ(reason_for(1, mixed), "") << other.status;
    mixed.push_back(refused(404));
    EXPECT_NE(reason_for(1, mixed), "") << other.status;
  }
  EXPECT_EQ(reason_for(1, std::deque(100, refused(503))), "");
  measure::RequestRecord lost = refused(0);
  lost.refused = false;
  EXPECT_EQ(reason_for(1, std::deque(100, lost)), "") << "timeouts and lost servers";
}

TEST(RefusalWatch, WaitsForARequestThatTheServerStillWorksOn) {
  std::deque records(100, refused(404));
  records.front().end_ns = 0;
  RefusalWatch watch;
  watch.begin(1);
  watch.look(records);
  EXPECT_EQ(watch.reason(), "");
  records.front() = refused(404);
  watch.look(records);
  EXPECT_NE(watch.reason(), "");
}

// --- in a load ---

prompt::PromptSet prompts(int count) {
  prompt::PromptSet set;
  for (int i = 0; i < count; ++i)
    set.measured.push_back({.text_input = "prompt " + std::to_string(i), .isl = 3});
  return set;
}

BenchOptions options(const truth::Server& server, std::int64_t requests) {
  return one_at_a_time(server.url(), requests);
}

TEST(Refusals, ALoadOfEqualRefusalsEndsWithAReason) {
  truth::Server server(truth::always(truth::body(404, R"({"error":"no such model"})")));
  const record::Measurement measurement = bench_one(options(server, 2000), prompts(2000));
  EXPECT_FALSE(measurement.verdict.valid);
  EXPECT_THAT(measurement.verdict.reasons,
              Contains("gave up after 20 requests in a row were refused alike, the last: HTTP 404: "
                       "no such model"));
  EXPECT_LT(server.log().size(), 100u);
  EXPECT_EQ(server.log().size(), measurement.records.size());
}

TEST(Refusals, FailuresInsideAnswersEndALoadAsWell) {
  truth::Server server(
      truth::always(truth::stream({.tokens = 0, .last_event = R"({"error":"no such model"})"})));
  BenchOptions with = options(server, 2000);
  with.loads.front().concurrency = 32;
  const record::Measurement measurement = bench_one(with, prompts(2000));
  EXPECT_THAT(measurement.verdict.reasons,
              Contains("gave up after 32 requests in a row were refused alike, the last: the "
                       "server reported inside its answer: no such model"));
}

TEST(Refusals, AnOpenLoopEndsAsWell) {
  truth::Server server(truth::always(truth::body(404, R"({"error":"no"})")));
  BenchOptions with = options(server, 20'000);
  with.loads = {{.kind = record::Load::Kind::open, .concurrency = 0, .request_rate = 2000}};
  const record::Measurement measurement = bench_one(with, prompts(20'000));
  EXPECT_THAT(measurement.verdict.reasons, Contains(HasSubstr("were refused alike")));
  EXPECT_LT(server.log().size(), 20'000u);
}

TEST(Refusals, AnOverloadedServerEndsNoLoad) {
  truth::Server server(truth::always(truth::body(503, R"({"error":"overloaded"})")));
  const record::Measurement measurement = bench_one(options(server, 300), prompts(300));
  EXPECT_EQ(server.log().size(), 300u);
  EXPECT_THAT(measurement.verdict.reasons, Each(Not(HasSubstr("gave up"))));
}

TEST(Refusals, AfterASuccessRefusalsEndNoLoad) {
  truth::Server server(truth::except(7, truth::stream(), truth::body(400, R"({"error":"long"})")));
  const record::Measurement measurement = bench_one(options(server, 300), prompts(300));
  EXPECT_EQ(server.log().size(), 300u);
  EXPECT_TRUE(measurement.verdict.valid) << testing::PrintToString(measurement.verdict.reasons);
}

// The first request is answered when all others have been refused: it was accepted, and refusals of
// later requests do not overtake it.
TEST(Refusals, ARequestUnderWayKeepsALoadAlive) {
  truth::Answer late = truth::stream();
  late.after_requests = 300;
  truth::Server server(truth::except(0, late, truth::body(400, R"({"error":"long"})")));
  BenchOptions with = options(server, 300);
  with.loads.front().concurrency = 2;
  const record::Measurement measurement = bench_one(with, prompts(300));
  EXPECT_EQ(server.log().size(), 300u);
  EXPECT_THAT(measurement.verdict.reasons, Each(Not(HasSubstr("gave up"))));
}

}  // namespace refusals_test
}  // namespace orch::load
