#include "app/cli/bench/bench_output.hpp"

#include <gtest/gtest.h>

namespace orch::cli {
namespace bench_models_test {

observe::ModelTimes model(const std::string& name) {
  observe::ModelTimes times;
  times.model = name;
  times.version = "1";
  return times;
}

TEST(ModelsTable, HasALineForEachModelAndADashForAMissingTime) {
  observe::ModelTimes ensemble = model("ensemble");
  ensemble.requests = 40;
  ensemble.executions = 40;
  ensemble.queue_ms = 0.25;
  ensemble.compute_input_ms = 0.0625;
  ensemble.compute_infer_ms = 812.5;
  ensemble.compute_output_ms = 0.125;
  observe::ModelTimes broken = model("tensorrt_llm");
  broken.failed = 3;
  broken.restarted = true;
  EXPECT_EQ(models_table(std::vector{ensemble, broken}),
            "model, by the server     requests  failed  executions  queue_ms  compute_input_ms  "
            "compute_infer_ms  compute_output_ms\n"
            "ensemble                       40       0          40     0.250             0.062  "
            "         812.500              0.125\n"
            "tensorrt_llm (reloaded)         0       3           0         -                 -  "
            "               -                  -\n");
}

TEST(ModelsTable, IsEmptyWithoutModels) { EXPECT_EQ(models_table({}), ""); }

}  // namespace bench_models_test
}  // namespace orch::cli
