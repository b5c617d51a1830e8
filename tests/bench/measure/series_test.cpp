// Names of series on a server's metrics page, and what kind they are.
#include "bench/measure/goodput.hpp"

#include <gtest/gtest.h>

namespace orch::measure {
namespace series_test {

SeriesName read(std::string_view line) {
  std::size_t end = 0;
  const auto name = read_series_name(line, end);
  return name ? *name : SeriesName{"none", {}};
}

TEST(SeriesName, IsReadUpToItsEnd) {
  std::size_t end = 0;
  const auto name = read_series_name("nv_gpu{b=\"2\",a=\"x \\\"y\\\"\"} 7", end);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->family, "nv_gpu");
  EXPECT_EQ(name->labels.at("a"), "x \"y\"");
  EXPECT_EQ(name->text(), "nv_gpu{a=\"x \\\"y\\\"\",b=\"2\"}");
  EXPECT_EQ(end, 25u);
}

TEST(SeriesName, IsEmptyWithoutAName) {
  std::size_t end = 0;
  for (const char* line : {"", "{a=\"b\"} 1", "nv_gpu{a=b} 1", "nv_gpu{a=\"b"})
    EXPECT_FALSE(read_series_name(line, end)) << line;
}

TEST(SeriesKind, FollowsTheDeclarationExceptForTensorRtLlm) {
  EXPECT_EQ(kind_of(read("nv_x"), "counter"), SeriesKind::counter);
  EXPECT_EQ(kind_of(read("nv_x"), "gauge"), SeriesKind::gauge);
  EXPECT_EQ(kind_of(read("nv_x"), ""), SeriesKind::unknown);
  EXPECT_EQ(kind_of(read("nv_x_sum"), "histogram"), SeriesKind::counter);
  EXPECT_EQ(kind_of(read("nv_x{quantile=\"0.5\"}"), "summary"), SeriesKind::gauge);
  EXPECT_EQ(kind_of(read("nv_x_sum"), "summary"), SeriesKind::counter);
  const SeriesName iterations =
      read("nv_trt_llm_general_metrics{general_type=\"iteration_counter\"}");
  EXPECT_EQ(kind_of(iterations, "gauge"), SeriesKind::counter);
  EXPECT_TRUE(is_timestamp(read("nv_trt_llm_general_metrics{general_type=\"timestamp\"}")));
  EXPECT_FALSE(is_timestamp(iterations));
}

TEST(SeriesKind, KnowsTheFamiliesOfTriton) {
  EXPECT_TRUE(is_known_family("nv_inference_count"));
  EXPECT_FALSE(is_known_family("vllm_requests"));
}

}  // namespace series_test
}  // namespace orch::measure
