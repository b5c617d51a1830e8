// Observes the servers under load before, during and after a window: metrics pages, statistics per
// model, processes and GPUs. Unknown values are nullopt. Does not slow the load: pages are read
// outside the window, and samples inside it are taken on separate threads.
#pragma once

#include "bench/measure/metrics.hpp"
#include "bench/observe/gpu_window.hpp"
#include "bench/observe/metrics_page.hpp"
#include "bench/observe/model_statistics.hpp"
#include "bench/wire/endpoint.hpp"
#include "os/system/machine.hpp"
#include "os/system/server_processes.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::observe {

struct ServerReport {
  std::optional<MetricsPage> before = {};
  std::optional<MetricsPage> after = {};
  bool counters_hold = true;  // no counter was reset between `before` and `after`
  Ranges during = {};         // gauges sampled during the window
  std::optional<std::vector<ModelTimes>> models = {};
  std::optional<system::ServerUse> processes = {};
  std::optional<system::HostUse> host = {};  // the host of the client
  std::vector<GpuWindow> gpus = {};
  std::map<std::string, std::int64_t> watching_cpu_ns = {};  // CPU time of the observing threads
  std::vector<std::string> notes = {};                       // unknown properties, with the reasons
  std::vector<std::string> warnings = {};  // failed pages, and what disturbed the window

  // The input of the server-side metrics.
  measure::ServerSide side() const;
};

class ServerWatch {
 public:
  struct Options {
    std::vector<wire::Url> urls;  // the servers
    std::vector<wire::Url> metrics_urls;
    wire::Access access = {};
    double metrics_interval_s = 1;  // between samples of the gauges; 0: none
    double look_interval_s = 0.5;   // between samples of processes and GPUs
    std::string model;
    StatisticsWatch::Read statistics = {};  // null: they are not read
    // Indices or UUIDs of the servers' GPUs; empty: detected from the servers' processes.
    std::vector<std::string> gpus = {};
    int gpu_clock_mhz = 0;  // at which they are locked; 0: not locked
    GpuSources gpu_sources;
    std::function<system::HostLook()> host_look = system::look_at_host;
    // A fraction of the host's CPUs. If programs other than the client and the servers use more, a
    // warning is given.
    double others_share = 0.2;
    // The servers belong to others: do not record their processes and GPUs.
    bool only_pages = false;
  };

  // Fails if a GPU that the user named does not exist.
  static Result<ServerWatch> make(Options options);
  ServerWatch(ServerWatch&&);
  ServerWatch& operator=(ServerWatch&&) = delete;
  ~ServerWatch();

  // Call before the warm-up.
  void read_baseline();
  // The servers' processes on this host. They are searched for once, at the first call; call it
  // after the warm-up, when servers have started all their processes.
  const system::ServerProcesses& processes();
  // Call between the warm-up, which had SUCCEEDED successful requests, and the window.
  void begin_window(std::int64_t succeeded);
  // Call right after the window.
  ServerReport end_window(std::int64_t succeeded);

 private:
  struct Found;
  struct Window;

  explicit ServerWatch(Options options);
  const Found& found();
  Found find() const;
  // Warns about other programs that used the cores, or notes that the window is too short to tell.
  void judge_others(const system::HostUse& host, ServerReport& report) const;

  Options options_;
  std::set<std::string> asked_gpus_;  // uuids of options_.gpus
  Scraper scraper_;
  StatisticsWatch statistics_;
  std::unique_ptr<Found> found_;  // null: not searched yet
  std::optional<MetricsPage> baseline_;
  std::unique_ptr<Window> window_;  // the running one
};

}  // namespace orch::observe
