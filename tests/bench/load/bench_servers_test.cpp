// One load on several servers: how they share it, and how the death of a server is reported.
#include "bench/load/bench_all.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "bench/record/record_json.hpp"
#include "bench/record/record_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::load {
namespace bench_servers_test {

using testing::Contains;
using testing::ElementsAre;
using truth::Server;

BenchOptions options(std::vector<std::string> urls, std::int64_t concurrency,
                     std::int64_t requests) {
  BenchOptions out = one_at_a_time("", requests);
  out.urls = std::move(urls);
  out.loads.front().concurrency = concurrency;
  return out;
}

Result<std::vector<record::Measurement>> bench(const BenchOptions& with) {
  prompt::PromptSet set;
  for (int i = 0; i < std::max<std::int64_t>(100, with.requests); ++i)
    set.measured.push_back({.text_input = "prompt " + std::to_string(i), .isl = 3});
  return bench_all(with, set);
}

record::Measurement measured(const BenchOptions& with) {
  auto result = bench(with);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result->front());
}

// The most requests that SERVER had in flight at a time, by the records.
int max_in_flight(const record::Measurement& measurement, int server) {
  std::vector<std::pair<std::int64_t, int>> changes;
  for (const measure::RequestRecord& record : measurement.records) {
    if (record.server != server) continue;
    changes.emplace_back(record.sent_ns, 1);
    changes.emplace_back(record.end_ns, -1);
  }
  std::sort(changes.begin(), changes.end());
  int in_flight = 0;
  int most = 0;
  for (const auto& [ns, change] : changes) most = std::max(most, in_flight += change);
  return most;
}

TEST(SeveralServers, ShareTheConcurrencyEvenly) {
  const auto slow = truth::always(truth::stream({.first_wait_ns = 1'000'000}));
  Server one(slow), two(slow), three(slow);
  const record::Measurement measurement =
      measured(options({one.url(), two.url(), three.url()}, 7, 70));
  EXPECT_TRUE(measurement.verdict.valid) << testing::PrintToString(measurement.verdict.reasons);
  EXPECT_THAT((std::vector{max_in_flight(measurement, 0), max_in_flight(measurement, 1),
                           max_in_flight(measurement, 2)}),
              ElementsAre(3, 2, 2));
  EXPECT_THAT((std::vector{one.connections(), two.connections(), three.connections()}),
              ElementsAre(3, 2, 2));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Server& server = i == 0 ? one : i == 1 ? two : three;
    EXPECT_EQ(measurement.servers[i].url, server.url());
    EXPECT_EQ(measurement.servers[i].requests, static_cast<std::int64_t>(server.log().size()))
        << "the record and the server count alike";
    sum += measurement.servers[i].requests;
  }
  EXPECT_EQ(sum, 70);
}

TEST(SeveralServers, AreCountedSeparatelyInTheRecord) {
  Server one(truth::always(truth::stream())),
      two(truth::always(truth::body(500, R"({"error":"no"})")));
  const BenchOptions with = options({one.url(), two.url()}, 2, 20);
  const record::Measurement measurement = measured(with);
  const auto record = nlohmann::json::parse(
      record::measurement_json(with, std::span(&measurement, 1)))["measurements"][0];
  const std::int64_t failed = measurement.servers[1].requests;
  EXPECT_EQ(
      record["servers"][0],
      nlohmann::json({{"url", one.url()}, {"requests", 20 - failed}, {"failed", 0}, {"lost", 0}}));
  EXPECT_EQ(
      record["servers"][1],
      nlohmann::json({{"url", two.url()}, {"requests", failed}, {"failed", failed}, {"lost", 0}}));
  std::istringstream lines(record::requests_jsonl(std::span(&measurement, 1)));
  std::int64_t to_two = 0;
  for (std::string line; std::getline(lines, line);)
    to_two += nlohmann::json::parse(line)["server"] == 1;
  EXPECT_EQ(to_two, failed);
  EXPECT_THAT(measurement.verdict.reasons,
              ElementsAre(fmt::format("all {} requests to {} failed", failed, two.url())));
}

TEST(SeveralServers, ALostServerMakesTheMeasurementInvalid) {
  Server one(truth::always(truth::stream({.first_wait_ns = 200'000})));
  std::unique_ptr<Server> two;
  two = std::make_unique<Server>([&two](const truth::Request& request) {
    if (request.number == 4) two->die_after_this();
    return std::make_shared<const truth::Answer>(truth::stream({.first_wait_ns = 200'000}));
  });
  const record::Measurement measurement = measured(options({one.url(), two->url()}, 4, 20'000));
  EXPECT_FALSE(measurement.verdict.valid);
  const record::ServerShare& lost = measurement.servers[1];
  EXPECT_GT(lost.lost, 0);
  EXPECT_THAT(measurement.verdict.reasons,
              Contains(fmt::format("{} was lost: {} of its {} requests broke off", two->url(),
                                   lost.lost, lost.requests)));
  EXPECT_THAT(
      measurement.verdict.reasons,
      Contains(testing::HasSubstr(fmt::format("gave up after 5 requests in a row broke off, the "
                                              "last because cannot connect to 127.0.0.1:{}",
                                              two->port()))))
      << "two slots and three more: answers of the other server do not reset the count";
  EXPECT_EQ(measurement.servers[0].failed, 0);
}

TEST(SeveralServers, TheRunGivesUpOnAServerThatBreaksOffEveryRequest) {
  Server one(truth::always(truth::stream({.first_wait_ns = 200'000})));
  Server two(truth::always(truth::stream(
      {.tokens = 1, .first_wait_ns = 500'000, .whole = false, .after = truth::After::reset})));
  const record::Measurement measurement = measured(options({one.url(), two.url()}, 4, 20'000));
  EXPECT_THAT(measurement.verdict.reasons,
              Contains(testing::HasSubstr("gave up after 5 requests in a row broke off, the last "
                                          "because the connection to 127.0.0.1:")));
  EXPECT_THAT(measurement.verdict.reasons,
              Contains(testing::StartsWith(two.url() + " was lost: ")));
  EXPECT_EQ(measurement.servers[0].failed, 0);
}

TEST(SeveralServers, AnUnreachableServerIsAnErrorWithItsAddress) {
  Server one(truth::always(truth::stream()));
  std::string gone;
  {
    Server two(truth::always(truth::stream()));
    gone = two.url();
  }
  const auto result = bench(options({one.url(), gone}, 2, 10));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message,
            fmt::format("cannot connect to {}: Connection refused; is the server running?",
                        gone.substr(7)));
  EXPECT_TRUE(one.log().empty());
}

TEST(SeveralServers, AServerWithoutRequestsIsAWarning) {
  Server one(truth::always(truth::stream())), two(truth::always(truth::stream()));
  const record::Measurement measurement = measured(options({one.url(), two.url()}, 1, 10));
  EXPECT_TRUE(measurement.verdict.valid);
  EXPECT_THAT(
      measurement.verdict.warnings,
      ElementsAre(two.url() +
                  " received no request: the concurrency is less than the number of servers"));
}

TEST(SeveralServers, CountersOfTheirMetricsPagesAreSummed) {
  // Serves streams, and a page that counts the streams so far.
  const auto with_page = [] {
    return [answered = 0](const truth::Request& request) mutable {
      if (request.method == "POST")
        return ++answered, std::make_shared<const truth::Answer>(truth::stream());
      return std::make_shared<const truth::Answer>(truth::body(
          200,
          fmt::format("# TYPE nv_llm_output_token_len histogram\nnv_llm_output_token_len_sum "
                      "{}\nnv_llm_output_token_len_count {}\n",
                      4 * answered, answered),
          truth::After::close));
    };
  };
  Server one(with_page()), two(with_page());
  BenchOptions with = options({one.url(), two.url()}, 2, 20);
  with.metrics_urls = {one.url() + "/metrics", two.url() + "/metrics"};
  const record::Measurement measurement = measured(with);
  EXPECT_EQ(measurement.server.before->series.at("nv_llm_output_token_len_count").value, 0);
  EXPECT_EQ(measurement.server.after->series.at("nv_llm_output_token_len_count").value, 20);
  EXPECT_THAT(measurement.verdict.warnings, ElementsAre())
      << "the sum over the pages equals the client's count";
}

TEST(SeveralServers, InconsistentOptionsAreRefused) {
  const auto message = [](const BenchOptions& with) { return bench(with).error().message; };
  EXPECT_EQ(message(options({}, 1, 1)), "--url names no server");
  EXPECT_EQ(message(options({"http://a:1", "http://a:1"}, 1, 1)),
            "--url names a server twice; name each once");
  EXPECT_EQ(message(options({"http://127.0.0.1:1/a", "http://127.0.0.1:2/b"}, 1, 1)),
            "the servers http://127.0.0.1:1/a and http://127.0.0.1:2/b have different paths; give "
            "all servers of a load the same path");
  BenchOptions with = options({"http://127.0.0.1:1", "http://127.0.0.1:2"}, 1, 1);
  with.metrics_urls = {"http://127.0.0.1:3/metrics"};
  EXPECT_EQ(message(with), "--metrics-url names 1 page for 2 servers; name one for each, or none");
}

}  // namespace bench_servers_test
}  // namespace orch::load
