#include "bench/observe/gpu_window.hpp"

#include "core/base/text.hpp"

#include <cmath>

namespace orch::observe {

namespace {

const system::GpuUse* find_gpu(std::string_view name, std::span<const system::GpuUse> all) {
  const auto index = to_integer(name);
  for (const system::GpuUse& gpu : all)
    if (index ? gpu.index == *index : gpu.uuid == name) return &gpu;
  // CUDA also accepts a unique prefix of a UUID.
  const system::GpuUse* found = nullptr;
  for (const system::GpuUse& gpu : all) {
    if (index || name.size() < 5 || !gpu.uuid.starts_with(name)) continue;
    if (found) return nullptr;
    found = &gpu;
  }
  return found;
}

std::string list_gpus(std::span<const system::GpuUse> all) {
  if (all.empty()) return "the driver reports no GPU";
  std::vector<std::string> names;
  for (const system::GpuUse& gpu : all)
    names.push_back(fmt::format("{} ({})", gpu.index, gpu.uuid));
  return "its GPUs are: " + join(names, ", ");
}

// Stops at the first name that matches no GPU, like CUDA.
void add_visible(const std::string& devices, std::span<const system::GpuUse> all,
                 std::set<std::string>& uuids) {
  for (const std::string& name : split(devices, ',')) {
    const system::GpuUse* gpu = find_gpu(trim(name), all);
    if (!gpu) return;
    uuids.insert(gpu->uuid);
  }
}

}  // namespace

void GpuWatch::add(double at_s, std::span<const system::GpuState> states) {
  for (const system::GpuState& state : states)
    if (uuids_.contains(state.uuid)) add(tracks_[state.index], at_s, state);
}

void GpuWatch::add(Track& track, double at_s, const system::GpuState& state) {
  GpuWindow& window = track.window;
  if (window.looks++ == 0) {
    window = {.index = state.index,
              .uuid = state.uuid,
              .model = state.model,
              .memory_gib = state.memory_gib,
              .used_gib_peak = 0,
              .looks = 1};
    track.first_s = at_s;
    track.first_energy_j = state.energy_j;
  } else if (track.last_power_w && state.power_w) {
    track.integrated_j += (*track.last_power_w + *state.power_w) / 2 * (at_s - track.last_s);
  }
  track.has_gap = track.has_gap || !state.power_w;
  track.last_s = at_s;
  track.last_power_w = state.power_w;
  track.last_energy_j = state.energy_j;
  window.used_gib_peak = std::max(window.used_gib_peak, state.used_gib);
  if (const auto mhz = state.sm_clock_mhz) {
    window.sm_clock_mhz_min = std::min(window.sm_clock_mhz_min.value_or(*mhz), *mhz);
    window.sm_clock_mhz_max = std::max(window.sm_clock_mhz_max.value_or(*mhz), *mhz);
    track.mhz_sum += *mhz;
    ++track.mhz_looks;
  }
  if (const auto degrees = state.temperature_c)
    window.temperature_c_max = std::max(window.temperature_c_max.value_or(*degrees), *degrees);
  if (state.busy_share) {
    track.busy_sum += *state.busy_share;
    ++track.busy_looks;
  }
  for (std::string& reason : system::throttle_names(state.throttle_reasons.value_or(0)))
    ++track.throttled[std::move(reason)];
}

GpuWindow GpuWatch::window_of(const Track& track) {
  GpuWindow window = track.window;
  if (track.mhz_looks > 0) window.sm_clock_mhz_mean = track.mhz_sum / track.mhz_looks;
  if (track.busy_looks > 0) window.busy_share = track.busy_sum / track.busy_looks;
  for (const auto& [reason, looks] : track.throttled)
    window.throttled.emplace_back(reason, static_cast<double>(looks) / window.looks);
  const double seconds = track.last_s - track.first_s;
  if (seconds <= 0) return window;
  // A counter that did not grow is not used: it is updated too rarely for the window, or was reset.
  if (track.first_energy_j && track.last_energy_j && *track.last_energy_j > *track.first_energy_j) {
    window.energy_j = *track.last_energy_j - *track.first_energy_j;
    window.energy_counted = true;
  } else if (!track.has_gap) {
    window.energy_j = track.integrated_j;
  }
  if (window.energy_j) window.power_w = *window.energy_j / seconds;
  return window;
}

std::vector<GpuWindow> GpuWatch::windows() const {
  std::vector<GpuWindow> out;
  for (const auto& [index, track] : tracks_) out.push_back(window_of(track));
  return out;
}

std::vector<std::string> clock_warnings(std::span<const GpuWindow> gpus, int locked_mhz) {
  constexpr double k_most_off = 0.01;  // clocks change in steps of 15 or 7.5 MHz
  std::vector<std::string> out;
  for (const GpuWindow& gpu : gpus) {
    if (locked_mhz == 0 || !gpu.sm_clock_mhz_mean) continue;
    if (std::abs(*gpu.sm_clock_mhz_mean / locked_mhz - 1) > k_most_off)
      out.push_back(
          fmt::format("GPU {} ran at {:.0f} MHz on average ({:.0f} to {:.0f}), and its "
                      "clock is to be locked at {} MHz",
                      gpu.index, *gpu.sm_clock_mhz_mean, *gpu.sm_clock_mhz_min,
                      *gpu.sm_clock_mhz_max, locked_mhz));
  }
  return out;
}

Result<std::set<std::string>> servers_gpus(const GpuClaims& claims,
                                           std::span<const system::GpuUse> all) {
  std::set<std::string> uuids;
  for (const std::string& name : claims.asked) {
    const system::GpuUse* gpu = find_gpu(name, all);
    if (!gpu)
      return invalid(
          fmt::format("--gpus {} is not a GPU of this machine; {}", name, list_gpus(all)));
    uuids.insert(gpu->uuid);
  }
  if (!uuids.empty()) return uuids;
  for (const system::GpuUse& gpu : all)
    if (std::ranges::any_of(gpu.pids, [&](int pid) { return claims.pids.contains(pid); }))
      uuids.insert(gpu.uuid);
  if (!uuids.empty()) return uuids;
  for (const std::string& devices : claims.visible_devices) add_visible(devices, all, uuids);
  return uuids;
}

}  // namespace orch::observe
