// Reports read from a store.
#include "analysis/page/page_reading.hpp"

#include "analysis/report/support.hpp"

namespace orch {
namespace page_reading_test {

using namespace sample;
using page::State;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class PageReading : public ReportTest {
 protected:
  page::Report read(report::PageQuestion question = {}) {
    question.root = reader().layout().root.string();
    question.now = 1'700'000'200;
    auto answer = report::read_page(reader().database(), question);
    EXPECT_TRUE(answer.ok()) << answer.error().text();
    return answer ? std::move(answer->report) : page::Report{};
  }
  // A run whose first point is measured with FIRST, and the second one as usual.
  void run_with(const json& first) {
    store::Store store = open_store(folder_.path() / "other");
    Driver driver(store, make_plan());
    driver.run_build();
    const AttemptKey session = driver.run_serve();
    driver.run_bench(0, session, first);
    driver.run_bench(1, session, measurement(11, 110));
    driver.commit();
    driver.finish(store::Outcome::done);
  }
  page::Report read_other(const report::PageQuestion& question = {}) {
    store::Store store = open_store(folder_.path() / "other", store::Mode::read);
    auto answer = report::read_page(store.database(), question);
    EXPECT_TRUE(answer.ok()) << answer.error().text();
    return answer ? std::move(answer->report) : page::Report{};
  }
};

TEST_F(PageReading, ParametersWithSeveralValuesAreColumnsAndTheOthersAreConstants) {
  const page::Report report = read();
  ASSERT_EQ(report.parameters.size(), 1u);
  EXPECT_EQ(report.parameters[0].name, "concurrency");
  EXPECT_EQ(report.parameters[0].role, page::Role::load);
  EXPECT_THAT(report.constants, testing::Contains(testing::Pair("model", "tiny")));
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_THAT(report.rows[0].parameters, ElementsAre("4")) << "the best first";
  EXPECT_EQ(report.title, "quick");
}

TEST_F(PageReading, FiguresHaveTheirMetricAndUnsupportedOnesAreMarked) {
  json measured = measurement(10, 100);
  measured["unsupported"] = {"ttft_ms_p99"};
  run_with(measured);
  const page::Report report = read_other();
  const auto metric = [&](std::string_view name) {
    for (std::size_t i = 0; i < report.metrics.size(); ++i)
      if (report.metrics[i].name == name) return i;
    ADD_FAILURE() << name;
    return std::size_t{0};
  };
  const page::Row& slow = report.rows[1];
  EXPECT_EQ(slow.figures[metric("output_tps")]->value, 100);
  EXPECT_EQ(slow.figures[metric("ttft_ms_p99")]->value, 11.5);
  EXPECT_FALSE(slow.figures[metric("ttft_ms_p99")]->supported);
  EXPECT_TRUE(report.rows[0].figures[metric("ttft_ms_p99")]->supported);
  EXPECT_EQ(report.metrics[*report.y].name, "output_tps");
  EXPECT_EQ(report.metrics[*report.x].name, "ttft_ms") << "for want of a request latency";
}

TEST_F(PageReading, APointWithoutAValidMeasurementIsThereWithItsReason) {
  run_with(invalid_measurement({"the client was the bottleneck"}));
  const page::Report report = read_other();
  ASSERT_EQ(report.rows.size(), 2u);
  const page::Row& invalid = report.rows[1];
  EXPECT_EQ(invalid.state, State::invalid);
  EXPECT_EQ(invalid.reasons, "the client was the bottleneck");
  EXPECT_FALSE(invalid.on_front);
  EXPECT_EQ(report.rows[0].state, State::valid);
}

TEST_F(PageReading, WarningsAreSplitAndThoseOfAnotherProgramMeanDisturbed) {
  json measured = measurement(10, 100);
  measured["warnings"] = {"3 of 100 requests failed",
                          "request_latency_ms did not settle: 3 first, 2 last; measure longer",
                          "3 of 9 answers are longer than requested: 20 events, each counted as a "
                          "token, instead of 8 tokens; where an event has several, give "
                          "--tokenizer DIR or --tokens-per-event N, or let the server report its "
                          "usage",
                          "other programs used 1.2 of 2 cores of this host during the window"};
  run_with(measured);
  const page::Report report = read_other();
  EXPECT_THAT(report.rows[1].warnings,
              ElementsAre("3 of 100 requests failed",
                          "request_latency_ms did not settle: 3 first, 2 last; measure longer",
                          EndsWith("or let the server report its usage"),
                          HasSubstr("other programs used")));
  EXPECT_EQ(report.rows[1].state, State::disturbed);
}

TEST_F(PageReading, TheFrontHasThePointsThatNoOtherBeats) {
  run_with(measurement(20, 50));  // the other one has 11 ms and 110 tokens/s
  const page::Report report = read_other();
  EXPECT_TRUE(report.rows[0].on_front);
  EXPECT_FALSE(report.rows[1].on_front);
}

TEST_F(PageReading, EachPointHasItsStagesAndEachStageIsThereOnce) {
  const page::Report report = read();
  EXPECT_EQ(report.stages.size(), 4u) << "build, serve and two measurements";
  for (const page::Row& row : report.rows) ASSERT_EQ(row.stages.size(), 3u);
  const page::StageFacts& build = report.stages[report.rows[0].stages[0]];
  EXPECT_EQ(build.name, "build");
  EXPECT_THAT(build.command, ElementsAre("/usr/bin/build", "--go"));
  EXPECT_THAT(build.environment, ElementsAre("K=v"));
  EXPECT_THAT(build.machine, HasSubstr("Sample CPU"));
  EXPECT_EQ(build.digest, make_plan().stages[0].digest.hex());
}

TEST_F(PageReading, ARunAndAConditionSelectPoints) {
  EXPECT_EQ(read({.run = 1}).rows.size(), 2u);
  EXPECT_EQ(read({.run = 7}).rows.size(), 0u);
  const page::Report one = read({.where = "concurrency = 4 -- the larger one"});
  ASSERT_EQ(one.rows.size(), 1u);
  EXPECT_EQ(one.rows[0].point, "tiny_c4-aaaaaa");
  EXPECT_EQ(one.condition, "concurrency = 4 -- the larger one");
  EXPECT_EQ(one.selection, "a selection of points");
  EXPECT_EQ(read({.where = "concurrency = 4"}).selection, "concurrency 4");
}

TEST_F(PageReading, AConditionThatIsMoreThanOneExpressionIsAnError) {
  for (const char* where : {"1) UNION SELECT 1 --", "concurency = 4", "1; DROP TABLE run", "1)"}) {
    const auto answer = report::read_page(reader().database(), {.where = where});
    ASSERT_FALSE(answer.ok()) << where;
    EXPECT_THAT(answer.error().text(), HasSubstr("--where")) << where;
  }
}

TEST_F(PageReading, TheRunHasItsAttemptsAndItsIdleTime) {
  const page::Report report = read();
  ASSERT_EQ(report.spans.size(), 4u);
  EXPECT_EQ(report.spans[0].stage, "build");
  EXPECT_FALSE(report.spans[0].failed);
  EXPECT_THAT(report.timeline_of, HasSubstr("Run 1: 4 attempts"));
}

TEST_F(PageReading, RequestsOfTheHighestLoadAreRead) {
  const page::Report report = read();
  ASSERT_EQ(report.latencies.size(), 1u);
  EXPECT_THAT(report.latencies[0].values, ElementsAre(11)) << "without the warm-up";
  EXPECT_THAT(report.requests_of, HasSubstr("concurrency 4"));
}

TEST_F(PageReading, AStoreWithoutRunsGivesAReportWithoutRows) {
  { store::Store store = open_store(folder_.path() / "empty"); }
  store::Store store = open_store(folder_.path() / "empty", store::Mode::read);
  const auto answer = report::read_page(store.database(), {});
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  EXPECT_TRUE(answer->report.rows.empty());
}

}  // namespace page_reading_test
}  // namespace orch
