#include "results/imports/figures.hpp"

#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"
#include "results/imports/csv.hpp"

#include <cmath>
#include <numeric>

namespace orch::imports {

namespace {

constexpr double k_largest = 1e15;  // larger than any time in ms, rate or count

struct Unit {
  std::string_view word;
  double ms = 0;  // 0: not a time
  std::string_view suffix = {};
};
constexpr Unit k_units[] = {
    {"ns", 1e-6, "ns"},
    {"nanoseconds", 1e-6, "ns"},
    {"us", 1e-3, "us"},
    {"usec", 1e-3, "us"},
    {"microseconds", 1e-3, "us"},
    {"ms", 1, "ms"},
    {"msec", 1, "ms"},
    {"milliseconds", 1, "ms"},
    {"s", 1e3, "s"},
    {"sec", 1e3, "s"},
    {"seconds", 1e3, "s"},
    {"%", 0, "percent"},
    {"tokens/sec", 0, "tps"},
    {"requests/sec", 0, "rps"},
    {"requests", 0, ""},
    {"tokens", 0, "tokens"},
    {"count", 0, ""},
    {"W", 0, "w"},
    {"GB", 0, "gb"},
    {"MJ", 0, "mj"},
    {"tokens/sec/user", 0, "tps"},
};

const Unit* find_unit(std::string_view word) {
  const auto found = std::ranges::find(k_units, word, &Unit::word);
  return found == std::end(k_units) ? nullptr : found;
}

constexpr std::string_view k_ends_of_rates_and_times[] = {"_ns",  "_us",  "_ms",
                                                          "_tps", "_rps", "_per_s"};

std::optional<double> figure_of(const Reading& reading, std::string_view name) {
  for (const record::NamedMetric& one : reading.figures)
    if (one.name == name_of_theirs(reading.tool, name, "")) return one.mean;
  return std::nullopt;
}

// Whether FIGURE is a count or the tool's own duration rather than a request's time or a rate.
bool is_count(const Reading& reading, const record::NamedMetric& figure) {
  const std::string_view name = figure.name;
  return name.starts_with(snake_case(reading.tool) + "_") &&
         std::ranges::none_of(k_ends_of_rates_and_times,
                              [&](std::string_view end) { return name.ends_with(end); });
}

void set_figure(Reading& reading, std::string_view name, double value) {
  std::erase_if(reading.figures, [&](const auto& one) { return one.name == name; });
  reading.figures.push_back({.name = std::string(name), .mean = value});
}

constexpr std::size_t k_longest_text = 1000;

void put(Reading& reading, std::string_view name, matrix::Type type, std::string text) {
  reading.parameters.insert_or_assign(std::string(name), matrix::Value{type, std::move(text)});
}

}  // namespace

record::NamedMetric& Figures::named(std::string_view name) {
  const auto found = std::ranges::find(all_, name, &record::NamedMetric::name);
  return found != all_.end() ? *found
                             : all_.emplace_back(record::NamedMetric{.name = std::string(name)});
}

Status Figures::set(std::string_view name, std::string_view statistic, double value,
                    bool is_signed) {
  if (!std::isfinite(value) || std::abs(value) > k_largest)
    return invalid(fmt::format("{} is not a possible value", value));
  if (value < 0 && !is_signed) return invalid(fmt::format("{} is less than 0", value));
  const auto known = statistic.empty() ? Statistic::mean : parse_name<Statistic>(statistic);
  if (!known) named(fmt::format("{}_{}", name, statistic)).mean = value;
  else if (*known == Statistic::mean) named(name).mean = value;
  else named(name).statistics[*known] = value;
  return {};
}

std::optional<double> to_ms(std::string_view unit) {
  const Unit* known = find_unit(unit);
  return known != nullptr && known->ms > 0 ? std::optional(known->ms) : std::nullopt;
}

std::string snake_case(std::string_view text) {
  std::string name;
  for (const char c : lower(text)) {
    if (is_lower(c) || is_digit(c)) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  return name;
}

std::string name_of_theirs(std::string_view tool, std::string_view theirs, std::string_view unit) {
  static constexpr std::size_t k_longest = 64;  // of a column name
  const Unit* known = find_unit(unit);
  const std::string suffix = known != nullptr ? std::string(known->suffix) : snake_case(unit);
  const std::string name = fmt::format("{}_{}{}{}", snake_case(tool), snake_case(theirs),
                                       suffix.empty() ? "" : "_", suffix);
  return name.substr(0, k_longest);
}

Outcome outcome_of(const Reading& reading, std::optional<double> errors) {
  Outcome outcome = {figure_of(reading, "completed"), figure_of(reading, "failed")};
  if (errors) outcome.failed = std::max(outcome.failed.value_or(0), *errors);
  const auto prompts = reading.parameters.find("num_prompts");
  if (outcome.failed || !outcome.completed || prompts == reading.parameters.end()) return outcome;
  const auto asked = to_real(prompts->second.text);
  if (asked && *asked >= *outcome.completed) outcome.failed = *asked - *outcome.completed;
  return outcome;
}

std::optional<double> count_errors(const Node& list) {
  if (!list.is_list()) return std::nullopt;
  double errors = 0;
  for (const Node& error : list.items()) errors += error.is_text() && !error.text()->empty();
  return errors;
}

void judge(Reading& reading, const Outcome& outcome) {
  const double failed = outcome.failed.value_or(0), all = outcome.completed.value_or(0) + failed;
  if (outcome.completed && outcome.failed && all > 0)
    set_figure(reading, "error_rate", failed / all);
  if (!outcome.completed) return;
  if (*outcome.completed > 0) {
    if (failed > 0)
      reading.warnings.push_back(
          fmt::format("{} of {} requests failed: the figures are of the others", failed, all));
    return;
  }
  std::erase_if(reading.figures, [&](const record::NamedMetric& one) {
    return one.name != "error_rate" && !is_count(reading, one);
  });
  if (!reading.invalid.empty()) reading.invalid += "; ";
  reading.invalid += "no request succeeded";
  if (failed > 0) reading.invalid += fmt::format(": {} of {} failed", failed, all);
}

void set_text(Reading& reading, std::string_view name, const std::optional<std::string>& value) {
  if (value && !value->empty())
    put(reading, name, matrix::Type::text, value->substr(0, k_longest_text));
}

void set_integer(Reading& reading, std::string_view name, std::optional<std::int64_t> value) {
  if (value) put(reading, name, matrix::Type::integer, std::to_string(*value));
}

void set_real(Reading& reading, std::string_view name, std::optional<double> value) {
  if (value) put(reading, name, matrix::Type::real, fmt::format("{}", *value));
}

void set_flag(Reading& reading, std::string_view name, std::optional<bool> value) {
  if (value) put(reading, name, matrix::Type::boolean, *value ? "true" : "false");
}

void set_node(Reading& reading, std::string_view name, const Node& node) {
  if (node.is_text()) return set_text(reading, name, node.text());
  if (node.is_flag()) return set_flag(reading, name, node.flag());
  if (node.is_number()) {
    const double value = *node.number();
    if (value == static_cast<double>(static_cast<std::int64_t>(value)))
      return set_integer(reading, name, static_cast<std::int64_t>(value));
    return set_real(reading, name, value);
  }
}

void set_request_rate(Reading& reading, const Node& node) {
  if (node.is_text()) {
    const std::string word = lower(*node.text());
    if (word == "inf" || word == "infinity") return set_flag(reading, "max", true);
    if (word == "trace") return;  // a trace has no rate: each request has its own time
    const auto rate = to_real(word);
    if (!rate || *rate <= 0) return node.refuse("write the requests per second, or 'inf'");
    return set_real(reading, "request_rate", rate);
  }
  if (node.is_infinite()) return set_flag(reading, "max", true);
  const auto rate = node.number();
  if (rate && *rate <= 0) return node.refuse("a rate must be above 0");
  set_real(reading, "request_rate", rate);
}

Status for_each_json_line(const Source& source, Fault& fault,
                          const std::function<void(const Node&)>& each) {
  int number = 0;
  for (std::size_t at = 0; at < source.text.size();) {
    const std::size_t end = std::min(source.text.find('\n', at), source.text.size());
    const std::string_view line = trim(source.text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (line.empty()) continue;
    ORCH_ASSIGN(const Document document, Document::parse(source.name, line, number));
    fault.set_file(fmt::format("{}:{}", source.name, number));
    const Node node = document.root(fault);
    if (node.is_object()) each(node);
    else fault.add("the line", node.shown(), "a JSON object is needed on each line");
    ORCH_TRY(fault.status());
  }
  return {};
}

void warn_of_left_out(Fault& fault, Reading& reading) {
  for (std::string& words : fault.take_left_out()) reading.warnings.push_back(std::move(words));
}

Result<std::vector<Reading>> read_objects(const Source& source,
                                          const std::function<Reading(const Node&)>& read) {
  std::vector<Reading> readings;
  Fault fault(source.name);
  const auto add = [&](const Node& object) {
    if (!object.is_object()) return fault.add("the result", object.shown(), "an object is needed");
    readings.push_back(read(object));
    warn_of_left_out(fault, readings.back());
  };
  const auto document = Document::parse(source.name, source.text);
  if (!document) {
    const std::string_view text = trim(source.text), line = trim(first_line(text));
    const bool is_first_of_lines = line.size() < text.size() && Document::parse("", line).ok();
    if (!is_first_of_lines) return document.error();
    ORCH_TRY(for_each_json_line(source, fault, add));
    return readings;
  }
  const Node root = document->root(fault);
  for (const Node& object : root.is_list() ? root.items() : std::vector{root}) add(object);
  ORCH_TRY(fault.status());
  return readings;
}

void warn_of_no_starts(const Node& times, Reading& reading) {
  if (!times.is_list() || times.items().empty()) return;
  reading.warnings.push_back(
      fmt::format("the times of its {} requests are not read: the file has no start_times",
                  times.items().size()));
}

void start_at_zero(KeptRequests& kept) {
  std::vector<measure::RequestRecord>& records = kept.records;
  if (records.empty()) return;
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return records[a].sent_ns < records[b].sent_ns; });
  KeptRequests sorted;
  const std::int64_t start = records[order[0]].sent_ns;
  for (const std::size_t from : order) {
    measure::RequestRecord& record = sorted.records.emplace_back(std::move(records[from]));
    record.index = static_cast<std::int64_t>(sorted.records.size()) - 1;
    record.sent_ns -= start;
    record.end_ns -= start;
    for (std::int64_t& event : record.event_ns) event -= start;
    if (!kept.texts.empty()) sorted.texts.push_back(std::move(kept.texts[from]));
  }
  kept.records = std::move(sorted.records);
  kept.texts = std::move(sorted.texts);
  kept.wall_start_ns = start;
  kept.streamed = std::ranges::all_of(
      kept.records, [](const auto& record) { return !record.ok() || record.streamed; });
}

}  // namespace orch::imports
