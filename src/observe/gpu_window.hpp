// What GPUs did while a window lasted, made from looks at them now and then; and which GPUs are the
// server's. It reads no GPU itself.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "system/gpu_state.hpp"
#include "system/gpus.hpp"

namespace orch::observe {

// What a GPU does not tell is empty.
struct GpuWindow {
  int index = 0;
  std::string uuid;
  std::string model;
  double memory_gib = 0;
  double used_gib_peak = 0;        // by whomever
  std::optional<double> power_w;   // energy / time between the first look and the last
  std::optional<double> energy_j;  // in that time
  bool energy_counted = false;  // by the GPU's own counter; else power is integrated over the looks
  std::optional<double> sm_clock_mhz_min, sm_clock_mhz_mean, sm_clock_mhz_max;
  std::optional<double> busy_share;  // mean of the looks
  std::vector<std::pair<std::string, double>>
      throttled;  // reason, share of the looks that showed it
  int looks = 0;
};

class GpuWatch {
 public:
  // Only GPUs of these UUIDS are looked at.
  explicit GpuWatch(std::set<std::string> uuids) : uuids_(std::move(uuids)) {}

  void add(double at_s, std::span<const system::GpuState> states);
  // By index. A GPU that was seen once has memory alone.
  std::vector<GpuWindow> windows() const;

 private:
  // Of one GPU.
  struct Track {
    GpuWindow window;
    double first_s = 0, last_s = 0;
    std::optional<double> first_energy_j, last_energy_j, last_power_w;
    double integrated_j = 0;
    bool has_gap = false;  // power was not told at every look
    double mhz_sum = 0, busy_sum = 0;
    int mhz_looks = 0, busy_looks = 0;
    std::map<std::string, int> throttled;
  };

  static void add(Track& track, double at_s, const system::GpuState& state);
  static GpuWindow window_of(const Track& track);

  std::set<std::string> uuids_;
  std::map<int, Track> tracks_;  // by index
};

// What is known of who uses which GPU.
struct GpuClaims {
  std::vector<std::string> asked;            // indices or uuids that a person named; they decide
  std::set<int> pids;                        // of the servers
  std::vector<std::string> visible_devices;  // CUDA_VISIBLE_DEVICES of each server that had one
};

// The uuids of the servers' GPUs: those that were asked for; else those on which the driver sees
// one of their processes; else those that CUDA was told to show them. Never all that there are:
// others compute on this machine, too. An error names what was asked for and is not there.
Result<std::set<std::string>> servers_gpus(const GpuClaims& claims,
                                           std::span<const system::GpuUse> all);

}  // namespace orch::observe
