#include "load/bench.hpp"

#include <cmath>
#include <numeric>

#include "wire/clock.hpp"
#include "load/arrivals.hpp"
#include "load/bench_check.hpp"
#include "load/precision_monitor.hpp"
#include "load/load_loop.hpp"
#include "load/real_time_priority.hpp"
#include "protocol/protocol.hpp"
#include "observe/server_watch.hpp"
#include "observe/triton_statistics.hpp"
#include "load/phase_progress.hpp"
#include "load/stop_requests.hpp"
#include "protocol/triton_ask.hpp"
#include "measure/first_events.hpp"
#include "measure/goodput.hpp"

namespace orch::load {
namespace {

std::int64_t succeeded(const std::vector<measure::RequestRecord>& records) {
  return std::count_if(records.begin(), records.end(),
                       [](const auto& record) { return record.ok(); });
}

void rebase(std::vector<measure::RequestRecord>& records, std::int64_t start_ns) {
  for (measure::RequestRecord& record : records) {
    record.sent_ns -= start_ns;
    record.end_ns -= start_ns;
    if (record.due_ns) *record.due_ns -= start_ns;
    for (std::int64_t& event_ns : record.event_ns) event_ns -= start_ns;
  }
}

// The servers' URLs, which differ in host and port alone: every request is made once, for all of
// them.
Result<std::vector<wire::Url>> parse_urls(const std::vector<std::string>& texts, bool one_path) {
  std::vector<wire::Url> out;
  for (const std::string& text : texts) {
    ORCH_ASSIGN(wire::Url url, wire::parse_url(text));
    while (one_path && url.path.ends_with('/')) url.path.pop_back();
    if (one_path && !out.empty() && url.path != out.front().path)
      return invalid(fmt::format(
          "the servers {} and {} differ in their paths; servers that share a load have one path",
          texts.front(), text));
    out.push_back(std::move(url));
  }
  return out;
}

std::vector<record::ServerShare> shares(const std::vector<std::string>& urls,
                                        std::span<const measure::RequestRecord> records) {
  std::vector<record::ServerShare> out;
  for (const std::string& url : urls) out.push_back({.url = url});
  for (const measure::RequestRecord& record : records) {
    record::ServerShare& share = out[static_cast<std::size_t>(record.server)];
    ++share.requests;
    share.failed += !record.ok();
    share.lost += record.lost_server;
  }
  return out;
}

constexpr std::uint64_t k_warmup = 0, k_measured = 1;  // phases

class Bench {
 public:
  Bench(const BenchOptions& options, const std::atomic<bool>& stopped, const Progress& progress)
      : options_(options), stopped_(stopped), progress_(progress) {}

  Status run(const prompt::PromptSet& prompts, const Keep& keep) {
    ORCH_TRY(prepare(prompts));
    for (std::size_t i = 0; i < options_.loads.size(); ++i) {
      if (stopped_.load(std::memory_order_relaxed)) return interrupted(i);
      Result<record::Measurement> measurement = measure_one(i);
      if (!measurement.ok())
        return i == 0 ? measurement.error() : measurement.error().within(options_.loads[i].text());
      const bool cut_off = measurement->interrupted;
      keep(std::move(*measurement));
      if (cut_off) return interrupted(i);
    }
    return {};
  }

 private:
  // The requests of one kind, a share of them for each load, and when those of a trace are due.
  struct Supply {
    std::vector<PreparedRequest> requests;
    std::vector<std::int64_t> trace_ns;
    std::size_t share = 0;

    std::span<const PreparedRequest> of_load(std::size_t load) const {
      return std::span(requests).subspan(load * share, share);
    }
    // From the first of the load's own.
    std::vector<std::int64_t> trace_of_load(std::size_t load) const {
      std::vector<std::int64_t> out(
          trace_ns.begin() + static_cast<std::ptrdiff_t>(load * share),
          trace_ns.begin() + static_cast<std::ptrdiff_t>((load + 1) * share));
      for (std::size_t i = out.size(); i-- > 0;) out[i] -= out[0];
      return out;
    }
  };

  Status prepare(const prompt::PromptSet& prompts) {
    ORCH_TRY(check_options(options_));
    ORCH_ASSIGN(const std::vector<wire::Url> urls, parse_urls(options_.urls, true));
    for (const wire::Url& url : urls) {
      ORCH_ASSIGN(wire::Endpoint endpoint, wire::resolve(url));
      endpoints_.push_back(std::move(endpoint));
    }
    ORCH_ASSIGN(std::vector<wire::Url> metrics_urls, parse_urls(options_.metrics_urls, false));
    ORCH_TRY(watch_servers(urls, std::move(metrics_urls)));
    isl_requested_ = prompts.isl_requested;
    notes_ = prompts.notices;
    if (options_.insecure) notes_.push_back("no certificate was checked: --insecure was given");
    // The Host header is the first server's in all requests: servers that share a load do not tell
    // themselves apart by it.
    ORCH_TRY(make_protocol_for(urls.front()));
    ORCH_ASSIGN(measured_, supply(prompts.measured, "measured", options_.requests));
    ORCH_ASSIGN(warmup_, supply(warmup_of(prompts), "warm-up", options_.warmup));
    return check_trace();
  }

  // With prompts that may be sent again, those of the window will do where there are too few for
  // warm-up alone.
  std::vector<prompt::Prompt> warmup_of(const prompt::PromptSet& prompts) {
    const auto wanted = static_cast<std::size_t>(options_.warmup) * options_.loads.size() *
                        static_cast<std::size_t>(options_.batch);
    std::vector<prompt::Prompt> out = prompts.warmup;
    if (!options_.reuse_prompts || prompts.measured.empty() || out.size() >= wanted) return out;
    notes_.emplace_back(
        "warm-up sent prompts that were measured after it: a server that reuses prefixes answers "
        "those faster");
    for (std::size_t i = 0; out.size() < wanted; ++i)
      out.push_back(prompts.measured[i % prompts.measured.size()]);
    return out;
  }

  // What the model takes is asked for before any request is made.
  Status make_protocol_for(const wire::Url& url) {
    ORCH_ASSIGN(const protocol::ProtocolRow* row, protocol::find_protocol(options_.protocol));
    protocol::RequestShape shape{.url = url,
                                 .model = options_.model,
                                 .stream = options_.stream,
                                 .osl = options_.osl,
                                 .forced_osl = !options_.eos,
                                 .batch = options_.batch,
                                 .sampling = options_.sampling,
                                 .authorization = options_.authorization,
                                 .send_ids = options_.send_ids,
                                 .stoppable = options_.stop_by_request,
                                 .inputs = options_.inputs};
    if (row->ask != nullptr) {
      Result<protocol::ModelFacts> facts =
          row->ask(url, options_.model, access(), connect_timeout_ms());
      if (!facts.ok() && facts.error().kind != ErrorKind::not_found) return facts.error();
      if (facts.ok()) shape.facts = std::move(*facts);
      else notes_.push_back(facts.error().message);
    }
    const bool ensemble = shape.facts && shape.facts->ensemble;
    ORCH_ASSIGN(protocol_, row->make(std::move(shape)));
    ORCH_TRY(check_stop(ensemble));
    if (options_.send_ids && !protocol_->takes_ids())
      notes_.push_back(fmt::format("{} takes no token ids: --ids changes nothing", options_.model));
    for (const std::string& input : protocol_->left_out())
      notes_.push_back(fmt::format("the model has no input {}: left out", input));
    return {};
  }

  Status check_stop(bool ensemble) {
    if (options_.stop_by_request) {
      if (protocol_->stop_request(protocol::text_of_id(0)).empty())
        return invalid(
            fmt::format("--stop-by request needs a model that is known to have the input stop, and "
                        "{} is not; give --stop-by close",
                        options_.model));
      notes_.emplace_back(
          "requests were stopped by requests, which the server counts as requests of the model, "
          "too");
    } else if (options_.stop_after_ms > 0 && ensemble) {
      notes_.push_back(
          fmt::format("{} is an ensemble, and Triton lets those run to their end when the stream "
                      "was closed: --stop-after-ms ends what the client sees alone",
                      options_.model));
    }
    return {};
  }

  Status watch_servers(std::vector<wire::Url> urls, std::vector<wire::Url> metrics_urls) {
    observe::ServerWatch::Options watch{.urls = std::move(urls),
                                        .metrics_urls = std::move(metrics_urls),
                                        .access = access(),
                                        .metrics_interval_s = options_.metrics_interval_s,
                                        .model = options_.model,
                                        .statistics = {},
                                        .gpus = options_.gpus,
                                        .gpu_memory = {},
                                        .gpu_probe = {},
                                        .others_share = options_.limits.others_share};
    if (protocol::is_triton(options_.protocol) && options_.statistics)
      watch.statistics = [access = access(),
                          grpc = options_.protocol == "triton-grpc"](const wire::Url& server) {
        return grpc ? observe::read_statistics_grpc(server, access)
                    : observe::read_statistics_http(server, access);
      };
    ORCH_ASSIGN(observe::ServerWatch made, observe::ServerWatch::make(std::move(watch)));
    servers_.emplace(std::move(made));
    return {};
  }

  Status check_ids(const std::vector<prompt::Prompt>& prompts) const {
    const bool takes_ids = protocol_->takes_ids();
    const bool sends_messages = protocol_->sends_messages();
    const auto cannot_go = [&](const prompt::Prompt& prompt) {
      if (takes_ids) return prompt.ids.empty();
      return prompt.text_input.empty() && !prompt.ids.empty() &&
             (!sends_messages || prompt.messages.empty());
    };
    if (std::none_of(prompts.begin(), prompts.end(), cannot_go)) return {};
    if (!takes_ids)
      return invalid(fmt::format(
          "prompts go to {} as texts, and {} has some of ids alone; give them text_input",
          options_.model, options_.prompts_name));
    return invalid(
        fmt::format("prompts go to {} as token ids, and {} has some without; give them input_ids, "
                    "or add --tokenizer DIR --ids",
                    options_.model, options_.prompts_name));
  }

  Result<Supply> supply(const std::vector<prompt::Prompt>& prompts, std::string_view kind,
                        std::int64_t asked) const {
    ORCH_ASSIGN(const std::int64_t share, share_of_prompts(options_, kind, asked, prompts.size()));
    ORCH_TRY(check_ids(prompts));
    Supply out{.requests = {}, .trace_ns = {}, .share = static_cast<std::size_t>(share)};
    const auto batch = static_cast<std::size_t>(options_.batch);
    for (std::size_t i = 0; i < out.share * options_.loads.size(); ++i) {
      const std::span<const prompt::Prompt> of_one(prompts.data() + i * batch, batch);
      out.requests.push_back(made(of_one));
      out.trace_ns.push_back(std::llround(of_one.front().timestamp_s.value_or(-1) * 1e9));
    }
    return out;
  }

  PreparedRequest made(std::span<const prompt::Prompt> prompts) const {
    PreparedRequest out{
        .bytes = protocol_->request(prompts), .isl = 0, .osl = protocol_->osl(prompts)};
    out.id_at = protocol_->id_at(out.bytes);
    for (const prompt::Prompt& prompt : prompts) {
      if (out.isl && prompt.isl && protocol_->sends_prompts()) *out.isl += *prompt.isl;
      else out.isl.reset();
    }
    return out;
  }

  Status check_trace() const {
    if (std::none_of(options_.loads.begin(), options_.loads.end(),
                     [](const record::Load& load) { return load.is_trace(); }))
      return {};
    for (std::size_t i = 0; i < measured_.trace_ns.size(); ++i) {
      if (measured_.trace_ns[i] < 0)
        return invalid(fmt::format(
            "--arrival trace needs a timestamp in every prompt, and prompt {} of {} has none",
            i + 1, options_.prompts_name));
      if (i > 0 && measured_.trace_ns[i] < measured_.trace_ns[i - 1])
        return invalid(
            fmt::format("the timestamps of {} go back at prompt {}; sort its lines by timestamp",
                        options_.prompts_name, i + 1));
    }
    return {};
  }

  // One drawn schedule per load, phase and block of prompts, all of one seed: a repeat has prompts
  // of its own, and a schedule of its own.
  std::uint64_t seed_of(std::size_t load, std::uint64_t phase) const {
    constexpr std::uint64_t k_odd = 0x9E3779B97F4A7C15;
    return (options_.seed * k_odd + static_cast<std::uint64_t>(options_.block)) * k_odd + load * 2 +
           phase + 1;
  }

  // When the requests of an open load are due; empty where requests wait for one another.
  std::optional<std::vector<std::int64_t>> schedule(std::size_t load, std::uint64_t phase,
                                                    std::size_t count, double seconds) const {
    const record::Load& of = options_.loads[load];
    if (of.kind != record::Load::Kind::open) return {};
    if (of.is_trace())
      return phase == k_warmup ? std::nullopt : std::optional(measured_.trace_of_load(load));
    // As many as can be due in that time: the mean, and far more than chance adds.
    const double most = of.request_rate * seconds +
                        20 * std::sqrt(of.request_rate * seconds / std::min(1.0, of.burstiness)) +
                        100;
    if (seconds > 0 && (count == 0 || static_cast<double>(count) > most))
      count = static_cast<std::size_t>(most);
    return draw_arrivals(of, seed_of(load, phase), count);
  }

  Error interrupted(std::size_t whole) const {
    return {.kind = ErrorKind::interrupted,
            .message = fmt::format("interrupted when {} of {} loads were measured", whole,
                                   options_.loads.size()),
            .where = {}};
  }

  Result<record::Measurement> measure_one(std::size_t index) {
    const record::Load& load = options_.loads[index];
    std::optional<StopRequests> stops;
    if (options_.stop_by_request)
      stops.emplace(StopRequests::Options{
          .protocol = protocol_.get(), .endpoints = endpoints_, .access = access()});
    LoadLoop loop({.reading = {.protocol = protocol_.get(),
                               .stream = options_.stream,
                               .forced_osl = forced_osl(),
                               .tokens_per_event = options_.tokens_per_event,
                               .sequences = protocol_->sequences(),
                               .keep_answers = options_.keep_answers,
                               .keep_text_ends = options_.keep_text_ends,
                               .access = access()},
                   .stopped = &stopped_,
                   .endpoints = endpoints_,
                   .access = access(),
                   .connect_timeout_ms = connect_timeout_ms(),
                   .timeout_ns = static_cast<std::int64_t>(options_.timeout_s * 1e9),
                   .stop_after_ns = static_cast<std::int64_t>(options_.stop_after_ms * 1e6),
                   .ask_to_stop = stops ? [&stops](std::size_t server,
                                                   std::uint64_t id) { stops->ask(server, id); }
                                        : LoadLoop::AskToStop()});
    ORCH_TRY(loop.open(slots_to_begin_with(load)));
    // A thread that is to have no rest must not have it: the kernel takes a real-time thread off
    // for 50 ms of each second that it works through.
    std::optional<RealTimePriority> priority;
    if (load.kind != record::Load::Kind::max) priority.emplace();
    record::Measurement out;
    out.load = load;
    out.prompts = {.first = index * measured_.share * static_cast<std::size_t>(options_.batch),
                   .requests = measured_.share};
    out.isl_requested = isl_requested_;
    out.ids = protocol_->takes_ids();
    servers_->look_first();
    if (options_.warmup > 0)
      tell(fmt::format("{}: {} warm-up requests", load.text(), options_.warmup));
    const auto warmup_due = schedule(index, k_warmup, warmup_.share, 0);
    PhaseProgress warming_up(progress_.standing, load.text() + ": warm-up", options_.warmup, 0);
    ORCH_ASSIGN(
        LoadLoop::Phase warmup,
        loop.run({.requests = warmup_.of_load(index),
                  .concurrency =
                      load.kind == record::Load::Kind::open && !warmup_due ? 1 : load.concurrency,
                  .due_ns = warmup_due,
                  .tally = warming_up.tally()}));
    warming_up.stop();
    if (warmup.interrupted) return interrupted(index);
    servers_->begin(succeeded(warmup.records));

    tell(fmt::format("{}: {}", load.text(), how_long()));
    const std::int64_t wall_offset_ns = wire::wall_ns() - wire::monotonic_ns();
    const std::span<const PreparedRequest> requests = measured_.of_load(index);
    const auto due = schedule(index, k_measured, static_cast<std::size_t>(options_.requests),
                              options_.duration_s);
    Sending sending{.requests = requests,
                    .concurrency = load.concurrency,
                    .due_ns = due,
                    .most = static_cast<std::size_t>(options_.requests),
                    .duration_ns = static_cast<std::int64_t>(options_.duration_s * 1e9)};
    std::optional<PrecisionMonitor> enough;
    if (options_.until) {
      enough.emplace(*options_.until, load);
      sending.enough = [&](std::span<const measure::RequestRecord* const> news) {
        return enough->tell(news);
      };
    }
    PhaseProgress measuring(progress_.standing, load.text(),
                            options_.duration_s > 0 ? options_.requests : asked_requests(),
                            options_.duration_s);
    sending.tally = measuring.tally();
    ORCH_ASSIGN(LoadLoop::Phase measured, loop.run(sending));
    const std::int64_t telling_cpu_ns = measuring.stop();
    if (measured.records.empty() && measured.interrupted) return interrupted(index);
    out.interrupted = measured.interrupted;
    out.stopped_early = enough && enough->reached();
    const auto stopping = stops ? std::optional(stops->end()) : std::nullopt;
    out.server = servers_->end(succeeded(measured.records));
    std::map<std::string, std::int64_t> others = out.server.watching_cpu_ns;
    if (stopping) others.emplace("stop requests", stopping->cpu_ns);
    if (stopping && stopping->failed > 0)
      out.verdict.warnings.push_back(fmt::format("{} of {} stop requests failed, the first: {}",
                                                 stopping->failed, stopping->asked,
                                                 stopping->first_failure));
    if (enough) others.emplace("interval of --until", enough->stop());
    if (progress_.standing) others.emplace("progress", telling_cpu_ns);
    note_threads(measured, others);
    measured.client.scheduling = priority ? priority->scheduling() : "normal";
    measured.client.cpus = own_cpus();
    out.wall_start_ns = measured.start_ns + wall_offset_ns;
    priority.reset();
    if (!out.interrupted) {
      count_texts(measured.records, out.verdict.warnings);
      look_into_events(measured.records, out.verdict.warnings);
    }
    if (measured.records.size() > requests.size())
      out.verdict.warnings.push_back(
          fmt::format("prompts were sent again after {} requests: a server that reuses prefixes "
                      "answers those faster",
                      requests.size()));
    conclude(warmup, measured, out);
    return out;
  }

  // What nobody counted while it came.
  void count_texts(std::vector<measure::RequestRecord>& records,
                   std::vector<std::string>& warnings) const {
    if (!options_.count_texts || !options_.keep_answers) return;
    std::vector<measure::RequestRecord*> uncounted;
    std::vector<std::string_view> texts;
    for (measure::RequestRecord& record : records) {
      if (!record.ok() || record.osl_counted || record.answer.empty() || record.sequences != 1)
        continue;
      uncounted.push_back(&record);
      texts.push_back(record.answer);
    }
    if (texts.empty()) return;
    tell(fmt::format("counting the tokens of {} answers", texts.size()));
    const auto counted = options_.count_texts(texts);
    if (!counted)
      return warnings.push_back(fmt::format("the tokens of {} answers are not counted: {}",
                                            texts.size(), counted.error().message));
    for (std::size_t i = 0; i < uncounted.size(); ++i) {
      uncounted[i]->osl_counted = (*counted)[i];
      uncounted[i]->counted_by = measure::CountedBy::text;
    }
  }

  // Where events were counted and nothing else says how long an answer is.
  void look_into_events(std::span<const measure::RequestRecord> records,
                        std::vector<std::string>& warnings) const {
    if (!options_.count_texts || !options_.keep_answers || forced_osl()) return;
    constexpr std::size_t k_looked_at = 50;
    std::vector<std::string_view> texts;
    std::int64_t as_counted = 0;
    for (const measure::RequestRecord& record : records) {
      if (texts.size() == k_looked_at) break;
      if (!record.ok() || record.counted_by != measure::CountedBy::events ||
          record.answer.empty() || record.sequences != 1)
        continue;
      texts.push_back(record.answer);
      as_counted += record.osl_counted.value_or(0);
    }
    if (texts.empty()) return;
    const auto counted = options_.count_texts(texts);
    if (!counted) return;
    const std::int64_t tokens = std::accumulate(counted->begin(), counted->end(), std::int64_t{0});
    if (static_cast<double>(tokens) <= 1.1 * static_cast<double>(as_counted)) return;
    warnings.push_back(fmt::format(
        "{} answers have {} tokens by their events, and {} when their texts are tokenised again: "
        "events may bring several; --tokens-per-event N says how many, 0 has the texts counted",
        texts.size(), as_counted, tokens));
  }

  static void note_threads(LoadLoop::Phase& phase,
                           const std::map<std::string, std::int64_t>& others_cpu_ns) {
    measure::ClientHealth& client = phase.client;
    const auto wall_ns = static_cast<double>(std::max<std::int64_t>(1, phase.wall_ns));
    client.threads = {{.name = "load", .cpu_share = client.cpu_share.value_or(0)}};
    for (const auto& [name, cpu_ns] : others_cpu_ns)
      client.threads.push_back({.name = name, .cpu_share = static_cast<double>(cpu_ns) / wall_ns});
    std::stable_sort(client.threads.begin(), client.threads.end(),
                     [](const auto& a, const auto& b) { return a.cpu_share > b.cpu_share; });
    client.cpu_share = client.threads.front().cpu_share;
  }

  // An open load begins with the connections that requests of a tenth of a second need.
  static wire::SlotId slots_to_begin_with(const record::Load& load) {
    if (load.kind != record::Load::Kind::open) return static_cast<wire::SlotId>(load.concurrency);
    const double wanted = std::clamp(load.request_rate / 10, 8.0, 128.0);
    return static_cast<wire::SlotId>(
        load.concurrency > 0 ? std::min(wanted, static_cast<double>(load.concurrency)) : wanted);
  }

  std::string how_long() const {
    std::string text = options_.requests > 0 ? fmt::format("{} requests", options_.requests) : "";
    if (options_.duration_s > 0)
      text += fmt::format("{}{:g} s", text.empty() ? "" : ", at most ", options_.duration_s);
    return text.empty() ? fmt::format("{} requests", measured_.share) : text;
  }

  void conclude(LoadLoop::Phase& warmup, LoadLoop::Phase& measured,
                record::Measurement& out) const {
    rebase(warmup.records, measured.start_ns);
    rebase(measured.records, measured.start_ns);
    measure::Window window{.records = measured.records,
                           .server = {},
                           .client = measured.client,
                           .open_loop = out.load.kind == record::Load::Kind::open};
    if (!window.open_loop) window.concurrency = out.load.concurrency;
    if (out.server.before && out.server.after && out.server.counters_hold)
      window.server = observe::growth(*out.server.before, *out.server.after);
    window.side = out.server.side();
    out.duration_s = measure::duration_s(window.records);
    if (auto warning = measure::settle_first_events(measured.records, options_.tokens_per_event))
      out.verdict.warnings.push_back(std::move(*warning));
    count_good(window, out.verdict.warnings);
    out.metrics = measure::metrics_of(window);
    out.unsupported = measure::unsupported_percentiles(out.metrics);
    if (options_.until) note_until(*options_.until, out);
    out.client = measured.client;
    out.counting_osl = how_osl_is_counted(measured.records);
    out.servers = shares(options_.urls, measured.records);
    out.counting_isl = how_isl_is_counted(measured.records);
    std::vector<std::string> warnings = std::move(out.verdict.warnings);
    out.verdict = measure::judge(
        window,
        {.requests =
             options_.duration_s > 0 || out.stopped_early || out.interrupted ? 0 : asked_requests(),
         .forced_osl = forced_osl(),
         .max = out.load.kind == record::Load::Kind::max},
        options_.limits);
    out.verdict.warnings.insert(out.verdict.warnings.end(), warnings.begin(), warnings.end());
    if (!measured.gave_up.empty()) out.verdict.reasons.push_back(measured.gave_up);
    note_left_undone(measured, out);
    judge_servers(out);
    if (auto others = out.server.models && !options_.stop_by_request
                          ? observe::requests_of_others(
                                *out.server.models, options_.model,
                                std::ssize(measured.records) + std::ssize(measured.cut_off_due_ns))
                          : std::nullopt)
      out.verdict.warnings.push_back(std::move(*others));
    out.verdict.valid = out.verdict.reasons.empty();
    out.verdict.warnings.insert(out.verdict.warnings.end(), notes_.begin(), notes_.end());
    const std::int64_t failed =
        static_cast<std::int64_t>(warmup.records.size()) - succeeded(warmup.records);
    if (failed > 0 || !warmup.gave_up.empty())
      out.verdict.warnings.push_back(fmt::format("{} of {} warm-up requests succeeded",
                                                 succeeded(warmup.records), options_.warmup));
    if (out.server.after && out.server.after->left_out > 0)
      out.verdict.warnings.push_back(fmt::format(
          "{} series of the metrics page were left out: at most {} are kept, {} of them of unknown "
          "families, with names of up to {} bytes",
          out.server.after->left_out, observe::k_most_series, observe::k_most_unknown_series,
          observe::k_longest_series));
    out.verdict.warnings.insert(out.verdict.warnings.end(), out.server.warnings.begin(),
                                out.server.warnings.end());
    for (measure::RequestRecord& record : warmup.records) record.warmup = true;
    out.records = std::move(warmup.records);
    out.records.insert(out.records.end(), std::make_move_iterator(measured.records.begin()),
                       std::make_move_iterator(measured.records.end()));
    for (measure::RequestRecord& record : out.records) record.block = options_.block;
  }

  // So that the schedule which was drawn is on record as a whole.
  static void note_left_undone(LoadLoop::Phase& measured, record::Measurement& out) {
    const std::size_t under_way = measured.cut_off_due_ns.size();
    if (out.interrupted)
      out.verdict.reasons.push_back(
          fmt::format("interrupted after {} requests{}", measured.records.size(),
                      under_way > 0 ? fmt::format(", {} under way", under_way) : ""));
    if (out.load.kind != record::Load::Kind::open) return;
    if (measured.unsent > measured.unsent_due_ns.size())
      out.verdict.warnings.push_back(
          fmt::format("{} requests of the schedule were not sent; the record says when the first "
                      "{} of them were due",
                      measured.unsent, measured.unsent_due_ns.size()));
    out.unsent_due_ns = std::move(measured.unsent_due_ns);
    out.cut_off_due_ns = std::move(measured.cut_off_due_ns);
  }

  static void note_until(const record::PrecisionTarget& until, record::Measurement& out) {
    out.known_percent = measure::percent_known(out.metrics, until.metric);
    const std::string known =
        out.known_percent ? fmt::format("{} is known to {:.2g} %", until.metric, *out.known_percent)
                          : fmt::format(
                                "{} has no interval, since it varies too much for so few requests, "
                                "or too few succeeded",
                                until.metric);
    if (!out.known_percent || *out.known_percent > until.percent)
      out.verdict.warnings.push_back(
          fmt::format("{}, --until asked for {:g} %", known, until.percent));
    else if (out.stopped_early) out.stopped = known;
  }

  void count_good(measure::Window& window, std::vector<std::string>& warnings) const {
    if (options_.goodput.empty()) return;
    const Result<measure::Goodput> goodput = measure::goodput(options_.goodput, window);
    if (!goodput) return warnings.push_back(goodput.error().text());
    if (goodput->requests_per_s) window.goodput_rps = *goodput->requests_per_s;
    warnings.insert(warnings.end(), goodput->left_out.begin(), goodput->left_out.end());
  }

  std::int64_t asked_requests() const {
    return options_.requests > 0 ? options_.requests : static_cast<std::int64_t>(measured_.share);
  }
  // Connecting, and asking what the model takes: no longer than a request may take.
  int connect_timeout_ms() const {
    return static_cast<int>(
        std::clamp(options_.timeout_s * 1e3, 1.0, static_cast<double>(wire::k_connect_timeout_ms)));
  }
  wire::Access access() const {
    return {.authorization = options_.authorization,
            .ca_file = options_.ca_file,
            .verify = !options_.insecure};
  }
  bool forced_osl() const { return !options_.eos && protocol_->forces_length(); }

  std::string how_osl_is_counted(std::span<const measure::RequestRecord> records) const {
    const std::pair<measure::CountedBy, std::string> names[] = {
        {measure::CountedBy::ids, "ids"},
        {measure::CountedBy::usage, "usage"},
        {measure::CountedBy::events,
         options_.tokens_per_event == 1
             ? "events (one token each)"
             : fmt::format("events ({} tokens each)", options_.tokens_per_event)},
        {measure::CountedBy::forced, "forced length"},
        {measure::CountedBy::text, "the text tokenised again (not exact)"},
        {measure::CountedBy::nothing, "not counted"}};
    std::string out;
    for (const auto& [by, name] : names) {
      if (std::none_of(records.begin(), records.end(), [by = by](const auto& record) {
            return record.ok() && record.has_events() && record.counted_by == by;
          }))
        continue;
      out += out.empty()
                 ? name
                 : fmt::format("{}, else {}",
                               out == "usage" || out == "ids" ? " where the server gave it" : "",
                               name);
    }
    return out.empty() ? "not counted" : out;
  }

  std::string how_isl_is_counted(std::span<const measure::RequestRecord> records) const {
    if (!std::all_of(records.begin(), records.end(),
                     [](const auto& record) { return record.isl.has_value(); }))
      return "not counted";
    return protocol_->takes_ids()               ? "ids"
           : options_.prompts.tokenizer.empty() ? "as the prompts say"
                                                : "tokenizer";
  }

  // What only several servers can have.
  static void judge_servers(record::Measurement& out) {
    if (out.servers.size() < 2) return;
    for (const record::ServerShare& server : out.servers) {
      if (server.lost > 0)
        out.verdict.reasons.push_back(fmt::format("{} was lost: {} of its {} requests broke off",
                                                  server.url, server.lost, server.requests));
      else if (server.requests > 0 && server.failed == server.requests)
        out.verdict.reasons.push_back(
            fmt::format("{} answered none of its {} requests well", server.url, server.requests));
      else if (server.requests == 0)
        out.verdict.warnings.push_back(fmt::format(
            "{} had no request: the concurrency is less than the number of servers", server.url));
    }
  }

  void tell(std::string_view line) const {
    if (progress_.line) progress_.line(line);
  }

  const BenchOptions& options_;
  const std::atomic<bool>& stopped_;
  const Progress& progress_;
  std::vector<wire::Endpoint> endpoints_;
  std::unique_ptr<protocol::Protocol> protocol_;
  std::optional<prompt::Length> isl_requested_;
  std::vector<std::string> notes_;  // about the requests of all loads
  std::optional<observe::ServerWatch> servers_;
  Supply warmup_;
  Supply measured_;
};

}  // namespace

Status run_bench(const BenchOptions& options, const prompt::PromptSet& prompts,
                 const std::atomic<bool>& stopped, const Progress& progress, const Keep& keep) {
  return Bench(options, stopped, progress).run(prompts, keep);
}

}  // namespace orch::load
