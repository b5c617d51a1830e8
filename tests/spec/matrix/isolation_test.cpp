// measure.isolation, measure.check_isolation and measure.gpu_clock_mhz.
#include "spec/matrix/support.hpp"

#include <gtest/gtest.h>

namespace orch::matrix {
namespace isolation_test {

Measure measure_of(const std::string& measure, std::string* errors = nullptr) {
  Errors found;
  Matrix matrix = parse_matrix(
      "name: x\nrunner: toy\naxes: {tp: [1]}\nmeasure: {" + measure + "}\n", "m.yaml", found);
  if (errors) *errors = text_of(found);
  else EXPECT_EQ(text_of(found), "");
  return matrix.measure;
}

TEST(MeasureIsolation, IsThatOfTheMatrixOrLeftToTheMachine) {
  EXPECT_FALSE(measure_of("seed: 1").isolation);
  EXPECT_EQ(measure_of("isolation: strict").isolation, Isolation::strict);
  EXPECT_EQ(measure_of("isolation: gpu").isolation, Isolation::gpu);
  EXPECT_EQ(measure_of("isolation: none, check_isolation: 3").check_isolation, 3);
}

TEST(MeasureIsolation, RefusesOtherWordsAndNamesThePlace) {
  std::string errors;
  measure_of("isolation: loose", &errors);
  EXPECT_EQ(
      errors,
      "m.yaml:4:22: 'measure.isolation' must be strict, gpu or none, not the value 'loose'\n");
  measure_of("check_isolation: -1", &errors);
  EXPECT_NE(errors.find("m.yaml:4:28"), std::string::npos) << errors;
}

TEST(MeasureClock, IsInMegahertz) {
  EXPECT_EQ(measure_of("seed: 1").gpu_clock_mhz, 0);
  EXPECT_EQ(measure_of("gpu_clock_mhz: 1410").gpu_clock_mhz, 1410);
  std::string errors;
  measure_of("gpu_clock_mhz: 1.41", &errors);
  EXPECT_NE(errors.find("m.yaml:4:26"), std::string::npos) << errors;
  measure_of("gpu_clock_mhz: 1410000", &errors);
  EXPECT_NE(errors.find("m.yaml:4:26"), std::string::npos) << errors;
}

}  // namespace isolation_test
}  // namespace orch::matrix
