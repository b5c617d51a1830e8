// A watch on servers without sources of GPU state.
#include "bench/observe/gpu_window.hpp"
#include "bench/observe/server_watch.hpp"

#include <gtest/gtest.h>

namespace orch::observe {
namespace gpu_sources_test {

ServerWatch::Options without_sources() {
  ServerWatch::Options options;
  options.urls = {*wire::parse_url("http://127.0.0.1:9")};
  return options;
}

TEST(GpuSources, NoSourcesMeanThatTheMachineHasNoGpu) {
  auto watch = ServerWatch::make(without_sources());
  ASSERT_TRUE(watch.ok()) << watch.error().text();
  watch->begin_window(0);
  EXPECT_TRUE(watch->end_window(0).gpus.empty());
}

TEST(GpuSources, ARequestedGpuIsAnErrorWithoutSources) {
  auto options = without_sources();
  options.gpus = {"0"};
  EXPECT_FALSE(ServerWatch::make(std::move(options)).ok());
}

}  // namespace gpu_sources_test
}  // namespace orch::observe
