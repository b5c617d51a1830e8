#include "page/labels.hpp"

#include "page/sample.hpp"

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

}  // namespace labels_test
}  // namespace orch::page
