#include "tables/record.hpp"

#include "base/digest.hpp"
#include "base/json_text.hpp"
#include "matrix/names.hpp"
#include "system/lines.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace orch::tables {

namespace {

using nlohmann::json;

constexpr int k_schema = 1;
constexpr int k_depth = 16;
constexpr std::uintmax_t k_bytes = 64 << 20;
constexpr std::size_t k_most_models = 1000;
constexpr std::size_t k_most_gpus = 64;
constexpr double k_exact = 9007199254740992;  // a double holds every integer up to here

// Untrusted text, made safe for a message.
std::string printable(std::string_view text) {
  std::string out(text.substr(0, 64));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return out;
}

const json* find(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<double> real(const json* value) {
  if (!value || !value->is_number()) return std::nullopt;
  const auto number = value->get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> integer(const json* value) {
  if (!value) return std::nullopt;
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  if (value->is_number_integer()) return value->get<std::int64_t>();
  const auto number = real(value);
  if (!number || std::trunc(*number) != *number || std::fabs(*number) > k_exact)
    return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<std::string> text(const json* value) {
  if (!value || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::vector<std::string> texts(const json* value) {
  std::vector<std::string> out;
  if (!value || !value->is_array()) return out;
  for (const json& item : *value)
    if (item.is_string() && item != "") out.push_back(item.get<std::string>());
  return out;
}

std::string object_text(const json* value) {
  return value && value->is_object() ? value->dump() : "{}";
}

Metric read_metric(const std::string& name, const json& value) {
  Metric metric{.name = name, .mean = {}};
  if (!value.is_object()) {
    metric.mean = real(&value);
    return metric;
  }
  metric.mean = real(find(value, "mean"));
  for (std::size_t i = 0; i < k_statistic_count; ++i)
    metric.statistics[i] = real(find(value, k_statistics[i].data()));
  std::optional<double>& n = metric.statistics[k_statistic_n];
  if (n && (*n < 0 || *n > k_exact)) n.reset();
  return metric;
}

bool holds_something(const Metric& metric) {
  if (metric.mean) return true;
  return std::any_of(std::begin(metric.statistics), std::end(metric.statistics),
                     [](const auto& value) { return value.has_value(); });
}

void read_metrics(const json& source, Measured& into) {
  const json* metrics = find(source, "metrics");
  if (!metrics || !metrics->is_object()) return;
  for (const auto& [name, value] : metrics->items()) {
    if (value.is_null()) continue;
    if (!matrix::is_column_name(name)) {
      into.warnings.push_back(
          fmt::format("metric '{}' was left out: a name is [a-z][a-z0-9_]*, at most 64 characters",
                      printable(name)));
      continue;
    }
    Metric metric = read_metric(name, value);
    if (holds_something(metric)) into.metrics.push_back(std::move(metric));
    else into.warnings.push_back(fmt::format("metric '{}' was left out: it holds no number", name));
  }
}

// Reads the intervals of single values, which have a member of their own.
void read_intervals(const json& source, Measured& into) {
  const json* intervals = find(source, "intervals");
  if (!intervals || !intervals->is_object()) return;
  for (Metric& metric : into.metrics) {
    const json* one = find(*intervals, metric.name.c_str());
    if (!one || !one->is_object()) continue;
    for (std::size_t i = k_statistic_n + 1; i < k_statistic_count; ++i)
      metric.statistics[i] = real(find(*one, k_statistics[i].data()));
  }
}

void read_counters(const json& source, Measured& into) {
  std::map<std::string, Counter> counters;
  auto take = [&](const char* key, std::optional<double> Counter::*side) {
    const json* values = find(source, key);
    if (!values || !values->is_object()) return;
    for (const auto& [name, value] : values->items()) {
      Counter& counter = counters[name];
      counter.name = name;
      counter.*side = real(&value);
    }
  };
  take("server_before", &Counter::before);
  take("server_after", &Counter::after);
  const json *kinds = find(source, "server_kinds"), *during = find(source, "server_during");
  for (auto& [name, counter] : counters) {
    if (const auto kind = kinds ? text(find(*kinds, name.c_str())) : std::nullopt;
        kind == "gauge" || kind == "counter")
      counter.kind = kind;
    const json* range = during ? find(*during, name.c_str()) : nullptr;
    if (!range) continue;
    counter.min = real(find(*range, "min"));
    counter.max = real(find(*range, "max"));
    counter.mean = real(find(*range, "mean"));
    counter.n = real(find(*range, "n"));
  }
  for (auto& [name, counter] : counters) into.counters.push_back(std::move(counter));
}

void read_models(const json& source, Measured& into) {
  const json* models = find(source, "models");
  if (!models || !models->is_array()) return;
  std::set<std::pair<std::string, std::string>> known;
  for (const json& entry : *models) {
    ModelTime model{.model = text(find(entry, "model")).value_or(""),
                    .version = text(find(entry, "version")).value_or(""),
                    .requests = integer(find(entry, "requests")),
                    .failed = integer(find(entry, "failed")),
                    .inferences = integer(find(entry, "inferences")),
                    .executions = integer(find(entry, "executions")),
                    .cache_hits = integer(find(entry, "cache_hits")),
                    .cache_misses = integer(find(entry, "cache_misses")),
                    .request_ms = real(find(entry, "request_ms")),
                    .queue_ms = real(find(entry, "queue_ms")),
                    .compute_input_ms = real(find(entry, "compute_input_ms")),
                    .compute_infer_ms = real(find(entry, "compute_infer_ms")),
                    .compute_output_ms = real(find(entry, "compute_output_ms"))};
    const json* restarted = find(entry, "restarted");
    model.restarted = restarted && *restarted == true;
    if (!model.model.empty() && into.models.size() < k_most_models &&
        known.emplace(model.model, model.version).second)
      into.models.push_back(std::move(model));
  }
}

void read_gpus(const json& source, Measured& into) {
  const json* gpus = find(source, "gpus");
  if (!gpus || !gpus->is_array()) return;
  std::set<std::int64_t> known;
  for (const json& entry : *gpus) {
    const auto index = integer(find(entry, "index"));
    if (!index || into.gpus.size() == k_most_gpus || !known.insert(*index).second) continue;
    const json empty = json::object();
    const json* clock = find(entry, "sm_clock_mhz");
    if (!clock) clock = &empty;
    into.gpus.push_back({.index = *index,
                         .uuid = text(find(entry, "uuid")),
                         .model = text(find(entry, "model")),
                         .memory_gib = real(find(entry, "memory_gib")),
                         .used_gib_peak = real(find(entry, "used_gib_peak")),
                         .power_w = real(find(entry, "power_w")),
                         .energy_j = real(find(entry, "energy_j")),
                         .sm_clock_mhz_min = real(find(*clock, "min")),
                         .sm_clock_mhz_mean = real(find(*clock, "mean")),
                         .sm_clock_mhz_max = real(find(*clock, "max")),
                         .busy_share = real(find(entry, "busy_share")),
                         .throttled = object_text(find(entry, "throttled"))});
  }
}

Result<Measured> read_measurement(const json& source) {
  Measured measured;
  const json* valid = find(source, "valid");
  if (!valid || !valid->is_boolean())
    return invalid("a measurement without 'valid': true or false");
  measured.valid = valid->get<bool>();
  measured.reasons = texts(find(source, "reasons"));
  measured.warnings = texts(find(source, "warnings"));
  for (std::string& name : texts(find(source, "unsupported")))
    if (matrix::is_column_name(name)) measured.unsupported.push_back(std::move(name));
  if (!measured.valid && measured.reasons.empty()) measured.reasons.emplace_back(k_no_reason);
  measured.load = object_text(find(source, "load"));
  measured.counting = object_text(find(source, "counting"));
  measured.client = object_text(find(source, "client"));
  if (const json* window = find(source, "window")) {
    measured.window_start_ns = integer(find(*window, "start_wall_ns"));
    measured.window_s = real(find(*window, "duration_s"));
  }
  read_metrics(source, measured);
  read_intervals(source, measured);
  read_counters(source, measured);
  read_models(source, measured);
  read_gpus(source, measured);
  measured.notes = texts(find(source, "notes"));
  return measured;
}

Result<std::string> read_text(system::Files& files, const std::filesystem::path& file) {
  const auto facts = files.stat(file.string());
  if (facts && facts->bytes > k_bytes)
    return invalid(fmt::format("{} is larger than {} MiB", file.string(), k_bytes >> 20));
  return files.read_text(file.string(), k_bytes);
}

Status read_measurements(std::string_view bytes, Record& record) {
  const auto [document, too_deep] = parse_shallow<json>(bytes, k_depth);
  if (too_deep) return invalid(fmt::format("nested deeper than {}", k_depth));
  if (document.is_discarded()) return invalid("not JSON");
  const auto schema = integer(find(document, "schema"));
  if (schema != k_schema)
    return invalid(fmt::format("schema {}; this program reads {}",
                               schema ? std::to_string(*schema) : "not given", k_schema));
  const json* measurements = find(document, "measurements");
  if (!measurements || !measurements->is_array() || measurements->empty())
    return invalid("it contains no measurements");
  for (const json& source : *measurements) {
    ORCH_ASSIGN(Measured measured, read_measurement(source));
    record.measurements.push_back(std::move(measured));
  }
  return {};
}

Status read_gaps(const json* gaps, Request& request) {
  if (!gaps) return {};
  if (!gaps->is_array()) return invalid("gaps_ns is not a list");
  request.gaps_ns.reserve(gaps->size());
  for (const json& gap : *gaps) {
    const auto value = integer(&gap);
    if (!value || *value < 0)
      return invalid("gaps_ns holds a value that is not a non-negative integer");
    request.gaps_ns.push_back(static_cast<std::uint64_t>(*value));
  }
  return {};
}

Status read_request(std::string_view text_line, int number, Record& record) {
  const json source = json::parse(text_line, nullptr, false);
  if (!source.is_object()) return invalid("not a JSON object");
  const auto ordinal = integer(find(source, "measurement")).value_or(0);
  if (ordinal < 0 || ordinal >= static_cast<std::int64_t>(record.measurements.size()))
    return invalid(fmt::format("measurement {} is not in measurement.json", ordinal));
  const json* warmup = find(source, "warmup");
  Request request;
  request.line = number;
  request.index = integer(find(source, "index")).value_or(number);
  request.warmup = warmup && *warmup == true;
  request.block = integer(find(source, "block"));
  request.due_ns = integer(find(source, "due_ns"));
  request.sent_ns = integer(find(source, "sent_ns"));
  request.first_ns = integer(find(source, "first_ns"));
  request.last_ns = integer(find(source, "last_ns"));
  request.end_ns = integer(find(source, "end_ns"));
  request.isl = integer(find(source, "isl"));
  request.isl_reported = integer(find(source, "isl_reported"));
  request.osl_requested = integer(find(source, "osl_requested"));
  request.osl_counted = integer(find(source, "osl_counted"));
  request.osl_reported = integer(find(source, "osl_reported"));
  request.coalesced = integer(find(source, "coalesced"));
  request.status = integer(find(source, "status"));
  request.server = integer(find(source, "server"));
  request.sequences = integer(find(source, "sequences"));
  request.first_event_tokens = integer(find(source, "first_event_tokens"));
  const json* stopped = find(source, "stopped");
  request.stopped = stopped && *stopped == true;
  if (const json* times = find(source, "server_times")) {
    request.scheduled_ns = integer(find(*times, "scheduled_ns"));
    request.first_token_ns = integer(find(*times, "first_token_ns"));
    request.last_token_ns = integer(find(*times, "last_token_ns"));
  }
  request.error = text(find(source, "error"));
  request.answer = text(find(source, "answer"));
  ORCH_TRY(read_gaps(find(source, "gaps_ns"), request));
  record.measurements[static_cast<std::size_t>(ordinal)].requests.push_back(std::move(request));
  return {};
}

Status read_requests(system::Files& files, const std::filesystem::path& file, Record& record) {
  system::Lines lines(files, file.string());
  std::string text_line;
  for (int number = 1;; ++number) {
    ORCH_ASSIGN(const bool more, lines.next(text_line));
    if (!more) return {};
    if (text_line.empty()) continue;
    if (auto status = read_request(text_line, number, record); !status.ok())
      return status.error().within(fmt::format("{}:{}", file.filename().string(), number));
  }
}

}  // namespace

Result<Record> read_record(system::Files& files, const std::filesystem::path& folder) {
  ORCH_ASSIGN(const std::string bytes, read_text(files, folder / "measurement.json"));
  Record record{.measurements = {}, .sha256 = sha256(bytes).hex(), .answers = {}};
  if (auto status = read_measurements(bytes, record); !status.ok())
    return status.error().within("measurement.json");
  ORCH_TRY(read_requests(files, folder / "requests.jsonl", record));
  const std::string answers = (folder / "answers.jsonl.zst").string();
  if (files.stat(answers)) record.answers = answers;
  return record;
}

Record unreadable_record(const std::string& why) {
  Record record;
  record.measurements.push_back({.valid = false,
                                 .reasons = {fmt::format("the record cannot be read: {}", why)},
                                 .warnings = {},
                                 .unsupported = {},
                                 .notes = {},
                                 .window_start_ns = {},
                                 .window_s = {},
                                 .metrics = {},
                                 .counters = {},
                                 .models = {},
                                 .gpus = {},
                                 .requests = {}});
  return record;
}

}  // namespace orch::tables
