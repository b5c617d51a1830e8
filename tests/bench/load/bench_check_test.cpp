// Checks of options, and the share of prompts per load.
#include "bench/load/bench.hpp"

#include <gtest/gtest.h>

namespace orch::load {
namespace bench_check_test {

BenchOptions valid_options() {
  BenchOptions options;
  options.urls = {"http://127.0.0.1:8000"};
  options.loads = {{.kind = record::Load::Kind::closed, .concurrency = 2},
                   {.kind = record::Load::Kind::closed, .concurrency = 4}};
  options.requests = 10;
  options.osl = 4;
  options.prompts_name = "p.jsonl";
  return options;
}

TEST(BenchCheck, AcceptsValidOptions) { EXPECT_TRUE(check_options(valid_options()).ok()); }

TEST(BenchCheck, NamesTheOptionAndItsValue) {
  BenchOptions options = valid_options();
  options.loads.front().concurrency = 0;
  EXPECT_EQ(check_options(options).error().message, "--concurrency must be at least 1, it is 0");
  options = valid_options();
  options.requests = 0;
  EXPECT_EQ(check_options(options).error().message,
            "no end of the load is given; add --requests or --duration");
}

TEST(BenchCheck, OnlyTheFullCheckNeedsAnOsl) {
  BenchOptions options = valid_options();
  options.osl = 0;
  EXPECT_TRUE(check_before_prompts(options).ok());
  EXPECT_EQ(check_options(options).error().message, "--osl must be at least 1, it is 0");
}

TEST(BenchCheck, SharesPromptsEquallyAmongLoads) {
  BenchOptions options = valid_options();
  EXPECT_EQ(share_per_load(options, "measured", 10, 20).value_or(0), 10);
  EXPECT_FALSE(share_per_load(options, "measured", 10, 19).ok());
  options.duration_s = 1;
  EXPECT_EQ(share_per_load(options, "measured", 10, 9).value_or(0), 4);
}

}  // namespace bench_check_test
}  // namespace orch::load
