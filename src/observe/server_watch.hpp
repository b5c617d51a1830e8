// What is known of the servers under load before, while and after a window lasts: their metrics
// pages, what they count of each model, their processes, their GPUs. What cannot be known is empty
// and costs the window nothing: pages are read outside of it, and what is looked at inside is
// looked at on threads of their own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "observe/gpu_window.hpp"
#include "observe/metrics_page.hpp"
#include "observe/model_statistics.hpp"
#include "observe/periodic.hpp"
#include "observe/scraper.hpp"
#include "measure/metrics.hpp"
#include "system/host_use.hpp"
#include "system/server_processes.hpp"
#include "wire/access.hpp"
#include "wire/endpoint.hpp"

namespace orch::observe {

struct ServerReport {
  std::optional<MetricsPage> before;
  std::optional<MetricsPage> after;
  bool counters_hold = true;  // between these pages no counter was set back
  Ranges during;              // gauges that were seen while the window lasted
  std::optional<std::vector<ModelTimes>> models;
  std::optional<system::ServerUse> processes;
  std::optional<system::HostUse> host;  // where we are
  std::vector<GpuWindow> gpus;
  std::map<std::string, std::int64_t>
      watching_cpu_ns;                // CPU time of the threads that looked while the window lasted
  std::vector<std::string> notes;     // what is not known of the servers, and why
  std::vector<std::string> warnings;  // of pages that were asked for and failed

  // What the metrics of the server's side are computed from.
  measure::ServerSide side() const;
};

class ServerWatch {
 public:
  struct Options {
    std::vector<wire::Url> urls;  // the servers
    std::vector<wire::Url> metrics_urls;
    wire::Access access = {};
    double metrics_interval_s = 1;  // between two looks at the gauges; 0: none
    double look_interval_s = 0.5;   // between two looks at processes and GPUs
    std::string model;
    // What a server counts of its models; null: nobody is asked. Where that fails, nothing is known
    // of this window, and the next asks again; nothing is said of one that never had such a page
    // (not_found, or invalid: another page).
    std::function<Result<StatisticsPage>(const wire::Url& server)> statistics;
    std::vector<std::string> gpus;  // indices or uuids, of the servers; empty: those that their
                                    // processes are seen to use
    // Where GPUs are asked about; null: the driver's library.
    std::function<std::unique_ptr<system::GpuMemory>()> gpu_memory;
    std::function<std::unique_ptr<system::GpuProbe>()> gpu_probe;
    std::function<system::HostLook()> host_look = system::look_at_host;
    double others_share = 0.2;  // of the host's CPUs: it is said where programs that are neither
                                // ours nor the servers' took more
  };

  // Fails when a GPU that was asked for is not there.
  static Result<ServerWatch> make(Options options);
  ServerWatch(ServerWatch&&);
  ServerWatch& operator=(ServerWatch&&) = delete;
  ~ServerWatch();

  // Before the warm-up.
  void look_first();
  // Between warm-up, of which SUCCEEDED requests went well, and window.
  void begin(std::int64_t succeeded);
  // Right after the window.
  ServerReport end(std::int64_t succeeded);

 private:
  struct Looks;

  explicit ServerWatch(Options options);
  void find();
  std::optional<system::HostUse> host_use(const std::optional<system::ServerUse>& servers) const;
  std::optional<std::string> busy_others(const system::HostUse& host) const;
  std::optional<std::vector<StatisticsPage>> read_statistics();
  std::optional<std::vector<StatisticsPage>> settled_statistics(std::int64_t succeeded);
  std::uint64_t counted(const std::vector<StatisticsPage>& before,
                        const std::vector<StatisticsPage>& now) const;

  Options options_;
  Scraper scraper_;
  bool found_ = false;
  bool any_far_ = false;                                // a server that is not on the loopback
  std::unique_ptr<system::ServerProcesses> processes_;  // that serve, not yet looked at
  std::unique_ptr<system::GpuProbe> gpu_probe_;         // null: no GPU is watched
  std::set<std::string> gpus_;                          // uuids
  std::vector<std::string> notes_;
  bool had_statistics_ = false;
  std::optional<MetricsPage> at_first_;
  // Of the window that runs.
  std::optional<MetricsPage> before_;
  std::optional<std::vector<StatisticsPage>> models_before_;
  bool asked_in_vain_ = false;      // for statistics
  std::string statistics_trouble_;  // why they are not known; "" while they are
  std::unique_ptr<Looks> looks_;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace orch::observe
