#include "analysis/page/page_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::report {
namespace page_columns_test {

using testing::ElementsAre;

page::Report with_rows(std::size_t n) {
  page::Report report;
  report.rows.resize(n);
  return report;
}

TEST(PageColumns, AParameterThatFollowsFromOthersIsNoColumn) {
  const Table table{.columns = {"precision", "weights", "concurrency", "model"},
                    .rows = {{"f16", "FP16", std::int64_t{1}, "m"},
                             {"f16", "FP16", std::int64_t{8}, "m"},
                             {"q8", "INT8", std::int64_t{1}, "m"},
                             {"q8", "INT8", std::int64_t{8}, "m"}}};
  page::Report report = with_rows(4);
  add_parameters(report, Columns(table), {"concurrency", "model", "precision", "weights"});
  ASSERT_EQ(report.parameters.size(), 2u);
  EXPECT_EQ(report.parameters[0].name, "precision");
  EXPECT_EQ(report.parameters[1].name, "concurrency");
  EXPECT_THAT(report.implied, ElementsAre("weights"));
  EXPECT_THAT(report.constants, ElementsAre(testing::Pair("model", "m")));
  EXPECT_THAT(report.rows[3].parameters, ElementsAre("q8", "8"));
}

TEST(PageColumns, WhatMakesFiguresUnlikeIsAColumnAlsoWhereItFollows) {
  const Table table{.columns = {"experiment", "tool", "gpus", "model", "weights"},
                    .rows = {{"a", "vllm", std::int64_t{1}, "m", "FP16"},
                             {"b", "sglang", std::int64_t{2}, "n", "FP8"}}};
  page::Report report = with_rows(2);
  add_parameters(report, Columns(table), {"experiment", "tool", "gpus", "model", "weights"});
  std::set<std::string> names;
  for (const page::Parameter& parameter : report.parameters) names.insert(parameter.name);
  EXPECT_THAT(names, testing::IsSupersetOf({"tool", "gpus", "model"}));
  EXPECT_FALSE(report.implied.empty());
}

TEST(PageColumns, LimitsOfPercentilesAreReadWhereThereAreAnyAndOneSideMayBeOpen) {
  const Table table{.columns = {"output_tps", "ttft_ms_p99", "ttft_ms_p99_interval_low",
                                "ttft_ms_p99_interval_high", "unsupported"},
                    .rows = {{100.0, 20.0, 18.0, Cell{}, "ttft_ms_p999"}}};
  page::Report report = with_rows(1);
  add_metrics(report, Columns(table));
  ASSERT_EQ(report.metrics.size(), 2u);
  EXPECT_EQ(report.metrics[1].name, "ttft_ms_p99");
  const page::Figure& figure = *report.rows[0].figures[1];
  EXPECT_EQ(figure.low, 18.0);
  EXPECT_EQ(figure.high, std::nullopt);
  EXPECT_TRUE(figure.supported);
  EXPECT_EQ(report.rows[0].figures[0]->low, std::nullopt) << "the view lacks its limits";
}

TEST(PageColumns, ThroughputPerGpuIsPlottedWhereItIsKnown) {
  const Table table{.columns = {"output_tps", "output_tps_per_gpu", "request_latency_ms"},
                    .rows = {{100.0, 50.0, 7.0}}};
  page::Report report = with_rows(1);
  add_metrics(report, Columns(table));
  EXPECT_EQ(report.metrics[*report.y].name, "output_tps_per_gpu");
  EXPECT_EQ(report.metrics[*report.x].name, "request_latency_ms");
}

TEST(PageColumns, WithoutThroughputTwoLatenciesArePlotted) {
  const Table table{.columns = {"ttft_ms", "tpot_ms"}, .rows = {{100.0, 50.0}}};
  page::Report report = with_rows(1);
  add_metrics(report, Columns(table));
  EXPECT_EQ(report.metrics[*report.y].name, "tpot_ms");
  EXPECT_EQ(report.metrics[*report.x].name, "ttft_ms");
}

}  // namespace page_columns_test
}  // namespace orch::report
