// The whole load generator against the ground-truth server: requests, answers and stamps compared
// with the server's own log.
#include "bench/load/bench_all.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "bench/record/record_json.hpp"
#include "bench/record/record_texts.hpp"
#include "core/sql/packed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::load {
namespace bench_test {

using measure::RequestRecord;
using testing::ElementsAre;
using testing::HasSubstr;
using truth::After;
using truth::Server;

prompt::PromptSet prompts(int warmup, int measured) {
  prompt::PromptSet set;
  for (int i = 0; i < warmup; ++i)
    set.warmup.push_back({.text_input = "warm " + std::to_string(i), .isl = 3});
  for (int i = 0; i < measured; ++i)
    set.measured.push_back({.text_input = "prompt " + std::to_string(i), .isl = 3});
  return set;
}

BenchOptions options(const std::string& url) { return one_at_a_time(url, 4); }

BenchOptions options(const Server& server) { return options(server.url()); }

Result<std::vector<record::Measurement>> bench(const BenchOptions& with) {
  return bench_all(with, prompts(20, 40));
}

record::Measurement measured(const BenchOptions& with) { return bench_one(with, prompts(20, 40)); }

double value(const record::Measurement& measurement, std::string_view name) {
  for (const measure::Metric& metric : measurement.metrics)
    if (metric.row->name == name)
      return std::holds_alternative<double>(metric.value)
                 ? std::get<double>(metric.value)
                 : std::get<measure::Statistics>(metric.value).mean;
  throw std::runtime_error("no such metric");
}

std::vector<std::string> names(const record::Measurement& measurement) {
  std::vector<std::string> out;
  for (const measure::Metric& metric : measurement.metrics) out.emplace_back(metric.row->name);
  return out;
}

void expect_all_good(const record::Measurement& measurement, int requests) {
  ASSERT_EQ(measurement.records.size(), static_cast<std::size_t>(requests));
  for (const RequestRecord& record : measurement.records) {
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.status, 200);
    EXPECT_EQ(record.osl_counted, 4);
    EXPECT_EQ(record.event_ns.size(), 4u);
    EXPECT_EQ(record.answer, " t0 t1 t2 t3");
  }
}

// --- shapes of an answer ---

class EveryShape : public testing::TestWithParam<std::pair<const char*, truth::Answer>> {};

TEST_P(EveryShape, GivesTheSameTokensAndTheSameText) {
  Server server(truth::always(GetParam().second));
  BenchOptions with = options(server);
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 3}};
  with.requests = 9;
  expect_all_good(measured(with), 9);
}

INSTANTIATE_TEST_SUITE_P(
    Bench, EveryShape,
    testing::Values(
        std::pair{"OneSendPerToken", truth::stream()},
        std::pair{"AllInOneSend", truth::at_once(truth::stream())},
        std::pair{"OneSendPerByte", truth::byte_by_byte(truth::stream())},
        std::pair{"CarriageReturns", truth::stream({.separator = "\r\n\r\n"})},
        std::pair{"CarriageReturnsByteByByte",
                  truth::byte_by_byte(truth::stream({.separator = "\r\n\r\n"}))},
        std::pair{"OnlyCarriageReturns", truth::at_once(truth::stream({.separator = "\r\r"}))},
        std::pair{"ClosedAfterEachAnswer",
                  truth::stream({.head_line = "Connection: close\r\n", .after = After::close})},
        std::pair{"Slow", truth::stream({.first_wait_ns = 2'000'000, .wait_ns = 1'000'000})}),
    [](const auto& shape) { return std::string(shape.param.first); });

TEST(Bench, AnAnswerInOneBodyIsOneEventOfTheForcedLength) {
  Server server(truth::always(truth::body(200, truth::event_json("all of it"))));
  BenchOptions with = options(server);
  with.stream = false;
  const record::Measurement measurement = measured(with);
  for (const RequestRecord& record : measurement.records) {
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.answer, "all of it");
    EXPECT_EQ(record.event_ns.size(), 1u);
    EXPECT_EQ(record.osl_counted, 4);
  }
  EXPECT_EQ(measurement.counting_osl, "forced length");
  EXPECT_THAT(names(measurement), testing::Not(testing::Contains("ttft_ms")))
      << "an answer in one body has no first token of its own";
  EXPECT_THAT(names(measurement), testing::Contains("request_latency_ms"));
}

TEST(Bench, WithUnknownTokensPerEventTheForcedLengthCounts) {
  // Three steps, one of which accepted a draft token.
  Server server(truth::always(truth::stream({.tokens = 3})));
  BenchOptions with = options(server);
  with.tokens_per_event = 0;
  const record::Measurement measurement = measured(with);
  for (const RequestRecord& record : measurement.records) EXPECT_EQ(record.osl_counted, 4);
  EXPECT_EQ(measurement.counting_osl, "forced length");
  EXPECT_THAT(measurement.verdict.warnings, ElementsAre());
  with.eos = true;
  EXPECT_EQ(measured(with).counting_osl, "not counted");
}

TEST(Bench, ABodyThatEndsWithTheConnectionIsComplete) {
  Server server(
      truth::always({.pieces = {{.bytes = "HTTP/1.1 200 OK\r\n\r\n" + truth::event_json("x")}},
                     .after = After::close}));
  BenchOptions with = options(server);
  with.stream = false;
  EXPECT_THAT(errors_of(measured(with)), ElementsAre("", "", "", ""));
}

// --- stamps ---

TEST(Bench, NoTokenIsStampedBeforeTheServerSentIt) {
  Server server(truth::always(truth::stream({.wait_ns = 300'000})));
  BenchOptions with = options(server);
  with.requests = 8;
  const record::Measurement measurement = measured(with);
  const auto log = server.log();
  ASSERT_EQ(log.size(), 8u);
  // At concurrency 1 the server receives requests in the client's order. The clocks have different
  // zeros, so only differences within one request are compared.
  for (std::size_t i = 0; i < 8; ++i) {
    const RequestRecord& ours = measurement.records[i];
    const truth::Served& truth = log[i];
    const std::int64_t arrived_after_send_ns = truth.token_ns[0] - truth.arrived_ns;
    EXPECT_GE(ours.first_ns() - ours.sent_ns, arrived_after_send_ns)
        << "the send precedes the arrival, and the read follows the server's send";
    EXPECT_GE(ours.last_ns() - ours.sent_ns, truth.token_ns.back() - truth.arrived_ns);
    EXPECT_TRUE(std::is_sorted(ours.event_ns.begin(), ours.event_ns.end()));
    EXPECT_LE(*ours.due_ns, ours.sent_ns);
    EXPECT_LE(ours.last_ns(), ours.end_ns);
    if (i > 0) {
      EXPECT_EQ(*ours.due_ns, measurement.records[i - 1].end_ns)
          << "a slot's next request is due when its previous answer ends";
    }
  }
}

TEST(Bench, TheWindowContainsTheServersWindow) {
  Server server(truth::always(truth::stream({.first_wait_ns = 1'000'000, .wait_ns = 1'000'000})));
  BenchOptions with = options(server);
  with.requests = 8;
  const record::Measurement measurement = measured(with);
  const auto log = server.log();
  const double truth_s =
      static_cast<double>(log.back().token_ns.back() - log.front().arrived_ns) / 1e9;
  // The client's window contains the server's. It is longer by at most the extra time that the
  // first and the last request took for the client.
  const auto slack_s = [](std::int64_t ours_ns, std::int64_t servers_ns) {
    return static_cast<double>(ours_ns - servers_ns) / 1e9;
  };
  const RequestRecord& first = measurement.records.front();
  const RequestRecord& last = measurement.records.back();
  const double slack =
      slack_s(first.first_ns() - first.sent_ns,
              log.front().token_ns.front() - log.front().arrived_ns) +
      slack_s(last.last_ns() - last.sent_ns, log.back().token_ns.back() - log.back().arrived_ns);
  EXPECT_LE(value(measurement, "output_tps"), 32 / truth_s);
  EXPECT_GE(value(measurement, "output_tps"), 32 / (truth_s + slack));
  EXPECT_DOUBLE_EQ(value(measurement, "output_tps"), 32 / measurement.duration_s);
  EXPECT_DOUBLE_EQ(value(measurement, "input_tps"), 24 / measurement.duration_s);
  EXPECT_DOUBLE_EQ(value(measurement, "requests_per_s"), 8 / measurement.duration_s);
}

TEST(Bench, EventsOfOneReadShareAStampAndCountAsCoalesced) {
  Server server(truth::always(truth::at_once(truth::stream())));
  const record::Measurement measurement = measured(options(server));
  for (const RequestRecord& record : measurement.records) {
    EXPECT_EQ(record.coalesced, 3) << "the first event of a read is not coalesced";
    EXPECT_EQ(record.first_ns(), record.last_ns());
  }
  EXPECT_EQ(measurement.client.events, 16);
  EXPECT_EQ(measurement.client.coalesced, 12);
}

// --- order of requests ---

std::vector<std::string> texts_seen(const Server& server) {
  std::vector<std::string> out;
  for (const truth::Served& served : server.log())
    out.push_back(nlohmann::json::parse(served.request.body)["text_input"]);
  return out;
}

TEST(Bench, WarmUpPrecedesTheWindowWithItsOwnPrompts) {
  Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.warmup = 2;
  with.requests = 3;
  const record::Measurement measurement = measured(with);
  EXPECT_THAT(texts_seen(server),
              ElementsAre("warm 0", "warm 1", "prompt 0", "prompt 1", "prompt 2"));
  ASSERT_EQ(measurement.records.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(measurement.records[i].warmup, i < 2);
    EXPECT_EQ(measurement.records[i].sent_ns < 0, i < 2)
        << "times count from the start of the window";
  }
  EXPECT_DOUBLE_EQ(value(measurement, "requests_per_s"), 3 / measurement.duration_s);
}

TEST(Bench, TheWindowStartsAfterTheLastWarmUpAnswer) {
  Server server(truth::always(truth::stream({.wait_ns = 500'000})));
  BenchOptions with = options(server);
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 4}};
  with.warmup = 6;
  with.requests = 6;
  const record::Measurement measurement = measured(with);
  for (int i = 0; i < 6; ++i) EXPECT_LT(measurement.records[i].end_ns, 0);
}

TEST(Bench, EverySlotKeepsOneConnection) {
  Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 5}};
  with.warmup = 10;
  with.requests = 40;
  const record::Measurement measurement = measured(with);
  EXPECT_EQ(server.connections(), 5);
  EXPECT_EQ(measurement.client.connections_opened, 5);
}

TEST(Bench, TheConcurrencyIsReachedAndNeverExceeded) {
  Server server(truth::always(truth::stream({.first_wait_ns = 1'000'000})));
  BenchOptions with = options(server);
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 4}};
  with.requests = 24;
  const record::Measurement measurement = measured(with);
  std::vector<std::pair<std::int64_t, int>> changes;
  for (const RequestRecord& record : measurement.records) {
    changes.emplace_back(record.sent_ns, 1);
    changes.emplace_back(record.end_ns, -1);
  }
  std::sort(changes.begin(), changes.end());
  int in_flight = 0;
  int most = 0;
  for (const auto& [ns, change] : changes) most = std::max(most, in_flight += change);
  EXPECT_EQ(most, 4);
}

TEST(Bench, LoadsRunInOrderWithFreshPrompts) {
  Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 1},
                {.kind = record::Load::Kind::closed, .concurrency = 2}};
  with.warmup = 1;
  with.requests = 2;
  const auto result = bench(with);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->size(), 2u);
  EXPECT_EQ((*result)[1].load.concurrency, 2);
  const auto seen = texts_seen(server);
  EXPECT_THAT(std::vector(seen.begin(), seen.begin() + 4),
              ElementsAre("warm 0", "prompt 0", "prompt 1", "warm 1"));
  EXPECT_THAT(std::vector(seen.begin() + 4, seen.end()),
              testing::UnorderedElementsAre("prompt 2", "prompt 3"));
}

TEST(Bench, TooFewPromptsAreRefusedBeforeAnythingIsSent) {
  Server server(truth::always(truth::stream()));
  BenchOptions with = options(server);
  with.requests = 41;
  EXPECT_EQ(bench(with).error().message,
            "the loads need 41 measured prompts, but p.jsonl has 40 in block 0; prompts are not "
            "reused in a session, so make more or send fewer requests, or give --reuse-prompts");
  with.requests = 30;
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 1},
                {.kind = record::Load::Kind::closed, .concurrency = 2}};
  EXPECT_EQ(bench(with).error().message,
            "the loads need 60 measured prompts (2 loads of 30), but p.jsonl has 40 in block 0; "
            "prompts are not reused in a session, so make more or send fewer requests, or give "
            "--reuse-prompts");
  EXPECT_EQ(server.connections(), 0);
}

// --- failures ---

TEST(Bench, AnErrorInsideAStreamFailsOnlyItsRequest) {
  Server server(
      truth::except(1, truth::stream({.tokens = 2, .last_event = R"({"error":"cache is full"})"}),
                    truth::stream()));
  const record::Measurement measurement = measured(options(server));
  EXPECT_THAT(errors_of(measurement),
              ElementsAre("", "the server reported inside its answer: cache is full", "", ""));
  EXPECT_EQ(measurement.records[1].answer, " t0 t1") << "the text before the error is kept";
  EXPECT_THAT(measurement.verdict.warnings,
              testing::Contains("1 of 4 requests failed, the first: the server reported inside its "
                                "answer: cache is full"));
  EXPECT_DOUBLE_EQ(value(measurement, "error_rate"), 0.25);
  EXPECT_EQ(server.connections(), 1) << "the connection is reused";
}

TEST(Bench, ATruncatedStreamFailsAndItsConnectionIsReopened) {
  Server server(
      truth::except(1, truth::stream({.whole = false, .after = After::close}), truth::stream()));
  const record::Measurement measurement = measured(options(server));
  EXPECT_THAT(
      errors_of(measurement),
      ElementsAre(
          "", "the answer's body was cut short: the server closed the connection before its end",
          "", ""));
  EXPECT_TRUE(measurement.records[1].lost_server);
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(measurement.client.connections_opened, 2);
}

TEST(Bench, AResetConnectionFailsOnlyItsRequest) {
  // Resets the request's first connection and that of its second send.
  Server server([](const truth::Request& request) {
    const bool reset = request.number == 1 || request.number == 2;
    return std::make_shared<const truth::Answer>(
        reset ? truth::Answer{.pieces = {}, .after = After::reset} : truth::stream());
  });
  const record::Measurement measurement = measured(options(server));
  EXPECT_THAT(errors_of(measurement),
              ElementsAre("", HasSubstr("Connection reset by peer"), "", ""));
  EXPECT_TRUE(measurement.records[1].lost_server);
  EXPECT_THAT(measurement.verdict.reasons,
              testing::Contains(HasSubstr(
                  "1 of 4 requests lost the server, the first: the connection to 127.0.0.1:")));
}

TEST(Bench, AStreamThatEndsInsideAnEventFails) {
  truth::Answer unfinished = truth::stream();
  unfinished.pieces.insert(unfinished.pieces.end() - 1,
                           {.bytes = truth::chunk("data: {\"text_output\":\"lost\"}\n")});
  Server server(truth::except(0, unfinished, truth::stream()));
  EXPECT_THAT(errors_of(measured(options(server))),
              ElementsAre("the stream ended inside an event", "", "", ""));
}

// Without a limit, a server that sends an endless line would fill the client's memory.
TEST(Bench, AnAnswerWithAnOversizedEventFails) {
  truth::Answer huge = truth::stream();
  huge.pieces.insert(huge.pieces.begin() + 1,
                     {.bytes = truth::chunk("data: " + std::string(std::size_t{65} << 20, 'x'))});
  Server server(truth::except(0, huge, truth::stream()));
  EXPECT_THAT(errors_of(measured(options(server))),
              ElementsAre("the answer has an event or body larger than 64 MiB", "", "", ""));
}

TEST(Bench, ARefusalCarriesItsStatusAndMessage) {
  Server server(truth::except(2, truth::body(503, R"({"error":"no slot left"})"), truth::stream()));
  const record::Measurement measurement = measured(options(server));
  EXPECT_THAT(errors_of(measurement), ElementsAre("", "", "HTTP 503: no slot left", ""));
  EXPECT_EQ(measurement.records[2].status, 503);
  EXPECT_FALSE(measurement.records[2].lost_server);
  EXPECT_THAT(measurement.verdict.warnings,
              ElementsAre("1 of 4 requests failed, the first: HTTP 503: no slot left"));
  EXPECT_FALSE(measurement.records[2].has_events());
}

TEST(Bench, ARefusalWithoutJsonCarriesItsBody) {
  Server server(truth::except(2, truth::body(400, "what?"), truth::stream()));
  EXPECT_THAT(errors_of(measured(options(server))), ElementsAre("", "", "HTTP 400: what?", ""));
}

TEST(Bench, AnAnswerWithoutTokensIsAFailure) {
  Server server(truth::except(0, truth::stream({.tokens = 0}), truth::stream()));
  EXPECT_THAT(errors_of(measured(options(server))),
              ElementsAre("the answer ended without a single token", "", "", ""));
}

TEST(Bench, AnAnswerThatNeverEndsTimesOut) {
  Server server(truth::except(
      0, truth::stream({.tokens = 2, .whole = false, .after = After::silent}), truth::stream()));
  BenchOptions with = options(server);
  with.timeout_s = 0.25;
  const record::Measurement measurement = measured(with);
  EXPECT_THAT(errors_of(measurement), ElementsAre("no complete answer within 0.25 s", "", "", ""));
  EXPECT_FALSE(measurement.records[0].lost_server) << "a server that is too slow is not lost";
  EXPECT_THAT(measurement.verdict.warnings,
              ElementsAre("1 of 4 requests failed, the first: no complete answer within 0.25 s"));
  EXPECT_EQ(server.connections(), 2) << "a connection with an unfinished answer is not reused";
}

TEST(Bench, AnAnswerOfUnexpectedLengthIsAWarning) {
  Server server(truth::except(1, truth::stream({.tokens = 3}), truth::stream()));
  BenchOptions with = options(server);
  const record::Measurement measurement = measured(with);
  EXPECT_THAT(
      measurement.verdict.warnings,
      ElementsAre("1 of 4 answers differ from the requested length: 3 events, each counted as a "
                  "token, instead of 4 tokens; where an event has several, give --tokenizer DIR or "
                  "--tokens-per-event N, or let the server report its usage"));
  with.eos = true;
  EXPECT_THAT(measured(with).verdict.warnings, ElementsAre())
      << "an answer that the end token may end is expected to be shorter";
}

TEST(Bench, AServerThatDiesEndsTheRunWithAnInvalidMeasurement) {
  Server* running = nullptr;
  Server server([&running](const truth::Request& request) {
    if (request.number == 10) running->die_after_this();
    return std::make_shared<const truth::Answer>(truth::stream());
  });
  running = &server;
  BenchOptions with = options(server);
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 2}};
  with.requests = 40;
  const record::Measurement measurement = measured(with);
  EXPECT_FALSE(measurement.verdict.valid);
  EXPECT_LT(measurement.records.size(), 40u) << "no prompts are wasted on a dead server";
  EXPECT_THAT(measurement.verdict.reasons,
              testing::Contains(HasSubstr("of 40 requests were not sent")));
  EXPECT_THAT(measurement.verdict.reasons,
              testing::Contains(HasSubstr("gave up after 5 requests in a row broke off, the last "
                                          "because cannot connect to 127.0.0.1:")));
}

TEST(Bench, AConcurrencyAboveTheConnectionLimitIsRefused) {
  BenchOptions with;
  with.urls = {"http://127.0.0.1:1"};
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 1},
                {.kind = record::Load::Kind::closed, .concurrency = 65'537}};
  with.requests = with.osl = 1;
  const auto result = bench(with);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::invalid);
  EXPECT_EQ(result.error().message, "--concurrency must be at most 65536, it is 65537");
}

TEST(Bench, AnUnreachableServerIsAnErrorWithoutAMeasurement) {
  BenchOptions with;
  {
    Server gone(truth::always(truth::stream()));
    with = options(gone);
  }
  const auto result = bench(with);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::unavailable);
  EXPECT_THAT(result.error().message,
              testing::AllOf(HasSubstr("cannot connect to 127.0.0.1:"),
                             HasSubstr("Connection refused; is the server running?")));
}

struct Interrupted {
  std::vector<record::Measurement> kept;
  Error error;
};

// Runs WITH and interrupts it when request STOP_AT reaches the server, which never answers it.
Interrupted interrupted(BenchOptions with, int stop_at) {
  std::atomic<bool> stopped = false;
  Server server([&stopped, stop_at](const truth::Request& request) {
    if (request.number == stop_at) stopped = true;
    return std::make_shared<const truth::Answer>(
        request.number == stop_at ? truth::Answer{.pieces = {}, .after = After::silent}
                                  : truth::stream());
  });
  with.urls = {server.url()};
  Interrupted out;
  const Status ended = run_bench(with, prompts(20, 40), stopped, {}, [&](record::Measurement one) {
    out.kept.push_back(std::move(one));
  });
  if (!ended.ok()) out.error = ended.error();
  return out;
}

TEST(Bench, AnInterruptionKeepsMeasuredLoadsAndCompletedRequests) {
  BenchOptions with = options("");
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 1},
                {.kind = record::Load::Kind::closed, .concurrency = 1},
                {.kind = record::Load::Kind::closed, .concurrency = 1}};
  with.requests = 5;
  with.warmup = 0;
  const Interrupted run = interrupted(with, 7);
  EXPECT_EQ(run.error.kind, ErrorKind::interrupted);
  EXPECT_EQ(run.error.message, "interrupted after 1 of 3 loads were measured");
  ASSERT_EQ(run.kept.size(), 2u);
  EXPECT_TRUE(run.kept[0].verdict.valid);
  EXPECT_FALSE(run.kept[1].verdict.valid);
  EXPECT_THAT(run.kept[1].verdict.reasons,
              testing::ElementsAre("interrupted after 2 requests, 1 in flight"));
  ASSERT_EQ(run.kept[1].records.size(), 2u)
      << "the client cut off the request in flight, so the server did not fail";
  for (const auto& record : run.kept[1].records) EXPECT_EQ(record.error, "");
}

TEST(Bench, AnInterruptionDuringWarmUpKeepsNothing) {
  BenchOptions with = options("");
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 1}};
  with.warmup = 4;
  const Interrupted run = interrupted(with, 2);
  EXPECT_EQ(run.error.kind, ErrorKind::interrupted);
  EXPECT_TRUE(run.kept.empty());
}

TEST(Bench, AFailedLoadKeepsTheMeasurementsBeforeIt) {
  BenchOptions with = options("");
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 1},
                {.kind = record::Load::Kind::closed, .concurrency = 2}};
  with.requests = 5;
  with.warmup = 0;
  auto server = std::make_unique<Server>(always(truth::stream()));
  with.urls = {server->url()};
  const std::atomic<bool> never_stopped = false;
  std::vector<record::Measurement> kept;
  const Status ended =
      run_bench(with, prompts(20, 40), never_stopped, {}, [&](record::Measurement one) {
        kept.push_back(std::move(one));
        server.reset();
      });
  ASSERT_FALSE(ended.ok());
  EXPECT_THAT(ended.error().message, HasSubstr("concurrency 2: cannot connect to"));
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_TRUE(kept[0].verdict.valid);
}

// --- the metrics page ---

// Serves streams, and a page that counts the streams so far.
truth::Script with_page() {
  return [answered = 0](const truth::Request& request) mutable {
    if (request.method == "POST") {
      ++answered;
      return std::make_shared<const truth::Answer>(truth::stream());
    }
    const std::string page =
        "nv_llm_output_token_len_sum{model=\"a\"} " + std::to_string(4 * answered) +
        "\nnv_llm_output_token_len_count{model=\"a\"} " + std::to_string(answered) + "\n";
    return std::make_shared<const truth::Answer>(truth::body(200, page, After::close));
  };
}

TEST(Bench, TheServersCountersCoverOnlyTheWindow) {
  Server server(with_page());
  BenchOptions with = options(server);
  with.warmup = 3;
  with.metrics_urls = {server.url() + "/metrics"};
  const record::Measurement measurement = measured(with);
  ASSERT_TRUE(measurement.server.before && measurement.server.after);
  EXPECT_EQ(
      measurement.server.before->series.at("nv_llm_output_token_len_count{model=\"a\"}").value, 3);
  EXPECT_EQ(measurement.server.after->series.at("nv_llm_output_token_len_count{model=\"a\"}").value,
            7);
  EXPECT_DOUBLE_EQ(value(measurement, "osl_reported"), 4);
  EXPECT_THAT(names(measurement), testing::Not(testing::Contains("isl_reported")))
      << "the page has no input lengths";
  EXPECT_THAT(measurement.verdict.warnings, ElementsAre());
}

TEST(Bench, AMissingMetricsPageIsOnlyAWarning) {
  Server server([](const truth::Request& request) {
    return std::make_shared<const truth::Answer>(
        request.method == "POST" ? truth::stream() : truth::body(404, "no", After::close));
  });
  BenchOptions with = options(server);
  with.metrics_urls = {server.url() + "/metrics"};
  const record::Measurement measurement = measured(with);
  EXPECT_FALSE(measurement.server.before.has_value());
  EXPECT_FALSE(measurement.server.after.has_value());
  EXPECT_THAT(measurement.verdict.warnings, ElementsAre("no server metrics: " + server.url() +
                                                        "/metrics did not answer: HTTP 404"));
}

// --- the record ---

TEST(Record, HoldsLoadVerdictMetricsAndClientHealth) {
  Server server(with_page());
  BenchOptions with = options(server);
  with.warmup = 1;
  with.metrics_urls = {server.url() + "/metrics"};
  auto measurement = measured(with);
  const auto json =
      nlohmann::json::parse(record::measurement_json(with, std::span(&measurement, 1)));
  EXPECT_EQ(json["schema"], 1);
  const auto& one = json["measurements"][0];
  for (const char* key : {"load", "valid", "reasons", "warnings", "unsupported", "window",
                          "counting", "metrics", "client", "server_before", "server_after"})
    EXPECT_TRUE(one.contains(key)) << key;
  EXPECT_EQ(one["load"]["concurrency"], 1);
  EXPECT_EQ(one["load"]["isl"], 3);
  EXPECT_EQ(one["load"]["osl"], 4);
  EXPECT_EQ(one["metrics"]["ttft_ms"]["n"], 4);
  EXPECT_EQ(one["metrics"]["ttft_ms"]["p50"].get<double>(),
            std::get<measure::Statistics>(measurement.metrics[0].value).p50);
  EXPECT_TRUE(one["metrics"]["output_tps"].is_number());
  EXPECT_THAT(one["unsupported"].get<std::vector<std::string>>(),
              testing::AllOf(testing::Contains("ttft_ms_p99"),
                             testing::Not(testing::Contains("ttft_ms_p50"))));
  EXPECT_EQ(one["client"]["connections_opened"], 1);
  EXPECT_EQ(one["counting"]["osl"], "events (one token each)");
  for (const char* key : {"scheduling", "cpu_share", "wake_lag_ms", "worst_turn_ms", "reads",
                          "events", "coalesced", "coalesced_share"})
    EXPECT_TRUE(one["client"].contains(key)) << key;
}

TEST(Record, HoldsAllStampsOfARequestInOneLine) {
  Server server(truth::except(2, truth::body(500, R"({"error":"x"})"), truth::stream()));
  BenchOptions with = options(server);
  with.warmup = 1;
  with.block = 0;
  auto measurement = measured(with);
  std::vector<nlohmann::json> lines;
  std::istringstream text(record::requests_jsonl(std::span(&measurement, 1)));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0]["warmup"], true);
  EXPECT_EQ(lines[1]["index"], 0);
  EXPECT_FALSE(lines[1].contains("answer")) << "answers have a file of their own";
  EXPECT_EQ(lines[1]["server_times"], nullptr);
  EXPECT_EQ(lines[1]["sequences"], 1);
  EXPECT_EQ(lines[1]["stopped"], false);
  EXPECT_EQ(lines[1]["error"], nullptr);
  std::int64_t last_ns = lines[1]["first_ns"];
  for (const auto& gap : lines[1]["gaps_ns"]) last_ns += gap.get<std::int64_t>();
  EXPECT_EQ(last_ns, lines[1]["last_ns"]);
  EXPECT_EQ(lines[2]["error"], "HTTP 500: x");
  EXPECT_EQ(lines[2]["first_ns"], nullptr);
  EXPECT_EQ(lines[2]["osl_counted"], nullptr);
}

TEST(Record, HoldsEachAnswerWithTheLineOfItsRequest) {
  record::Measurement one, two;
  one.records.resize(3);
  one.records[0].answer = "warm";
  one.records[2].answer = "two\nlines \xff";
  two.records.resize(1);
  two.records[0].answer = "other load";
  const std::vector<record::Measurement> measurements = {one, two};
  EXPECT_EQ(unpack(record::answers_packed(measurements), 1'000).value(),
            "{\"line\":1,\"answer\":\"warm\"}\n{\"line\":3,\"answer\":\"two\\nlines "
            "\xef\xbf\xbd\"}\n{\"line\":4,\"answer\":\"other load\"}\n");
  EXPECT_EQ(record::answers_packed(std::span(measurements).first(0)), "");
}

TEST(Record, HoldsServerTimesModelsProcessesAndGpus) {
  record::Measurement measurement;
  measurement.records.resize(1);
  measurement.records[0].server_times =
      measure::ServerTimes{.scheduled_ns = 5, .first_token_ns = 7, .last_token_ns = 9};
  observe::ModelTimes model;
  model.model = "ensemble";
  model.requests = 3;
  model.queue_ms = 0.5;
  measurement.server.models = {model};
  measurement.server.processes =
      system::ServerUse{.wall_s = 2, .cpu_s = 3, .rss_bytes_peak = 4096, .processes = 2};
  measurement.server.host =
      system::HostUse{.cpus = 2, .wall_s = 4, .busy_s = 6, .steal_s = 1, .others_s = 2};
  observe::GpuWindow gpu;
  gpu.uuid = "GPU-1";
  gpu.energy_j = 12;
  gpu.throttled = {{"sw_power_cap", 0.5}};
  measurement.server.gpus = {gpu};
  measurement.server.notes = {"a note"};
  const auto one = nlohmann::json::parse(
      record::measurement_json({}, std::span(&measurement, 1)))["measurements"][0];
  EXPECT_EQ(one["models"][0]["model"], "ensemble");
  EXPECT_EQ(one["models"][0]["requests"], 3);
  EXPECT_EQ(one["models"][0]["queue_ms"], 0.5);
  EXPECT_EQ(one["models"][0]["compute_infer_ms"], nullptr);
  EXPECT_EQ(one["processes"],
            nlohmann::json(
                {{"wall_s", 2.0}, {"cpu_s", 3.0}, {"rss_bytes_peak", 4096}, {"processes", 2}}));
  EXPECT_EQ(one["host"], nlohmann::json({{"cpus", 2},
                                         {"wall_s", 4.0},
                                         {"busy_share", 0.75},
                                         {"others_share", 0.25},
                                         {"steal_share", 0.125}}));
  EXPECT_EQ(one["gpus"][0]["uuid"], "GPU-1");
  EXPECT_EQ(one["gpus"][0]["energy_from"], "power");
  EXPECT_EQ(one["gpus"][0]["power_w"], nullptr);
  EXPECT_EQ(one["gpus"][0]["throttled"]["sw_power_cap"], 0.5);
  EXPECT_EQ(one["notes"][0], "a note");
  EXPECT_EQ(
      nlohmann::json::parse(record::requests_jsonl(std::span(&measurement, 1)))["server_times"],
      nlohmann::json({{"scheduled_ns", 5}, {"first_token_ns", 7}, {"last_token_ns", 9}}));
  measurement.server = {};
  measurement.server.host = system::HostUse{.cpus = 2, .wall_s = 4, .busy_s = 6};
  EXPECT_EQ(nlohmann::json::parse(record::measurement_json(
                {}, std::span(&measurement, 1)))["measurements"][0]["host"]["others_share"],
            nullptr)
      << "the other processes may include the server";
  measurement.server.host.reset();
  const auto none = nlohmann::json::parse(
      record::measurement_json({}, std::span(&measurement, 1)))["measurements"][0];
  EXPECT_EQ(none["models"], nullptr);
  EXPECT_EQ(none["processes"], nullptr);
  EXPECT_EQ(none["host"], nullptr);
}

}  // namespace bench_test
}  // namespace orch::load
