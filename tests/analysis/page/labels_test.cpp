#include "analysis/page/labels.hpp"

#include "analysis/page/sample.hpp"

#include <gtest/gtest.h>

namespace orch::page {
namespace labels_test {

TEST(Labels, ARowIsNamedByItsChoicesAndItsLoad) {
  const Report report = sample::report();
  EXPECT_EQ(label(report, report.rows[1], true), "fp8 bs16 c1");
  EXPECT_EQ(label(report, report.rows[1], false), "fp8 bs16");
}

TEST(Labels, AnIntervalIsWrittenInPerCentOrAsItsOneLimit) {
  EXPECT_EQ(interval_text({100, 95, 105}), "±5%");
  EXPECT_EQ(interval_text({100, 99, 104.5}), "-1/+4.5%");
  EXPECT_EQ(interval_text({100, 95, {}}), "≥95");
  EXPECT_EQ(interval_text({100, {}, 105}), "≤105");
  EXPECT_EQ(interval_text({100, {}, {}}), "");
}

TEST(Labels, AnUnsupportedFigureCarriesAMark) {
  EXPECT_EQ(value_text({.value = 1234.5, .low = {}, .high = {}, .supported = true}), "1,234");
  EXPECT_EQ(value_text({.value = 12.3, .low = {}, .high = {}, .supported = false}), "12.3*");
}

TEST(Labels, AnAxisSaysItsUnitAndWhatIsBetter) {
  EXPECT_EQ(axis_title({"ttft_ms_p99", "TTFT", "p99", "ms", Better::lower, true}),
            "TTFT p99, ms (lower is better)");
}

TEST(Labels, AConditionIsSaidInWords) {
  EXPECT_EQ(selection_in_words("precision = 'q8_0' AND tp < 4"), "precision q8_0, tp below 4");
  EXPECT_EQ(selection_in_words("isl>=128"), "isl at least 128");
  EXPECT_EQ(selection_in_words("model <> 'a b'"), "model not a b");
  for (const char* sql : {"tp = 1 OR pp = 2", "output_tps / gpus > 4", "name LIKE 'a%'",
                          "a = 'it''s'", "tp IN (1, 2)", "a = b"})
    EXPECT_EQ(selection_in_words(sql), "a selection of points") << sql;
}

TEST(Labels, TheHeadlineSaysWhatThePageIsAbout) {
  Report report = sample::report();
  report.title = "quick";
  report.constants = {{"model", "tiny"}, {"runner", "llama-cpp"}};
  EXPECT_EQ(headline(report),
            "quick: " + count_of(report.rows.size(), "configuration") + " of tiny on llama-cpp");
  report.constants = {{"runner", "import"}, {"tool", "vllm"}};
  EXPECT_TRUE(headline(report).ends_with("configurations measured by vllm")) << headline(report);
  report.rows.clear();
  report.title = "No points";
  EXPECT_EQ(headline(report), "No points");
}

}  // namespace labels_test
}  // namespace orch::page
