#include "bench/observe/server_watch.hpp"

#include "os/system/clock.hpp"

namespace orch::observe {
namespace {

constexpr double k_gib = 1024.0 * 1024 * 1024;

// The sum of EACH over the GPUs; nullopt if there are none or any value is missing.
std::optional<double> sum_over(const std::vector<GpuWindow>& gpus,
                               std::optional<double> GpuWindow::*each) {
  std::optional<double> sum;
  for (const GpuWindow& gpu : gpus) {
    if (!(gpu.*each)) return std::nullopt;
    sum = sum.value_or(0) + *(gpu.*each);
  }
  return sum;
}

}  // namespace

measure::ServerSide ServerReport::side() const {
  measure::ServerSide side;
  if (processes) {
    side.cpu_share = processes->cpu_s / processes->wall_s;
    side.memory_gib_peak = static_cast<double>(processes->rss_bytes_peak) / k_gib;
  }
  for (const GpuWindow& gpu : gpus)
    side.gpu_memory_gib_peak = std::max(side.gpu_memory_gib_peak.value_or(0), gpu.used_gib_peak);
  side.power_w = sum_over(gpus, &GpuWindow::power_w);
  side.energy_j = sum_over(gpus, &GpuWindow::energy_j);
  return side;
}

// What is known about the servers on this host.
struct ServerWatch::Found {
  system::ServerProcesses processes;                 // not sampled yet
  std::set<std::string> gpus;                        // uuids
  std::unique_ptr<system::GpuProbe> gpu_probe = {};  // null: no GPUs are sampled
  bool has_remote_server = false;                    // one that is not on the loopback interface
  std::vector<std::string> notes;

  // The CPU time of the servers on this host; nullopt if it is unknown. SERVERS: the use of their
  // visible processes.
  std::optional<double> servers_s(const std::optional<system::ServerUse>& servers) const {
    if (!processes.unseen().empty()) return std::nullopt;
    if (processes.listeners().empty()) return 0;
    return servers ? std::optional(servers->cpu_s) : std::nullopt;
  }
};

// The samples of a window. Those of processes and GPUs are taken by one thread at a time: the
// caller's at both ends of the window, a separate one in between.
struct ServerWatch::Window {
  Window(const Options& options, const Found& found, const Scraper& scraper,
         std::optional<MetricsPage> page)
      : before(std::move(page)),
        host_before(options.host_look()),
        processes(found.processes),
        probe(found.gpu_probe.get()),
        gpus(found.gpus),
        thread(first(options.look_interval_s), [this] { return look(); }),
        sampler(scraper, before ? options.metrics_interval_s : 0) {}

  double first(double period_s) {
    look();
    return period_s;
  }
  bool look() {
    processes.look();
    if (probe) gpus.add(system::kernel_seconds(CLOCK_MONOTONIC), probe->read());
    return true;
  }

  std::optional<MetricsPage> before;
  system::HostLook host_before;
  system::ServerProcesses processes;
  system::GpuProbe* probe;
  GpuWatch gpus;
  Periodic thread;  // after the members above, which it uses
  Sampler sampler;
};

namespace {

std::vector<system::GpuUse> all_gpus(const GpuSources& sources) {
  return sources.open_memory ? sources.open_memory()->read() : std::vector<system::GpuUse>();
}

}  // namespace

ServerWatch::ServerWatch(Options options)
    : options_(std::move(options)),
      scraper_(options_.metrics_urls, options_.access, options_.urls),
      statistics_(options_.urls, options_.model, options_.statistics) {}
ServerWatch::ServerWatch(ServerWatch&&) = default;
ServerWatch::~ServerWatch() = default;

Result<ServerWatch> ServerWatch::make(Options options) {
  ServerWatch watch(std::move(options));
  if (!watch.options_.gpus.empty()) {
    const auto all = all_gpus(watch.options_.gpu_sources);
    ORCH_ASSIGN(watch.asked_gpus_, servers_gpus({.asked = watch.options_.gpus}, all));
  }
  return watch;
}

const system::ServerProcesses& ServerWatch::processes() { return found().processes; }

// Searches for the servers' processes and GPUs at the first call.
const ServerWatch::Found& ServerWatch::found() {
  if (!found_) found_ = std::make_unique<Found>(find());
  return *found_;
}

ServerWatch::Found ServerWatch::find() const {
  bool has_remote_server = false;
  std::vector<std::string> notes;
  std::vector<std::uint16_t> ports;
  for (const wire::Url& url : options_.urls) {
    const auto endpoint = wire::resolve(url);
    if (endpoint.ok() && wire::is_loopback(*endpoint)) ports.push_back(url.port);
    else {
      has_remote_server = true;
      notes.push_back(
          fmt::format("CPU and memory of {} are unknown: it is not on the loopback of this host",
                      url.authority()));
    }
  }
  Found found{.processes = system::ServerProcesses(ports),
              .gpus = asked_gpus_,
              .has_remote_server = has_remote_server,
              .notes = std::move(notes)};
  for (const std::uint16_t port : found.processes.unseen())
    found.notes.push_back(
        fmt::format("CPU and memory of the server at port {} are unknown: no process that "
                    "listens there is visible; it is another user's, or in a container",
                    port));
  if (options_.only_pages) {
    found.notes = {"CPU, memory and GPUs of a server that ran already are not sampled"};
    return found;
  }
  if (found.gpus.empty()) {
    GpuClaims claims{.pids = found.processes.tree()};
    for (const int pid : found.processes.listeners())
      if (auto devices = system::environment_of(pid, "CUDA_VISIBLE_DEVICES"))
        claims.visible_devices.push_back(std::move(*devices));
    const auto all = all_gpus(options_.gpu_sources);
    if (auto detected = servers_gpus(claims, all); detected.ok()) found.gpus = std::move(*detected);
    if (!all.empty() && found.gpus.empty())
      found.notes.emplace_back("the GPUs of the server are unknown; name them with --gpus");
  }
  if (!found.gpus.empty()) found.gpu_probe = options_.gpu_sources.open_probe();
  return found;
}

void ServerWatch::judge_others(const system::HostUse& host, ServerReport& report) const {
  if (!host.others_s) return;
  // The kernel counts CPU time in ticks; one tick per CPU and one for the processes of this run may
  // be off.
  constexpr double k_tick_s = 0.01;
  const double share = host.share(*host.others_s);
  const double error = host.share(k_tick_s * (host.cpus + 1));
  if (share - error > options_.others_share)
    report.warnings.push_back(
        fmt::format("other programs used {:.1f} of {} cores of this host during the window{}",
                    *host.others_s / host.wall_s, host.cpus,
                    found_->has_remote_server ? "; these include the server if it runs here" : ""));
  else if (share + error > options_.others_share)
    report.notes.push_back(fmt::format(
        "whether other programs used the cores of this host was not judged: the window of {:.2f} s "
        "is too short for the kernel's count of CPU time",
        host.wall_s));
}

void ServerWatch::read_baseline() {
  scraper_ = Scraper(options_.metrics_urls, options_.access,
                     options_.urls);  // retries after a failure in the previous load
  baseline_ = scraper_.read();
  statistics_.read_baseline();
}

void ServerWatch::begin_window(std::int64_t succeeded) {
  const Found& servers = found();
  std::optional<MetricsPage> before = scraper_.read_settled(baseline_, succeeded);
  statistics_.begin_window(succeeded);
  static_cast<void>(scraper_.take_reset_urls());  // ignore resets in the warm-up
  window_ = std::make_unique<Window>(options_, servers, scraper_, std::move(before));
}

ServerReport ServerWatch::end_window(std::int64_t succeeded) {
  ServerReport report{.before = std::move(window_->before), .notes = found().notes};
  Window& window = *window_;
  window.thread.stop();
  window.look();
  report.processes = window.processes.use();
  report.host = system::host_use(window.host_before, options_.host_look(),
                                 found().servers_s(report.processes));
  if (options_.only_pages) report.processes.reset();
  report.gpus = window.gpus.windows();
  for (std::string& warning : clock_warnings(report.gpus, options_.gpu_clock_mhz))
    report.warnings.push_back(std::move(warning));
  report.during = window.sampler.stop();
  report.watching_cpu_ns = {{"watching the server", window.thread.cpu_ns()}};
  if (window.sampler.cpu_ns() > 0)
    report.watching_cpu_ns.emplace("watching its pages", window.sampler.cpu_ns());
  report.after = scraper_.read_settled(report.before, succeeded);
  if (!scraper_.error().empty())
    report.warnings.push_back(fmt::format("no server metrics: {}", scraper_.error()));
  else if (!window.sampler.error().empty())
    report.warnings.push_back(fmt::format("gauges were sampled in only a part of the window: {}",
                                          window.sampler.error()));
  std::set<std::string> reset_urls = scraper_.take_reset_urls();
  reset_urls.merge(window.sampler.take_reset_urls());
  report.counters_hold = reset_urls.empty();
  for (const std::string& url : reset_urls)
    report.warnings.push_back(
        fmt::format("the counters of {} were reset during the window; their values for the window "
                    "are left out",
                    url));
  if (report.host) judge_others(*report.host, report);
  report.models = statistics_.end_window(succeeded);
  if (report.models && !report.counters_hold)
    for (ModelTimes& model : *report.models) model.restarted = true;
  if (!statistics_.error().empty())
    report.warnings.push_back(fmt::format("no statistics of the models: {}", statistics_.error()));
  window_.reset();
  return report;
}

}  // namespace orch::observe
