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
  std::optional<MetricsPage> before;
  std::optional<MetricsPage> after;
  bool counters_hold = true;  // no counter was reset between `before` and `after`
  Ranges during;              // gauges sampled during the window
  std::optional<std::vector<ModelTimes>> models;
  std::optional<system::ServerUse> processes;
  std::optional<system::HostUse> host;  // the host of the client
  std::vector<GpuWindow> gpus;
  std::map<std::string, std::int64_t> watching_cpu_ns;  // CPU time of the observing threads
  std::vector<std::string> notes;                       // unknown properties, with the reasons
  std::vector<std::string> warnings;                    // pages that were requested and failed

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
    // Reads the statistics of a server; null: they are not read. After a failure the statistics of
    // this window are unknown, and the next window tries again. A server that never had such a page
    // (not_found, or invalid: a different page) causes no warning.
    std::function<Result<StatisticsPage>(const wire::Url& server)> statistics;
    // Indices or UUIDs of the servers' GPUs; empty: detected from the servers' processes.
    std::vector<std::string> gpus;
    int gpu_clock_mhz = 0;  // at which they are locked; 0: not locked
    GpuSources gpu_sources;
    std::function<system::HostLook()> host_look = system::look_at_host;
    // A fraction of the host's CPUs. If programs other than the client and the servers use more, a
    // warning is given.
    double others_share = 0.2;
    // The servers belong to others: do not sample their processes and GPUs.
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
  struct HostSamples;

  explicit ServerWatch(Options options);
  void find_processes();
  std::optional<system::HostUse> host_use(const std::optional<system::ServerUse>& servers) const;
  // Warns about programs that used the cores, or notes that the window is too short to tell.
  void judge_others(const system::HostUse& host, ServerReport& report) const;
  std::optional<std::vector<StatisticsPage>> read_statistics();
  std::optional<std::vector<StatisticsPage>> settled_statistics(std::int64_t succeeded);
  std::uint64_t counted(const std::vector<StatisticsPage>& before,
                        const std::vector<StatisticsPage>& now) const;

  Options options_;
  Scraper scraper_;
  bool has_searched_ = false;
  bool has_remote_server_ = false;                      // one that is not on the loopback interface
  std::unique_ptr<system::ServerProcesses> processes_;  // not sampled yet
  std::unique_ptr<system::GpuProbe> gpu_probe_;         // null: no GPUs are sampled
  std::set<std::string> gpus_;                          // uuids
  std::vector<std::string> notes_;
  bool has_statistics_ = false;
  std::optional<MetricsPage> baseline_;
  // State of the running window.
  std::optional<MetricsPage> before_;
  std::optional<std::vector<StatisticsPage>> models_before_;
  bool statistics_failed_ = false;  // reading them failed
  std::string statistics_error_;    // why they are unknown; "" if they are known
  std::unique_ptr<HostSamples> samples_;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace orch::observe
