#include "bench/record/record_json.hpp"

#include "bench/record/measurement_fields.hpp"
#include "bench/record/request_fields.hpp"
#include "core/base/json_scan.hpp"
#include "core/sql/packed.hpp"

#include <nlohmann/json.hpp>

namespace orch::record {
namespace {

using Json = nlohmann::ordered_json;

template <class T> Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(std::monostate) { return nullptr; }
Json json_of(const Shares& shares) {
  Json out = Json::object();
  for (const auto& [name, share] : shares) out[name] = share;
  return out;
}
template <class T> Json json_of(const T& value) {
  if constexpr (std::is_constructible_v<Json, T>) return value;
  else return nullptr;  // no record field is a list or an object
}

// Adds FIELD of OBJECT to OUT.
template <class T> void add(Json& out, const Field<T>& field, const T& object) {
  const Value value = field.get(object);
  Json* around = &out;
  if (!field.group.key.empty()) around = &out[std::string(field.group.key)];
  if (field.group.optional && is_absent(value)) return;
  (*around)[std::string(field.key)] =
      std::visit([](const auto& alternative) { return json_of(alternative); }, value.any());
}

template <class T, std::size_t N>
Json json_of_fields(const T& object, const std::array<Field<T>, N>& fields) {
  Json out = Json::object();
  for (const Field<T>& field : fields) add(out, field, object);
  return out;
}

// The length common to all measured requests, or the mean length; null if unknown.
Json shared_isl(const Measurement& measurement) {
  for (const measure::Metric& metric : measurement.metrics) {
    if (metric.row->name != "isl_counted") continue;
    const auto& isl = std::get<measure::Statistics>(metric.value);
    return isl.min == isl.max ? Json(static_cast<std::int64_t>(isl.min)) : Json(isl.mean);
  }
  return nullptr;
}

// Null stands for zero: the option was not given.
template <class T> Json positive_or_null(T value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

Json isl_requested(const Measurement& measurement) {
  if (!measurement.isl_requested) return nullptr;
  return {{"mean", measurement.isl_requested->mean}, {"sd", measurement.isl_requested->sd}};
}

// Contains the parameters that were set; the server chooses the others.
Json sampling_of(const protocol::Sampling& sampling) {
  Json out = Json::object();
  const auto number = [&](const char* name, const auto& value) {
    if (value) out[name] = *value;
  };
  const auto words = [&](const char* name, const std::vector<std::string>& texts) {
    if (!texts.empty()) out[name] = texts;
  };
  const auto flag = [&](const char* name, bool on) {
    if (on) out[name] = true;
  };
  number("temperature", sampling.temperature);
  number("top_k", sampling.top_k);
  number("top_p", sampling.top_p);
  number("repetition_penalty", sampling.repetition_penalty);
  number("random_seed", sampling.seed);
  number("beam_width", sampling.beam_width);
  number("lora_task_id", sampling.lora_task_id);
  if (!sampling.lora_weights_sha256.empty())
    out["lora_weights_sha256"] = sampling.lora_weights_sha256;
  words("stop_words", sampling.stop_words);
  words("bad_words", sampling.bad_words);
  flag("return_log_probs", sampling.log_probs);
  flag("return_context_logits", sampling.context_logits);
  flag("return_generation_logits", sampling.generation_logits);
  return out;
}

Json named(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json prompts_of(const BenchSpec& options) {
  return {{"file", named(options.prompts.file)},
          {"tokenizer", named(options.prompts.tokenizer)},
          {"shared_prefix", options.prompts.shared_prefix},
          {"reuse", options.reuse_prompts},
          {"prefix_cache_off", options.prefix_cache_off},
          {"running_server", options.running_server}};
}

Json limits_of(const measure::ValidityLimits& limits) {
  return {{"wake_lag_ms", limits.wake_lag_ms},
          {"wake_lag_share_of_ttft", limits.wake_lag_share_of_ttft},
          {"send_lag_ms", limits.send_lag_ms},
          {"send_lag_share_of_gap", limits.send_lag_share_of_gap},
          {"client_cpu_share", limits.client_cpu_share}};
}

// Values are as given on the command line.
Json inputs_of(const BenchSpec& options) {
  Json out = Json::object();
  for (const auto& [name, value] : options.inputs) out[name] = value;
  return out;
}

Json load_of_tool(const MeasuredBy& by) {
  Json out = Json::object();
  for (const auto& [name, value] : by.load)
    out[name] =
        std::visit([](const auto& alternative) { return json_of(alternative); }, value.any());
  return out;
}

Json load_of(const BenchSpec& options, const Measurement& measurement) {
  if (!measurement.by.is_native()) return load_of_tool(measurement.by);
  const Load& load = measurement.load;
  Json out = Json::object();
  if (load.kind == Load::Kind::closed) {
    out["concurrency"] = load.concurrency;
  } else {
    if (load.kind == Load::Kind::max) out["max"] = true;
    else out["arrival"] = name_of(load.arrival);
    if (load.request_rate > 0) out["request_rate"] = load.request_rate;
    if (load.kind == Load::Kind::open && load.arrival == Arrival::gamma)
      out["burstiness"] = load.burstiness;
    if (load.concurrency > 0) out["max_in_flight"] = load.concurrency;
  }
  out.update(
      {{"requests", positive_or_null(options.requests)},
       {"duration_s", positive_or_null(options.duration_s)},
       {"warmup", options.warmup},
       {"seed", options.seed},
       {"isl", shared_isl(measurement)},
       {"osl", options.osl},
       {"forced_osl", !options.eos},
       {"batch", options.batch},
       {"stop_after_ms", positive_or_null(options.stop_after_ms)},
       {"stop_by", options.stop_after_ms > 0 ? Json(options.stop_by_request ? "request" : "close")
                                             : Json(nullptr)},
       {"protocol", options.protocol},
       {"stream", options.stream},
       {"model", options.model},
       {"block", options.block}});
  out.update({{"isl_requested", isl_requested(measurement)},
              {"ids", measurement.ids},
              {"tokens_per_event", options.tokens_per_event},
              {"timeout_s", options.timeout_s},
              {"goodput", options.goodput.empty() ? Json(nullptr) : Json(options.goodput)},
              {"sampling", sampling_of(options.sampling)},
              {"inputs", inputs_of(options)}});
  out.update({{"prompts", prompts_of(options)},
              {"metrics_urls", options.metrics_urls},
              {"limits", limits_of(options.limits)}});
  if (options.until)
    out["until"] = {{"metric", options.until->metric},
                    {"percent", options.until->percent},
                    {"reached", measurement.known_percent &&
                                    *measurement.known_percent <= options.until->percent},
                    {"known_percent",
                     measurement.known_percent ? Json(*measurement.known_percent) : Json(nullptr)}};
  return out;
}

Json figure_of(const NamedMetric& figure) {
  if (!figure.statistics.has_any()) return or_null(figure.mean);
  Json out = Json::object();
  if (figure.mean) out["mean"] = *figure.mean;
  for (const Statistic one : k_suffixed)
    if (const auto& value = figure.statistics[one]) out[std::string(to_string(one))] = *value;
  return out;
}

Json metrics_of(const Measurement& measurement) {
  Json out = Json::object();
  for (const NamedMetric& figure : measurement.by.figures) out[figure.name] = figure_of(figure);
  for (const measure::Metric& metric : measurement.metrics) {
    Json& value = out[std::string(metric.row->name)];
    if (const auto* single = std::get_if<double>(&metric.value)) {
      value = *single;
      continue;
    }
    const auto& all = std::get<measure::Statistics>(metric.value);
    for (const measure::StatisticField& field : measure::k_statistic_fields)
      value[std::string(field.name())] = all.*field.value;
    value["n"] = all.n;
    const auto put = [&value](Statistic limit, std::optional<double> one) {
      if (one) value[std::string(to_string(limit))] = *one;
    };
    for (std::size_t i = 0; i < k_percentiles.size(); ++i) {
      if (const auto& limits = metric.percentile_limits[i]) {
        put(k_percentiles[i].low, limits->low);
        put(k_percentiles[i].high, limits->high);
      }
    }
    if (metric.interval) {
      put(Statistic::interval_low, metric.interval->low);
      put(Statistic::interval_high, metric.interval->high);
    }
  }
  return out;
}

// The intervals of rates, which are single values; other metrics contain their own.
Json intervals_of(const Measurement& measurement) {
  Json out = Json::object();
  for (const measure::Metric& metric : measurement.metrics)
    if (metric.interval && std::holds_alternative<double>(metric.value))
      out[std::string(metric.row->name)] = {{"interval_low", metric.interval->low},
                                            {"interval_high", metric.interval->high}};
  return out;
}

double ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

// `histogram`: [upper edge of a bucket, its count] for each bucket that is not empty.
Json lag_of(const measure::Histogram& lag) {
  Json buckets = Json::array();
  lag.for_each([&](std::int64_t upper_ns, std::int64_t count) {
    buckets.push_back({ms(upper_ns), count});
  });
  return {{"p50", ms(lag.percentile_ns(0.5))},
          {"p90", ms(lag.percentile_ns(0.9))},
          {"p99", ms(lag.percentile_ns(0.99))},
          {"max", ms(lag.max_ns())},
          {"n", lag.count()},
          {"histogram", std::move(buckets)}};
}

Json threads_of(const measure::ClientHealth& client) {
  Json out = Json::object();
  for (const measure::ThreadShare& thread : client.threads) out[thread.name] = thread.cpu_share;
  return out;
}

// Null: another tool does not report its own lag.
Json client_of(const Measurement& measurement) {
  if (!measurement.by.is_native()) return nullptr;
  const measure::ClientHealth& client = measurement.client;
  return {{"scheduling", client.scheduling},
          {"cpus", client.cpus},
          {"cpus_why", named(client.cpus_why)},
          {"cpu_share", or_null(client.cpu_share)},
          {"threads", threads_of(client)},
          {"wake_lag_ms", lag_of(client.wake_lag)},
          {"send_lag_ms", lag_of(client.send_lag)},
          {"worst_turn_ms", ms(client.worst_turn_ns)},
          {"reads", client.reads},
          {"events", client.events},
          {"coalesced", client.coalesced},
          {"coalesced_share", client.events > 0 ? Json(static_cast<double>(client.coalesced) /
                                                       static_cast<double>(client.events))
                                                : Json(nullptr)},
          {"connections_opened", client.connections_opened},
          {"resent", client.resent},
          {"out_of_step", client.out_of_step}};
}

// Only gauges if a counter was reset between the two pages: differences are then meaningless.
template <auto Page> Json values_of(const observe::ServerReport& server) {
  if (!(server.*Page)) return nullptr;
  Json out = Json::object();
  for (const auto& [series, sample] : (server.*Page)->series)
    if (server.counters_hold || sample.kind == measure::SeriesKind::gauge)
      out[series] = sample.value;
  return out;
}

// The kind of each series according to the later page.
Json kinds_of(const observe::ServerReport& server) {
  if (!server.after) return nullptr;
  Json out = Json::object();
  for (const auto& [series, sample] : server.after->series)
    if (sample.kind != measure::SeriesKind::unknown) out[series] = measure::name_of(sample.kind);
  return out;
}

Json during_of(const observe::ServerReport& server) {
  Json out = Json::object();
  for (const auto& [series, range] : server.during)
    out[series] = {{"min", range.min},
                   {"max", range.max},
                   {"mean", range.sum / static_cast<double>(range.samples)},
                   {"n", range.samples}};
  return out;
}

Json servers_of(const Measurement& measurement) {
  Json out = Json::array();
  for (const ServerShare& server : measurement.servers)
    out.push_back({{"url", server.url},
                   {"requests", server.requests},
                   {"failed", server.failed},
                   {"lost", server.lost}});
  return out;
}

Json first_requests_of(const Measurement& measurement) {
  Json out = Json::array();
  for (const FirstRequest& request : measurement.first_requests)
    out.push_back({{"url", request.url},
                   {"status", request.status},
                   {"latency_ms", request.latency_ms},
                   {"error", named(request.error)}});
  return out;
}

// Null: the server has no statistics, or they were not requested.
Json models_of(const observe::ServerReport& server) {
  if (!server.models) return nullptr;
  Json out = Json::array();
  for (const observe::ModelTimes& model : *server.models)
    out.push_back(json_of_fields(model, k_model_fields));
  return out;
}

Json processes_of(const observe::ServerReport& server) {
  if (!server.processes) return nullptr;
  const system::ServerUse& use = *server.processes;
  return {{"wall_s", use.wall_s},
          {"cpu_s", use.cpu_s},
          {"rss_bytes_peak", use.rss_bytes_peak},
          {"processes", use.processes}};
}

// Fractions are of all the host's CPUs.
Json host_of(const observe::ServerReport& server) {
  if (!server.host) return nullptr;
  const system::HostUse& use = *server.host;
  return {{"cpus", use.cpus},
          {"wall_s", use.wall_s},
          {"busy_share", use.share(use.busy_s)},
          {"others_share", use.others_s ? Json(use.share(*use.others_s)) : Json(nullptr)},
          {"steal_share", use.share(use.steal_s)}};
}

Json gpus_of(const observe::ServerReport& server) {
  Json out = Json::array();
  for (const observe::GpuWindow& gpu : server.gpus)
    out.push_back(json_of_fields(gpu, k_gpu_fields));
  return out;
}

Json counting_of(const Measurement& measurement) {
  return {{"osl", measurement.counting_osl}, {"isl", measurement.counting_isl}};
}

// Produces a value that has no `get` in the table of fields.
struct Section {
  std::string_view key;
  Json (*make)(const BenchSpec&, const Measurement&);
};

// A section made by MAKE from one part of a measurement.
template <auto Make, auto Part> Json of_part(const BenchSpec&, const Measurement& measurement) {
  return Make(measurement.*Part);
}
template <auto Make> Json of_measurement(const BenchSpec&, const Measurement& measurement) {
  return Make(measurement);
}

constexpr Section k_sections[] = {
    {"load", load_of},
    {"counting", of_measurement<counting_of>},
    {"metrics", of_measurement<metrics_of>},
    {"intervals", of_measurement<intervals_of>},
    {"client", of_measurement<client_of>},
    {"servers", of_measurement<servers_of>},
    {"first_requests", of_measurement<first_requests_of>},
    {"server_before", of_part<values_of<&observe::ServerReport::before>, &Measurement::server>},
    {"server_after", of_part<values_of<&observe::ServerReport::after>, &Measurement::server>},
    {"server_during", of_part<during_of, &Measurement::server>},
    {"server_kinds", of_part<kinds_of, &Measurement::server>},
    {"models", of_part<models_of, &Measurement::server>},
    {"processes", of_part<processes_of, &Measurement::server>},
    {"host", of_part<host_of, &Measurement::server>},
    {"gpus", of_part<gpus_of, &Measurement::server>},
};

consteval bool every_field_has_a_writer() {
  for (const Field<Measurement>& field : k_measurement_fields) {
    const bool made = std::ranges::any_of(
        k_sections, [&](const Section& section) { return section.key == field.key; });
    const bool is_section = field.type == FieldType::section || field.type == FieldType::object;
    if (made != is_section) return false;  // `get` is not constant under some sanitizers
  }
  return true;
}
static_assert(every_field_has_a_writer());

Json one_measurement(const BenchSpec& options, const Measurement& measurement) {
  Json out = Json::object();
  for (const Field<Measurement>& field : k_measurement_fields) {
    if (field.get) {
      add(out, field, measurement);
      continue;
    }
    const auto section = std::ranges::find(k_sections, field.key, &Section::key);
    out[std::string(field.key)] = section->make(options, measurement);
  }
  if (!measurement.unsent_due_ns.empty()) out["unsent_due_ns"] = measurement.unsent_due_ns;
  if (!measurement.cut_off_due_ns.empty()) out["cut_off_due_ns"] = measurement.cut_off_due_ns;
  return out;
}

Json one_request(std::int64_t measurement, const measure::RequestRecord& record) {
  Json out = {{"measurement", measurement}};
  for (const auto& field : k_request_fields) add(out, field, record);
  return out;
}

constexpr int k_values_depth = 16;

// Packs one JSON object per request for which CONTENT returns one. CONTENT receives its line in
// requests.jsonl and its record.
template <class Content>
Status give_packed(std::span<const Measurement> measurements, const Take& take,
                   const Content& content) {
  Packing packing;
  std::int64_t line = 0;
  bool any = false;
  for (const Measurement& measurement : measurements)
    for (const measure::RequestRecord& record : measurement.records) {
      ORCH_ASSIGN(const Json object, content(++line, record));
      if (object.is_null()) continue;
      any = true;
      ORCH_TRY(take(packing.add(dump(object) + "\n")));
    }
  return any ? take(packing.finish()) : Status();
}

}  // namespace

std::string measurement_json(const BenchSpec& options, std::span<const Measurement> measurements) {
  Json root = {{"schema", k_record_schema}, {"measurements", Json::array()}};
  for (const Measurement& measurement : measurements)
    root["measurements"].push_back(one_measurement(options, measurement));
  return dump(root, 1) + "\n";
}

Status give_requests(std::span<const Measurement> measurements, const Take& take) {
  for (std::size_t i = 0; i < measurements.size(); ++i)
    for (const measure::RequestRecord& record : measurements[i].records)
      ORCH_TRY(take(dump(one_request(static_cast<std::int64_t>(i), record)) + "\n"));
  return {};
}

// Invalid UTF-8 in an answer is replaced.
Status give_answers(std::span<const Measurement> measurements, AnswerSpool* spool,
                    const Take& take) {
  return give_packed(measurements, take,
                     [&](std::int64_t line, const auto& record) -> Result<Json> {
                       ORCH_ASSIGN(KeptAnswer answer, answer_of(record, spool));
                       if (answer.text.empty()) return Json();
                       return Json{{"line", line}, {"answer", std::move(answer.text)}};
                     });
}

// Values of a server that are not JSON are kept as text.
Status give_values(std::span<const Measurement> measurements, AnswerSpool* spool,
                   const Take& take) {
  return give_packed(measurements, take,
                     [&](std::int64_t line, const auto& record) -> Result<Json> {
                       ORCH_ASSIGN(const std::string values, values_of(record, spool));
                       if (values.empty()) return Json();
                       Json events = parse_shallow<Json>("[" + values + "]", k_values_depth).value;
                       if (!events.is_array()) events = values;
                       return Json{{"line", line}, {"events", std::move(events)}};
                     });
}

}  // namespace orch::record
