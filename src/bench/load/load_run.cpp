#include "bench/load/load_run.hpp"

#include "bench/load/loop_parts.hpp"
#include "bench/load/precision_monitor.hpp"
#include "bench/load/stop_requests.hpp"
#include "bench/wire/exchange.hpp"
#include "core/base/text.hpp"

namespace orch::load {
namespace {

// An open loop starts with the connections that a tenth of a second's requests need.
wire::SlotId initial_slots(const record::Load& load) {
  if (load.kind != record::Load::Kind::open) return static_cast<wire::SlotId>(load.concurrency);
  const double wanted = std::clamp(load.request_rate / 10, 8.0, 128.0);
  return static_cast<wire::SlotId>(
      load.concurrency > 0 ? std::min(wanted, static_cast<double>(load.concurrency)) : wanted);
}

class LoadRun {
 public:
  LoadRun(const RunContext& context, std::size_t index)
      : context_(context),
        options_(context.options),
        index_(index),
        load_(context.options.loads[index]) {
    if (options_.stop_by_request)
      stops_.emplace(StopRequests::Options{.protocol = context.target.protocol.get(),
                                           .endpoints = context.target.endpoints,
                                           .access = access_of(options_)});
    loop_.emplace(loop_options());
  }

  Result<RawRun> run() {
    RawRun out;
    context_.target.watch.read_baseline();
    ORCH_TRY(send_first(out));
    ORCH_TRY(loop_->open(initial_slots(load_)));
    // A load that is sent as fast as possible must not run at real-time priority: the kernel
    // suspends a busy real-time thread for 50 ms of each second.
    std::optional<RealTimePriority> priority;
    if (load_.kind != record::Load::Kind::max) priority.emplace();
    ORCH_TRY(warm_up(out));
    choose_cpus();
    if (options_.answers) (void)options_.answers->settle();  // drops the cost of the warm-up
    context_.target.watch.begin_window(
        first_succeeded_ + std::ranges::count_if(out.warmup.records, &measure::RequestRecord::ok));
    ORCH_TRY(measure(out));
    LoadLoop::Phase& measured = out.measured;
    measured.client.scheduling = priority ? priority->scheduling() : "normal";
    measured.client.cpus = client_cpus();
    measured.client.cpus_why = context_.cpus.why();
    return out;
  }

 private:
  LoadLoop::Options loop_options() {
    LoadLoop::Options options = loop_options_of(context_);
    if (stops_)
      options.deadlines.ask_to_stop = [this](std::size_t server, std::uint64_t id) {
        stops_->ask(server, id);
      };
    return options;
  }

  // Called before the connections of the load are opened: a server may close idle ones.
  Status send_first(RawRun& out) {
    if (!options_.first_request || index_ > 0) return {};
    ORCH_ASSIGN(context_.first, send_first_requests(context_));
    out.warnings = context_.first.warnings;
    first_succeeded_ = context_.first.succeeded();
    return {};
  }

  Status warm_up(RawRun& out) {
    if (options_.warmup > 0)
      report(fmt::format("{}: {}", load_.text(), plural(options_.warmup, "warm-up request")));
    const RequestSupply::DueTimes due = context_.supply.warmup_due(index_);
    const bool one_by_one = load_.kind == record::Load::Kind::open && !due;
    PhaseProgress progress(context_.progress.status, load_.text() + ": warm-up", options_.warmup,
                           0);
    ORCH_ASSIGN(out.warmup, loop_->run({.requests = context_.supply.warmup(index_),
                                        .concurrency = one_by_one ? 1 : load_.concurrency,
                                        .due_ns = due,
                                        .tally = progress.tally()}));
    progress.stop();
    if (out.warmup.interrupted) return interrupted_error(options_, index_);
    return {};
  }

  std::string client_cpus() const {
    return system::cpu_list(options_.host_cpus ? options_.host_cpus->own() : system::own_cpus());
  }

  // Called after the warm-up: by then a server has started its threads, and they have run.
  void choose_cpus() {
    const system::ServerProcesses& servers = context_.target.watch.processes();
    const std::string line = context_.cpus.choose(servers.tree(), servers.unseen());
    if (!line.empty()) report(line);
  }

  Status measure(RawRun& out) {
    report(fmt::format("{}: {}", load_.text(), length_text()));
    const std::int64_t wall_offset_ns = wire::wall_ns() - wire::monotonic_ns();
    const RequestSupply::DueTimes due = context_.supply.measured_due(index_);
    SendPlan plan{.requests = context_.supply.measured(index_),
                  .concurrency = load_.concurrency,
                  .due_ns = due,
                  .max_requests = static_cast<std::size_t>(options_.requests),
                  .duration_ns = static_cast<std::int64_t>(options_.duration_s * 1e9)};
    std::optional<PrecisionMonitor> precision;
    if (options_.until) {
      precision.emplace(*options_.until, load_);
      plan.should_stop = [&](std::span<const measure::RequestRecord* const> finished) {
        return precision->add(finished);
      };
    }
    PhaseProgress progress(
        context_.progress.status, load_.text(),
        options_.duration_s > 0 ? options_.requests : context_.supply.requests_per_load(),
        options_.duration_s);
    plan.tally = progress.tally();
    ORCH_ASSIGN(out.measured, loop_->run(plan));
    const std::int64_t progress_cpu_ns = progress.stop();
    if (out.measured.records.empty() && out.measured.interrupted)
      return interrupted_error(options_, index_);
    out.wall_start_ns = out.measured.start_ns + wall_offset_ns;
    out.stopped_early = precision && precision->reached();
    const std::optional<StopRequests::Outcome> stopping = end_stop_requests(out.warnings);
    out.server = context_.target.watch.end_window(
        std::ranges::count_if(out.measured.records, &measure::RequestRecord::ok));
    std::map<std::string, std::int64_t> cpu_ns = out.server.watching_cpu_ns;
    if (stopping) cpu_ns.emplace("stop requests", stopping->cpu_ns);
    if (options_.answers) note_answers(cpu_ns, out.warnings);
    if (precision) cpu_ns.emplace("interval of --until", precision->stop());
    if (context_.progress.status) cpu_ns.emplace("progress", progress_cpu_ns);
    note_threads(cpu_ns, out.measured);
    return {};
  }

  void note_answers(std::map<std::string, std::int64_t>& cpu_ns,
                    std::vector<std::string>& warnings) {
    const record::AnswerSpool::Cost cost = options_.answers->settle();
    cpu_ns.emplace("answers", cost.cpu_ns);
    if (cost.waited_ns > 0)
      warnings.push_back(fmt::format(
          "the client waited {:.3f} s for the disk to take answers: write them to a faster one, or "
          "give --no-answers",
          static_cast<double>(cost.waited_ns) / 1e9));
  }

  std::optional<StopRequests::Outcome> end_stop_requests(std::vector<std::string>& warnings) {
    if (!stops_) return {};
    StopRequests::Outcome outcome = stops_->end();
    if (outcome.failed > 0)
      warnings.push_back(fmt::format("{} of {} stop requests failed, the first: {}", outcome.failed,
                                     outcome.asked, outcome.first_failure));
    return outcome;
  }

  // The busiest thread represents the client.
  static void note_threads(const std::map<std::string, std::int64_t>& cpu_ns_by_thread,
                           LoadLoop::Phase& phase) {
    measure::ClientHealth& client = phase.client;
    const auto wall_ns = static_cast<double>(std::max<std::int64_t>(1, phase.wall_ns));
    client.threads = {{.name = "load", .cpu_share = client.cpu_share.value_or(0)}};
    for (const auto& [name, cpu_ns] : cpu_ns_by_thread)
      client.threads.push_back({.name = name, .cpu_share = static_cast<double>(cpu_ns) / wall_ns});
    std::ranges::stable_sort(
        client.threads, [](const auto& a, const auto& b) { return a.cpu_share > b.cpu_share; });
    client.cpu_share = client.threads.front().cpu_share;
  }

  std::string length_text() const {
    std::string text = options_.requests > 0 ? plural(options_.requests, "request") : "";
    if (options_.duration_s > 0)
      text += fmt::format("{}{:g} s", text.empty() ? "" : ", at most ", options_.duration_s);
    return text.empty() ? plural(context_.supply.measured_per_load(), "request") : text;
  }

  void report(std::string_view line) const {
    if (context_.progress.line) context_.progress.line(line);
  }

  const RunContext& context_;
  const BenchOptions& options_;
  const std::size_t index_;
  const record::Load& load_;
  std::int64_t first_succeeded_ = 0;   // first requests, sent before this load
  std::optional<StopRequests> stops_;  // outlives the loop, which uses it
  std::optional<LoadLoop> loop_;
};

}  // namespace

LoadLoop::Options loop_options_of(const RunContext& context) {
  const BenchOptions& options = context.options;
  const protocol::Protocol& protocol = *context.target.protocol;
  return {.reading = {.protocol = &protocol,
                      .stream = options.stream,
                      .forced_osl = forces_osl(options, protocol),
                      .tokens_per_event = options.tokens_per_event,
                      .sequences = protocol.traits().sequences,
                      .keep_answers = options.keep_answers,
                      .keep_text_ends = options.keep_text_ends,
                      .keep_values = options.keep_values,
                      .access = access_of(options)},
          .stopped = &context.stopped,
          .endpoints = context.target.endpoints,
          .access = access_of(options),
          .connect_timeout_ms = connect_timeout_ms(options),
          .deadlines = {.timeout_ns = static_cast<std::int64_t>(options.timeout_s * 1e9),
                        .stop_after_ns = static_cast<std::int64_t>(options.stop_after_ms * 1e6)},
          .answers = options.answers};
}

Result<RawRun> run_load(const RunContext& context, std::size_t load) {
  return LoadRun(context, load).run();
}

Error interrupted_error(const BenchOptions& options, std::size_t measured) {
  return {.kind = ErrorKind::interrupted,
          .message = fmt::format("interrupted after {} of {} loads were measured", measured,
                                 options.loads.size())};
}

}  // namespace orch::load
