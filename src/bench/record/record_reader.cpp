#include "bench/record/record_reader.hpp"

#include "bench/record/record_json.hpp"
#include "core/base/digest.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "os/system/file_lock.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace orch::record {

namespace {

using nlohmann::json;

constexpr int k_depth = 16;
constexpr std::uintmax_t k_bytes = 64 << 20;
constexpr std::size_t k_longest_line = 65 << 20;  // older lines include their answers
constexpr std::size_t k_most_models = 1000;
constexpr std::size_t k_most_gpus = 64;
constexpr double k_exact = 9007199254740992;  // every integer up to here is exact as a double

constexpr std::size_t k_tool = position(k_measurement_fields, "tool");
constexpr std::size_t k_definition = position(k_measurement_fields, "definition");
constexpr std::size_t k_valid = position(k_measurement_fields, "valid");
constexpr std::size_t k_reasons = position(k_measurement_fields, "reasons");
constexpr std::size_t k_warnings = position(k_measurement_fields, "warnings");
constexpr std::size_t k_requests = position(k_measurement_fields, "requests");
constexpr std::size_t k_request_index = position(k_request_fields, "index");
constexpr std::size_t k_model = position(k_model_fields, "model");
constexpr std::size_t k_version = position(k_model_fields, "version");
constexpr std::size_t k_gpu_index = position(k_gpu_fields, "index");

// Untrusted text, made safe for a message.
std::string printable(std::string_view text) {
  std::string out(text.substr(0, 64));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return out;
}

const json* find(const json& object, std::string_view key) {
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

Texts texts(const json* value) {
  Texts out;
  if (!value || !value->is_array()) return out;
  for (const json& item : *value)
    if (item.is_string() && item != "") out.push_back(item.get<std::string>());
  return out;
}

Texts column_names(const json* value) {
  Texts names = texts(value);
  std::erase_if(names, [](const std::string& name) { return !is_column_name(name); });
  return names;
}

Result<Value> gaps(const json* value) {
  Gaps gaps;
  if (!value) return Value(std::move(gaps));
  if (!value->is_array()) return invalid("gaps_ns is not a list");
  gaps.reserve(value->size());
  for (const json& gap : *value) {
    const auto ns = integer(&gap);
    if (!ns || *ns < 0) return invalid("gaps_ns holds a value that is not a non-negative integer");
    gaps.push_back(static_cast<std::uint64_t>(*ns));
  }
  return Value(std::move(gaps));
}

template <class T> Value or_absent(std::optional<T> value) {
  return value ? Value(std::move(*value)) : Value();
}

Result<Value> read_value(const json* value, FieldType type) {
  switch (type) {
    case FieldType::flag: return Value(value && *value == true);
    case FieldType::optional_flag:
      return value && value->is_boolean() ? Value(value->get<bool>()) : Value();
    case FieldType::integer: return or_absent(integer(value));
    case FieldType::real: return or_absent(real(value));
    case FieldType::text: return or_absent(text(value));
    case FieldType::gaps: return gaps(value);
    case FieldType::sentences: return Value(texts(value));
    case FieldType::words: return Value(column_names(value));
    case FieldType::object: return Value(value && value->is_object() ? value->dump() : "{}");
    case FieldType::section: break;
  }
  return Value();
}

template <class T, std::size_t N>
Result<std::array<Value, N>> read_fields(const json& source,
                                         const std::array<Field<T>, N>& fields) {
  std::array<Value, N> values;
  for (std::size_t i = 0; i < N; ++i) {
    const Field<T>& field = fields[i];
    const json* around = field.group.key.empty() ? &source : find(source, field.group.key);
    ORCH_ASSIGN(values[i], read_value(around ? find(*around, field.key) : nullptr, field.type));
  }
  return values;
}

NamedMetric read_metric(const std::string& name, const json& value) {
  NamedMetric metric{.name = name};
  if (!value.is_object()) {
    metric.mean = real(&value);
    return metric;
  }
  metric.mean = real(find(value, "mean"));
  for (const Statistic one : k_suffixed) metric.statistics[one] = real(find(value, to_string(one)));
  std::optional<double>& n = metric.statistics[Statistic::n];
  if (n && (*n < 0 || *n > k_exact)) n.reset();
  return metric;
}

void read_metrics(const json& source, MeasurementRow& into) {
  const json* metrics = find(source, "metrics");
  if (!metrics || !metrics->is_object()) return;
  for (const auto& [name, value] : metrics->items()) {
    if (value.is_null()) continue;
    if (!is_column_name(name)) {
      into.warnings().push_back(
          fmt::format("metric '{}' was left out: a name is [a-z][a-z0-9_]*, at most 64 characters",
                      printable(name)));
      continue;
    }
    NamedMetric metric = read_metric(name, value);
    if (metric.mean || metric.statistics.has_any()) into.metrics.push_back(std::move(metric));
    else
      into.warnings().push_back(fmt::format("metric '{}' was left out: it holds no number", name));
  }
}

// A metric that is a single number has its interval here; other metrics contain their own.
void read_intervals(const json& source, MeasurementRow& into) {
  const json* intervals = find(source, "intervals");
  if (!intervals || !intervals->is_object()) return;
  for (NamedMetric& metric : into.metrics) {
    const json* interval = find(*intervals, metric.name);
    if (!interval || !interval->is_object()) continue;
    for (const Statistic limit : {Statistic::interval_low, Statistic::interval_high})
      metric.statistics[limit] = real(find(*interval, to_string(limit)));
  }
}

void read_counters(const json& source, MeasurementRow& into) {
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
    if (const auto kind = kinds ? text(find(*kinds, name)) : std::nullopt;
        kind == "gauge" || kind == "counter")
      counter.kind = kind;
    const json* range = during ? find(*during, name) : nullptr;
    if (!range) continue;
    counter.min = real(find(*range, "min"));
    counter.max = real(find(*range, "max"));
    counter.mean = real(find(*range, "mean"));
    counter.n = real(find(*range, "n"));
  }
  for (auto& [name, counter] : counters) into.counters.push_back(std::move(counter));
}

// Keeps the first entry of each model and version.
Status read_models(const json& source, MeasurementRow& into) {
  const json* models = find(source, "models");
  if (!models || !models->is_array()) return {};
  for (const json& entry : *models) {
    ORCH_ASSIGN(ModelValues model, read_fields(entry, k_model_fields));
    if (is_absent(model[k_version])) model[k_version] = "";
    if (is_absent(model[k_model]) || model[k_model] == Value("") ||
        into.models.size() >= k_most_models ||
        std::ranges::any_of(into.models, [&](const ModelValues& known) {
          return known[k_model] == model[k_model] && known[k_version] == model[k_version];
        }))
      continue;
    into.models.push_back(std::move(model));
  }
  return {};
}

// Keeps the first entry of each index.
Status read_gpus(const json& source, MeasurementRow& into) {
  const json* gpus = find(source, "gpus");
  if (!gpus || !gpus->is_array()) return {};
  for (const json& entry : *gpus) {
    ORCH_ASSIGN(GpuValues gpu, read_fields(entry, k_gpu_fields));
    if (is_absent(gpu[k_gpu_index]) || into.gpus.size() >= k_most_gpus ||
        std::ranges::any_of(into.gpus, [&](const GpuValues& known) {
          return known[k_gpu_index] == gpu[k_gpu_index];
        }))
      continue;
    into.gpus.push_back(std::move(gpu));
  }
  return {};
}

// Records of older versions do not name a tool: all come from this program's load generator.
Status check_tool(MeasurementRow& row) {
  for (const std::size_t field : {k_tool, k_definition}) {
    Value& name = row.values[field];
    if (is_absent(name)) name = std::string(k_native);
    const std::string& text = std::get<std::string>(name);
    if (!is_tool_name(text))
      return invalid(
          fmt::format("{} '{}' is not the name of a tool: a-z, 0-9, '.', '_' and '-', "
                      "at most 64 characters",
                      k_measurement_fields[field].key, printable(text)));
  }
  return {};
}

Result<MeasurementRow> read_measurement(const json& source) {
  const json* valid = find(source, "valid");
  if (!valid || !valid->is_boolean())
    return invalid("a measurement without 'valid': true or false");
  MeasurementRow row;
  ORCH_ASSIGN(row.values, read_fields(source, k_measurement_fields));
  ORCH_TRY(check_tool(row));
  auto& reasons = std::get<Texts>(row.values[k_reasons]);
  if (row.values[k_valid] == Value(false) && reasons.empty()) reasons.emplace_back(k_no_reason);
  read_metrics(source, row);
  read_intervals(source, row);
  read_counters(source, row);
  ORCH_TRY(read_models(source, row));
  ORCH_TRY(read_gpus(source, row));
  return row;
}

// The target of a link is not part of the record, and may be confidential.
Status refuse_links(system::Files& files, const std::filesystem::path& folder) {
  for (const auto& path : {folder, folder / "measurement.json", folder / "requests.jsonl",
                           folder / "answers.jsonl.zst"})
    if (files.is_link(path.string()))
      return invalid(fmt::format("{} is a link; a record is made of files", path.string()));
  return {};
}

Result<std::string> read_text(system::Files& files, const std::filesystem::path& file) {
  const auto facts = files.stat(file.string());
  if (facts && facts->bytes > k_bytes)
    return invalid(fmt::format("{} has {}; at most {} are read", file.string(),
                               human_bytes(facts->bytes), human_bytes(k_bytes)));
  return files.read_text(file.string(), k_bytes);
}

Status read_measurements(std::string_view bytes, Record& record) {
  const auto [document, too_deep] = parse_shallow<json>(bytes, k_depth);
  if (too_deep) return invalid(fmt::format("nested deeper than {}", k_depth));
  if (document.is_discarded()) return invalid("not JSON");
  const auto schema = integer(find(document, "schema"));
  if (schema != k_record_schema)
    return invalid(fmt::format("schema {}; this program reads {}",
                               schema ? std::to_string(*schema) : "not given", k_record_schema));
  const json* measurements = find(document, "measurements");
  if (!measurements || !measurements->is_array() || measurements->empty())
    return invalid("it contains no measurements");
  for (const json& source : *measurements) {
    ORCH_ASSIGN(MeasurementRow row, read_measurement(source));
    record.measurements.push_back(std::move(row));
  }
  return {};
}

Status read_request(std::string_view line, int number, Record& record) {
  const json source = json::parse(line, nullptr, false);
  if (!source.is_object()) return invalid("not a JSON object");
  const auto ordinal = integer(find(source, "measurement")).value_or(0);
  if (ordinal < 0 || ordinal >= static_cast<std::int64_t>(record.measurements.size()))
    return invalid(fmt::format("measurement {} is not in measurement.json", ordinal));
  RequestRow row{.line = number, .answer = text(find(source, "answer"))};
  ORCH_ASSIGN(row.values, read_fields(source, k_request_fields));
  Value& index = row.values[k_request_index];
  if (is_absent(index)) index = std::int64_t{number};
  record.measurements[static_cast<std::size_t>(ordinal)].requests.push_back(std::move(row));
  return {};
}

Status read_requests(system::Files& files, const std::filesystem::path& file, Record& record) {
  system::Lines lines(files, file.string(), 0, k_longest_line);
  std::string line;
  for (int number = 1;; ++number) {
    ORCH_ASSIGN(const bool more, lines.next(line));
    if (!more) return {};
    if (line.empty()) continue;
    if (auto status = read_request(line, number, record); !status.ok())
      return status.error().within(fmt::format("{}:{}", file.filename().string(), number));
  }
}

// Records of older versions do not state how many requests were written.
Status compare_counts(const Record& record) {
  for (const MeasurementRow& row : record.measurements)
    if (const auto* written = std::get_if<std::int64_t>(&row.values[k_requests]);
        written && *written != static_cast<std::int64_t>(row.requests.size()))
      return invalid(fmt::format("has {} requests of a measurement that wrote {}",
                                 row.requests.size(), *written));
  return {};
}

}  // namespace

Texts& MeasurementRow::warnings() { return std::get<Texts>(values[k_warnings]); }

measure::RequestRecord request_of(const RequestValues& values) {
  measure::RequestRecord record;
  for (std::size_t i = 0; i < values.size(); ++i) k_request_fields[i].set(record, values[i]);
  return record;
}

Result<Record> read_record(system::Files& files, const std::filesystem::path& folder) {
  ORCH_TRY(refuse_links(files, folder));
  ORCH_ASSIGN(const std::string bytes, read_text(files, folder / "measurement.json"));
  Record record{.sha256 = sha256(bytes).hex()};
  if (auto status = read_measurements(bytes, record); !status.ok())
    return status.error().within("measurement.json");
  ORCH_TRY(read_requests(files, folder / "requests.jsonl", record));
  if (auto status = compare_counts(record); !status.ok())
    return status.error().within("requests.jsonl");
  const std::string answers = (folder / "answers.jsonl.zst").string();
  if (files.stat(answers)) record.answers = answers;
  return record;
}

Record unreadable_record(const std::string& why) {
  Result<MeasurementRow> row = read_measurement({{"valid", false}});
  std::get<Texts>(row->values[k_reasons]) = {fmt::format("the record cannot be read: {}", why)};
  Record record;
  record.measurements.push_back(std::move(row).value());
  return record;
}

}  // namespace orch::record
