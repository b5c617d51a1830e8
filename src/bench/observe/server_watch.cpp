#include "bench/observe/server_watch.hpp"

#include "bench/observe/model_statistics.hpp"
#include "bench/wire/exchange.hpp"

#include <thread>

namespace orch::observe {
namespace {

constexpr double k_gib = 1024.0 * 1024 * 1024;

double now_s() { return static_cast<double>(wire::monotonic_ns()) / 1e9; }

// The sum of EACH over the GPUs; nullopt if any value is missing.
template <class Each>
std::optional<double> sum_over(const std::vector<GpuWindow>& gpus, Each each) {
  std::optional<double> sum;
  for (const GpuWindow& gpu : gpus) {
    const std::optional<double> one = each(gpu);
    if (!one) return std::nullopt;
    sum = sum.value_or(0) + *one;
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
  side.power_w = sum_over(gpus, [](const GpuWindow& gpu) { return gpu.power_w; });
  side.energy_j = sum_over(gpus, [](const GpuWindow& gpu) { return gpu.energy_j; });
  return side;
}

// Samples of processes and GPUs, taken by one thread at a time: the caller's at both ends of the
// window, a separate one in between.
struct ServerWatch::HostSamples {
  HostSamples(const system::ServerProcesses& served_by, system::GpuProbe* gpu_probe,
              const std::set<std::string>& uuids, const system::HostLook& host, double period_s)
      : processes(served_by),
        probe(gpu_probe),
        gpus(uuids),
        host_before(host),
        thread(first(period_s), [this] { return look(); }) {}

  double first(double period_s) {
    look();
    return period_s;
  }
  bool look() {
    processes.look();
    if (probe) gpus.add(now_s(), probe->read());
    return true;
  }

  system::ServerProcesses processes;
  system::GpuProbe* probe;
  GpuWatch gpus;
  system::HostLook host_before;
  Periodic thread;  // last: it uses the members above
};

namespace {

std::vector<system::GpuUse> all_gpus(const GpuSources& sources) {
  return sources.open_memory ? sources.open_memory()->read() : std::vector<system::GpuUse>();
}

}  // namespace

ServerWatch::ServerWatch(Options options)
    : options_(std::move(options)),
      scraper_(options_.metrics_urls, options_.access, options_.urls) {}
ServerWatch::ServerWatch(ServerWatch&&) = default;
ServerWatch::~ServerWatch() = default;

Result<ServerWatch> ServerWatch::make(Options options) {
  ServerWatch watch(std::move(options));
  if (!watch.options_.gpus.empty()) {
    const auto all = all_gpus(watch.options_.gpu_sources);
    ORCH_ASSIGN(
        watch.gpus_,
        servers_gpus({.asked = watch.options_.gpus, .pids = {}, .visible_devices = {}}, all));
  }
  return watch;
}

const system::ServerProcesses& ServerWatch::processes() {
  find_processes();
  return *processes_;
}

// Finds the servers' processes and GPUs, once.
void ServerWatch::find_processes() {
  if (std::exchange(has_searched_, true)) return;
  std::vector<std::uint16_t> ports;
  for (const wire::Url& url : options_.urls) {
    const auto endpoint = wire::resolve(url);
    if (endpoint.ok() && wire::is_loopback(*endpoint)) ports.push_back(url.port);
    else {
      has_remote_server_ = true;
      notes_.push_back(
          fmt::format("CPU and memory of {} are unknown: it is not on the loopback of this host",
                      url.authority()));
    }
  }
  processes_ = std::make_unique<system::ServerProcesses>(ports);
  for (const std::uint16_t port : processes_->unseen())
    notes_.push_back(
        fmt::format("CPU and memory of the server at port {} are unknown: no process that "
                    "listens there is visible; it is another user's, or in a container",
                    port));
  if (options_.only_pages) {
    notes_ = {"CPU, memory and GPUs of a server that ran already are not sampled"};
    return;
  }
  if (gpus_.empty()) {
    GpuClaims claims{.asked = {}, .pids = processes_->tree(), .visible_devices = {}};
    for (const int pid : processes_->listeners())
      if (auto devices = system::environment_of(pid, "CUDA_VISIBLE_DEVICES"))
        claims.visible_devices.push_back(std::move(*devices));
    const auto all = all_gpus(options_.gpu_sources);
    if (auto found = servers_gpus(claims, all); found.ok()) gpus_ = std::move(*found);
    if (!all.empty() && gpus_.empty())
      notes_.emplace_back("the GPUs of the server are unknown; name them with --gpus");
  }
  if (!gpus_.empty()) gpu_probe_ = options_.gpu_sources.open_probe();
}

// SERVERS: those on the loopback; nullopt if their processes are not visible.
std::optional<system::HostUse> ServerWatch::host_use(
    const std::optional<system::ServerUse>& servers) const {
  std::optional<double> servers_s;
  if (processes_->listeners().empty() && processes_->unseen().empty()) servers_s = 0;
  else if (servers && processes_->unseen().empty()) servers_s = servers->cpu_s;
  return system::host_use(samples_->host_before, options_.host_look(), servers_s);
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
                    has_remote_server_ ? "; these include the server if it runs here" : ""));
  else if (share + error > options_.others_share)
    report.notes.push_back(fmt::format(
        "whether other programs used the cores of this host was not judged: the window of {:.2f} s "
        "is too short for the kernel's count of CPU time",
        host.wall_s));
}

std::optional<std::vector<StatisticsPage>> ServerWatch::read_statistics() {
  if (!options_.statistics || statistics_failed_) return std::nullopt;
  std::vector<StatisticsPage> pages;
  for (const wire::Url& url : options_.urls) {
    Result<StatisticsPage> page = options_.statistics(url);
    if (!page.ok()) {
      statistics_failed_ = true;
      const bool no_such_page =
          page.error().kind == ErrorKind::not_found || page.error().kind == ErrorKind::invalid;
      if (has_statistics_ || !no_such_page) statistics_error_ = page.error().message;
      return std::nullopt;
    }
    pages.push_back(std::move(*page));
  }
  has_statistics_ = true;
  return pages;
}

// All requests to the model under load, successful or not.
std::uint64_t ServerWatch::counted(const std::vector<StatisticsPage>& before,
                                   const std::vector<StatisticsPage>& now) const {
  std::uint64_t requests = 0;
  for (const ModelTimes& model : model_times(before, now))
    if (model.model == options_.model) requests += model.requests + model.failed;
  return requests;
}

std::optional<std::vector<StatisticsPage>> ServerWatch::settled_statistics(std::int64_t succeeded) {
  using Pages = std::vector<StatisticsPage>;
  return read_settled([this] { return read_statistics(); },
                      [&](const std::optional<Pages>& previous, const Pages& now) {
                        return !models_before_ || (counted(*models_before_, now) >=
                                                       static_cast<std::uint64_t>(succeeded) &&
                                                   previous == now);
                      });
}

void ServerWatch::read_baseline() {
  scraper_ = Scraper(options_.metrics_urls, options_.access,
                     options_.urls);  // retries after a failure in the previous load
  baseline_ = scraper_.read();
  statistics_failed_ = false;
  statistics_error_.clear();
  models_before_ = read_statistics();
}

void ServerWatch::begin_window(std::int64_t succeeded) {
  find_processes();
  before_ = scraper_.read_settled(baseline_, succeeded);
  models_before_ = settled_statistics(succeeded);
  static_cast<void>(scraper_.take_reset_urls());  // ignore resets in the warm-up
  samples_ = std::make_unique<HostSamples>(*processes_, gpu_probe_.get(), gpus_,
                                           options_.host_look(), options_.look_interval_s);
  sampler_ = std::make_unique<Sampler>(scraper_, before_ ? options_.metrics_interval_s : 0);
}

ServerReport ServerWatch::end_window(std::int64_t succeeded) {
  ServerReport report{.before = std::move(before_),
                      .after = {},
                      .counters_hold = true,
                      .during = {},
                      .models = {},
                      .processes = {},
                      .host = {},
                      .gpus = {},
                      .watching_cpu_ns = {},
                      .notes = notes_,
                      .warnings = {}};
  samples_->thread.stop();
  samples_->look();
  report.processes = samples_->processes.use();
  report.host = host_use(report.processes);
  if (options_.only_pages) report.processes.reset();
  report.gpus = samples_->gpus.windows();
  for (std::string& warning : clock_warnings(report.gpus, options_.gpu_clock_mhz))
    report.warnings.push_back(std::move(warning));
  report.during = sampler_->stop();
  report.watching_cpu_ns = {{"watching the server", samples_->thread.cpu_ns()}};
  if (sampler_->cpu_ns() > 0)
    report.watching_cpu_ns.emplace("watching its pages", sampler_->cpu_ns());
  report.after = scraper_.read_settled(report.before, succeeded);
  if (!scraper_.error().empty())
    report.warnings.push_back(fmt::format("no server metrics: {}", scraper_.error()));
  else if (!sampler_->error().empty())
    report.warnings.push_back(
        fmt::format("gauges were sampled in only a part of the window: {}", sampler_->error()));
  std::set<std::string> reset_urls = scraper_.take_reset_urls();
  reset_urls.merge(sampler_->take_reset_urls());
  report.counters_hold = reset_urls.empty();
  for (const std::string& url : reset_urls)
    report.warnings.push_back(
        fmt::format("the counters of {} were reset during the window; their values for the window "
                    "are left out",
                    url));
  if (report.host) judge_others(*report.host, report);
  const auto models_after = settled_statistics(succeeded);
  if (models_before_ && models_after) report.models = model_times(*models_before_, *models_after);
  if (report.models && !report.counters_hold)
    for (ModelTimes& model : *report.models) model.restarted = true;
  if (!statistics_error_.empty())
    report.warnings.push_back(fmt::format("no statistics of the models: {}", statistics_error_));
  samples_.reset();
  sampler_.reset();
  return report;
}

}  // namespace orch::observe
