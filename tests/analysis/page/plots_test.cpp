#include "analysis/page/page.hpp"
#include "analysis/page/sample.hpp"
#include "analysis/plot/support.hpp"

namespace orch::page {
namespace plots_test {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

std::vector<std::string> titles(const Report& report) {
  std::vector<std::string> out;
  for (const PlotSection& section : plots_of(report)) out.push_back(section.title);
  return out;
}

TEST(Figures, AFullReportHasEveryPlot) {
  EXPECT_THAT(titles(sample::report()),
              ElementsAre("output throughput against request latency", "Latency over load",
                          "Lengths of prompts and answers", "Latency of single requests",
                          "Where the server spent the time", "The run", "Host, server and GPUs"));
}

TEST(Figures, BarsCompareValuesOfOneParameterWhereTheRestIsEqual) {
  Report report = sample::report();
  for (Row& row : report.rows) row.parameters[3] = "8";
  const auto sections = plots_of(report);
  ASSERT_THAT(titles(report), Contains("output throughput by precision"));
  for (const PlotSection& section : sections)
    if (section.title == "output throughput by precision") {
      EXPECT_THAT(section.drawings[0].columns, ElementsAre("", "fp16", "fp8"));
      EXPECT_EQ(section.drawings[0].rows.size() + section.drawings[1].rows.size(), 7u)
          << "one of 16 points is invalid";
    }
}

TEST(Figures, WhatHasNoDataIsLeftOut) {
  Report report = sample::report();
  report.spans.clear();
  report.latencies.clear();
  report.model_times.clear();
  report.trends.clear();
  report.parameters[4].role = Role::choice;
  EXPECT_THAT(titles(report), Not(Contains("Latency over load")));
  EXPECT_THAT(titles(report), Not(Contains("The run")));
}

TEST(Figures, AGroupOfPointsHasItsOwnFront) {
  const Report report = sample::report();
  const plot::Drawing drawing = front_of_group(report, report.groups[1], "x");
  EXPECT_NE(drawing.svg.find("length 1"), std::string::npos);
  std::size_t front = 0;
  for (const std::size_t row : report.groups[1].rows) front += report.rows[row].on_front;
  EXPECT_EQ(drawing.rows.size(), front);
}

TEST(Figures, ManyPointsAreOnePathForEachKindOfMark) {
  const Report report = sample::report({.points = 2000});
  const plot::Drawing drawing = front_of_group(report, report.groups[0], "x");
  EXPECT_LE(plot::count(drawing.svg, "<path"), 12u);
  EXPECT_LT(drawing.svg.size(), 40'000u);
}

}  // namespace plots_test
}  // namespace orch::page
