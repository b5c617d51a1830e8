// What GPUs did in a window, from samples of the driver, and which GPUs a server uses.
#include "bench/observe/gpu_window.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::observe {
namespace gpu_window_test {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

system::GpuState state(int index, double used_gib) {
  return {.index = index,
          .uuid = fmt::format("GPU-0000{}", index),
          .model = "NVIDIA L4",
          .memory_gib = 24,
          .used_gib = used_gib,
          .power_w = {},
          .energy_j = {},
          .sm_clock_mhz = {},
          .temperature_c = {},
          .busy_share = {},
          .throttle_reasons = {}};
}

system::GpuUse use(int index, std::vector<int> pids = {}) {
  return {.index = index,
          .uuid = fmt::format("GPU-0000{}", index),
          .by_uuid = false,
          .memory_gib = 24,
          .used_gib = 1,
          .pids = std::move(pids)};
}

TEST(GpuWindow, HasThePeakOfMemoryAndTheMeansOfSamples) {
  GpuWatch watch({"GPU-00001"});
  const double used[] = {3, 9, 4}, mhz[] = {1000, 2000, 1500}, busy[] = {0.5, 1, 0.9};
  const std::uint64_t reasons[] = {0x4, 0x24, 0x1};
  for (int i = 0; i < 3; ++i) {
    system::GpuState one = state(1, used[i]);
    one.sm_clock_mhz = mhz[i];
    one.temperature_c = mhz[i] / 25;
    one.busy_share = busy[i];
    one.throttle_reasons = reasons[i];
    const system::GpuState states[] = {state(0, 20), one};
    watch.add(i, states);
  }
  const auto windows = watch.windows();
  ASSERT_EQ(windows.size(), 1u) << "GPU 0 is not the server's";
  EXPECT_EQ(windows[0].index, 1);
  EXPECT_EQ(windows[0].used_gib_peak, 9);
  EXPECT_EQ(windows[0].sm_clock_mhz_min, 1000);
  EXPECT_EQ(windows[0].sm_clock_mhz_mean, 1500);
  EXPECT_EQ(windows[0].sm_clock_mhz_max, 2000);
  EXPECT_EQ(windows[0].temperature_c_max, 80);
  EXPECT_THAT(windows[0].busy_share, Optional(DoubleEq(0.8)));
  EXPECT_THAT(windows[0].throttled, ElementsAre(Pair("sw_power_cap", DoubleEq(2.0 / 3)),
                                                Pair("sw_thermal_slowdown", DoubleEq(1.0 / 3))));
  EXPECT_EQ(windows[0].power_w, std::nullopt);
  EXPECT_EQ(windows[0].looks, 3);
}

TEST(GpuWindow, WarnsOfAClockThatIsNotTheLockedOne) {
  GpuWindow locked, slow, silent;
  locked.sm_clock_mhz_min = locked.sm_clock_mhz_mean = locked.sm_clock_mhz_max = 1404;
  slow = locked;
  slow.index = 1;
  slow.sm_clock_mhz_min = 300;
  slow.sm_clock_mhz_mean = 1200;
  const GpuWindow gpus[] = {locked, slow, silent};
  EXPECT_THAT(clock_warnings(gpus, 1410),
              ElementsAre("GPU 1 ran at 1200 MHz on average (300 to 1404), and its clock is to be "
                          "locked at 1410 MHz"));
  EXPECT_THAT(clock_warnings(gpus, 0), ElementsAre());
}

std::vector<GpuWindow> watched(
    const std::vector<std::pair<double, std::pair<std::optional<double>, std::optional<double>>>>&
        looks) {
  GpuWatch watch({"GPU-00000"});
  for (const auto& [at_s, power_energy] : looks) {
    system::GpuState one = state(0, 1);
    one.power_w = power_energy.first;
    one.energy_j = power_energy.second;
    watch.add(at_s, std::span(&one, 1));
  }
  return watch.windows();
}

TEST(GpuWindow, TakesEnergyFromTheCounterRatherThanFromPower) {
  const auto windows = watched({{10, {300, 1000}}, {11, {100, 1500}}, {14, {100, 2600}}});
  EXPECT_EQ(windows.at(0).energy_j, 1600);
  EXPECT_EQ(windows[0].power_w, 400);
  EXPECT_TRUE(windows[0].energy_counted);
}

TEST(GpuWindow, IntegratesPowerIfTheCounterIsMissingOrDoesNotMove) {
  for (const auto counter : {std::optional<double>(), std::optional<double>(5)}) {
    const auto windows = watched({{0, {100, counter}}, {1, {300, counter}}, {3, {300, counter}}});
    EXPECT_EQ(windows.at(0).energy_j, 200 + 600);
    EXPECT_THAT(windows[0].power_w, Optional(DoubleEq(800.0 / 3)));
    EXPECT_FALSE(windows[0].energy_counted);
  }
}

TEST(GpuWindow, HasNoPowerIfASampleLacksItOrThereIsOnlyOne) {
  EXPECT_EQ(watched({{0, {100, {}}}, {1, {{}, {}}}, {2, {100, {}}}}).at(0).power_w, std::nullopt);
  EXPECT_EQ(watched({{0, {100, 5}}}).at(0).power_w, std::nullopt);
  EXPECT_TRUE(watched({}).empty());
}

TEST(ServersGpus, AreThoseNamedByOption) {
  const std::vector<system::GpuUse> all = {use(0, {7}), use(1), use(2)};
  EXPECT_EQ(
      servers_gpus({.asked = {"2", "GPU-00001"}, .pids = {7}, .visible_devices = {}}, all).value(),
      (std::set<std::string>{"GPU-00001", "GPU-00002"}));
  EXPECT_EQ(
      servers_gpus({.asked = {"3"}, .pids = {}, .visible_devices = {}}, std::span(all).first(1))
          .error()
          .message,
      "--gpus 3 is not a GPU of this machine; its GPUs are: 0 (GPU-00000)");
  EXPECT_EQ(servers_gpus({.asked = {"0"}, .pids = {}, .visible_devices = {}}, {}).error().message,
            "--gpus 0 is not a GPU of this machine; the driver reports no GPU");
}

TEST(ServersGpus, AreThoseOnWhichAServerProcessComputes) {
  const std::vector<system::GpuUse> all = {use(0, {7}), use(1, {8, 9}), use(2)};
  EXPECT_EQ(servers_gpus({.asked = {}, .pids = {9}, .visible_devices = {"0,1,2"}}, all).value(),
            std::set<std::string>{"GPU-00001"});
}

TEST(ServersGpus, AreThoseVisibleToCudaIfTheDriverNamesNoProcess) {
  const std::vector<system::GpuUse> all = {use(0), use(1), use(2)};
  const auto visible = [&](const std::string& devices) {
    return servers_gpus({.asked = {}, .pids = {9}, .visible_devices = {devices}}, all).value();
  };
  EXPECT_EQ(visible("2, 0"), (std::set<std::string>{"GPU-00000", "GPU-00002"}));
  EXPECT_EQ(visible("GPU-00001"), std::set<std::string>{"GPU-00001"});
  EXPECT_EQ(visible("1,-1,2"), std::set<std::string>{"GPU-00001"})
      << "CUDA ignores everything after an invalid entry";
  EXPECT_TRUE(visible("").empty());
  EXPECT_TRUE(visible("GPU-0").empty()) << "the prefix matches several GPUs";
}

TEST(ServersGpus, AreUnknownWithoutOptionProcessOrVisibleDevices) {
  const std::vector<system::GpuUse> all = {use(0, {7})};
  EXPECT_TRUE(servers_gpus({.asked = {}, .pids = {9}, .visible_devices = {}}, all).value().empty())
      << "the GPU runs a process of another program";
}

}  // namespace gpu_window_test
}  // namespace orch::observe
