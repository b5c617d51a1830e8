// The servers' GPUs during a window: their use, from periodic samples, and which GPUs they are.
// Reads no GPU itself.
#pragma once

#include "core/base/result.hpp"
#include "os/system/gpus.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orch::observe {

// Where the state of this machine's GPUs comes from: the driver's library, or a fake in tests.

// Opened when GPUs are needed. Set both or none; with none, this machine is assumed to have no GPU.
struct GpuSources {
  std::function<std::unique_ptr<system::GpuMemory>()> open_memory = {};
  std::function<std::unique_ptr<system::GpuProbe>()> open_probe = {};
};

// Values that a GPU does not report are nullopt.
struct GpuWindow {
  int index = 0;
  std::string uuid;
  std::string model;
  double memory_gib = 0;
  double used_gib_peak = 0;             // over all processes
  std::optional<double> power_w = {};   // energy / time between the first and the last sample
  std::optional<double> energy_j = {};  // in that time
  bool energy_counted = false;  // from the GPU's counter; otherwise power integrated over samples
  std::optional<double> sm_clock_mhz_min = {}, sm_clock_mhz_mean = {}, sm_clock_mhz_max = {};
  std::optional<double> temperature_c_max = {};
  std::optional<double> busy_share = {};  // mean of the samples
  // Reasons, each with the fraction of the samples that have it.
  std::vector<std::pair<std::string, double>> throttled = {};
  int looks = 0;
};

class GpuWatch {
 public:
  // Samples of GPUs not in UUIDS are ignored.
  explicit GpuWatch(std::set<std::string> uuids) : uuids_(std::move(uuids)) {}

  void add(double at_s, std::span<const system::GpuState> states);
  // Sorted by index. A GPU with a single sample has no power and no energy.
  std::vector<GpuWindow> windows() const;

 private:
  // State of one GPU.
  struct Track {
    GpuWindow window;
    double first_s = 0, last_s = 0;
    std::optional<double> first_energy_j, last_energy_j, last_power_w;
    double integrated_j = 0;
    bool has_gap = false;  // some samples lack power
    double mhz_sum = 0, busy_sum = 0;
    int mhz_looks = 0, busy_looks = 0;
    std::map<std::string, int> throttled;
  };

  static void add(Track& track, double at_s, const system::GpuState& state);
  static GpuWindow window_of(const Track& track);

  std::set<std::string> uuids_;
  std::map<int, Track> tracks_;  // by index
};

// A line for each GPU whose mean SM clock clearly differed from LOCKED_MHZ; none if that is 0.
std::vector<std::string> clock_warnings(std::span<const GpuWindow> gpus, int locked_mhz);

// Evidence of which GPUs the servers use.
struct GpuClaims {
  std::vector<std::string> asked = {};  // indices or UUIDs given by the user; they take precedence
  std::set<int> pids = {};              // of the servers
  std::vector<std::string> visible_devices = {};  // CUDA_VISIBLE_DEVICES of each server that has it
};

// The UUIDs of the servers' GPUs: those that the user named; otherwise those on which the driver
// reports a process of the servers; otherwise those of CUDA_VISIBLE_DEVICES. Empty without any such
// evidence, because others may use the GPUs of the machine. The error names a requested GPU that
// does not exist.
Result<std::set<std::string>> servers_gpus(const GpuClaims& claims,
                                           std::span<const system::GpuUse> all);

}  // namespace orch::observe
