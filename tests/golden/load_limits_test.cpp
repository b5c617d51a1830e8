// The limits of the runners are those of the load generator, so that `orchestrate check` refuses a
// load that `orchestrate bench` would refuse after hours of building.
#include "fakes/temp_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace orch {
namespace load_limits_test {

using testing::HasSubstr;

struct CommandResult {
  int code = -1;
  std::string errors;
};

CommandResult run(const std::string& arguments) {
  const fakes::TempFolder temporary;
  const std::string err = temporary.path() / "err";
  const int status =
      std::system(("cd '" ORCH_SOURCE_DIR "' && XDG_CONFIG_HOME=/nowhere '" ORCH_BINARY "' " +
                   arguments + " >/dev/null 2>" + err)
                      .c_str());
  std::ifstream file(err, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return {WEXITSTATUS(status), text.str()};
}

struct Limit {
  std::string name;     // of the test
  std::string matrix;   // a load at its limit
  std::string outside;  // the load one step beyond the limit
  std::string message;  // a part of the error for it
  // The same two loads as options of bench; "" if the limit is one of prompts.
  std::string bench;
  std::string bench_outside;
};

void PrintTo(const Limit& limit, std::ostream* out) { *out << limit.name; }

class LoadLimits : public testing::TestWithParam<Limit> {};

TEST_P(LoadLimits, are_those_of_bench_with_every_runner) {
  const Limit& limit = GetParam();
  const fakes::TempFolder folder;
  const std::string matrix = folder.path() / "m.yaml", prompts = folder.path() / "prompts.jsonl";
  std::ofstream(prompts) << "{\"text_input\": \"a\", \"isl\": 1}\n";
  const std::string bench = "bench --url http://127.0.0.1:9 --model m --prompts " + prompts + " ";
  for (const bool outside : {false, true}) {
    for (const std::string runner : {"triton-openvino", "triton-trtllm", "llama-cpp"}) {
      const std::string model = runner == "triton-trtllm" ? "hf:Qwen/Qwen2-7B" : "generate:nano";
      std::ofstream(matrix) << "name: x\nrunner: " << runner << "\nmodels: {m: {source: '" << model
                            << "'}}\naxes: {model: [m]}\n"
                            << (outside ? limit.outside : limit.matrix) << "\n";
      const CommandResult check = run("check " + matrix);
      if (outside) {
        EXPECT_EQ(check.code, 2) << runner;
        EXPECT_THAT(check.errors, HasSubstr("m.yaml:5:")) << runner;
        EXPECT_THAT(check.errors, HasSubstr(limit.message)) << runner;
      } else {
        EXPECT_EQ(check.code, 0) << runner << check.errors;
      }
    }
    if (limit.bench.empty()) continue;
    // A load within its limit gets as far as connecting, and no server listens.
    const std::string reached = "cannot connect to 127.0.0.1:9";
    const std::string errors = run(bench + (outside ? limit.bench_outside : limit.bench)).errors;
    EXPECT_EQ(errors.find(reached) != std::string::npos, !outside) << errors;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, LoadLimits,
    testing::Values(
        Limit{"concurrency", "defaults: {concurrency: 65536}", "defaults: {concurrency: 65537}",
              "'concurrency' must be at most 65536, not 65537",
              "--requests 1 --osl 1 --concurrency 65536",
              "--requests 1 --osl 1 --concurrency 65537"},
        Limit{"slowest_rate", "defaults: {request_rate: 1.0e-6}",
              "defaults: {request_rate: 0.9e-6}",
              "'request_rate' must be at least 1e-06, not 0.9e-6",
              "--requests 1 --osl 1 --request-rate 1e-6",
              "--requests 1 --osl 1 --request-rate 0.9e-6"},
        Limit{"fastest_rate", "defaults: {request_rate: 1.0e+6}",
              "defaults: {request_rate: 1000001}",
              "'request_rate' must be at most 1000000, not 1000001",
              "--requests 1 --osl 1 --request-rate 1e6",
              "--requests 1 --osl 1 --request-rate 1000001"},
        Limit{"most_bursts", "defaults: {request_rate: 1, arrival: gamma, burstiness: 0.001}",
              "defaults: {request_rate: 1, arrival: gamma, burstiness: 0}",
              "'burstiness' must be at least 0.001, not 0",
              "--requests 1 --osl 1 --request-rate 1 --arrival gamma --burstiness 0.001",
              "--requests 1 --osl 1 --request-rate 1 --arrival gamma --burstiness 0"},
        Limit{"least_bursts", "defaults: {request_rate: 1, arrival: gamma, burstiness: 1000}",
              "defaults: {request_rate: 1, arrival: gamma, burstiness: 1001}",
              "'burstiness' must be at most 1000, not 1001",
              "--requests 1 --osl 1 --request-rate 1 --arrival gamma --burstiness 1000",
              "--requests 1 --osl 1 --request-rate 1 --arrival gamma --burstiness 1001"},
        Limit{"osl", "defaults: {concurrency: 1, osl: 10000000}",
              "defaults: {concurrency: 1, osl: 10000001}",
              "'osl' must be at most 10000000, not 10000001",
              "--requests 1 --concurrency 1 --osl 10000000",
              "--requests 1 --concurrency 1 --osl 10000001"},
        Limit{"isl", "defaults: {concurrency: 1, isl: 10000000}",
              "defaults: {concurrency: 1, isl: 10000001}",
              "'isl' must be at most 10000000, not 10000001", "", ""},
        Limit{"num_prompts", "defaults: {concurrency: 1, num_prompts: 100000000}",
              "defaults: {concurrency: 1, num_prompts: 100000001}",
              "'num_prompts' must be at most 100000000, not 100000001",
              "--requests 100000000 --concurrency 1 --osl 1",
              "--requests 100000001 --concurrency 1 --osl 1"},
        Limit{"warmup", "measure: {warmup: 100000000}\ndefaults: {concurrency: 1}",
              "measure: {warmup: 1e12}\ndefaults: {concurrency: 1}",
              "at least 0 and at most 100000000",
              "--requests 1 --concurrency 1 --osl 1 --warmup 100000000",
              "--requests 1 --concurrency 1 --osl 1 --warmup 100000001"}),
    [](const auto& limit) { return limit.param.name; });

}  // namespace load_limits_test
}  // namespace orch
