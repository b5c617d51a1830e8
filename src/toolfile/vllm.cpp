// The results of `vllm bench serve` (--save-result, --save-detailed): one JSON object, a list of
// them, or JSON lines; and the CSV summary of a sweep.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "toolfile/format.hpp"
#include "toolfile/kept_requests.hpp"
#include "toolfile/point_parameters.hpp"
#include "toolfile/sheet.hpp"

namespace orch::toolfile {

namespace {

constexpr std::string_view k_vllm = "vllm";
constexpr double k_ns_per_s = 1e9;

// Its ITL is the time between neighbouring events, which we call event_gap_ms.
constexpr FigureKey k_vllm_figures[] = {
    {"request_throughput", "requests_per_s"},
    {"request_goodput", "goodput_rps"},
    {"output_throughput", "output_tps"},
    {"total_token_throughput", "vllm_total_token_throughput_tps"},
    {"completed", "vllm_completed"},
    {"failed", "vllm_failed"},
    {"duration", "vllm_duration_s"},
    {"total_input_tokens", "vllm_total_input_tokens"},
    {"total_output_tokens", "vllm_total_output_tokens"},
    {"mean_ttft_ms", "ttft_ms"},
    {"std_ttft_ms", "ttft_ms", "sd"},
    {"median_ttft_ms", "ttft_ms", "p50"},
    {"mean_tpot_ms", "tpot_ms"},
    {"std_tpot_ms", "tpot_ms", "sd"},
    {"median_tpot_ms", "tpot_ms", "p50"},
    {"mean_itl_ms", "event_gap_ms"},
    {"std_itl_ms", "event_gap_ms", "sd"},
    {"median_itl_ms", "event_gap_ms", "p50"},
    {"mean_e2el_ms", "request_latency_ms"},
    {"std_e2el_ms", "request_latency_ms", "sd"},
    {"median_e2el_ms", "request_latency_ms", "p50"},
};
constexpr ParameterKey k_vllm_parameters[] = {
    {"model_id", "model"},
    {"backend", "backend"},
    {"endpoint_type", "backend"},
    {"request_rate", "request_rate", matrix::Type::real},
    {"max_concurrency", "concurrency", matrix::Type::integer},
    {"num_prompts", "num_prompts", matrix::Type::integer},
    {"burstiness", "burstiness", matrix::Type::real},
};
constexpr Sheet k_vllm_sheet = {k_vllm, k_vllm_figures, k_vllm_parameters};

struct Series {
  std::string_view theirs, figure;
};
constexpr Series k_series[] = {{"ttft_ms", "ttft_ms"},
                               {"tpot_ms", "tpot_ms"},
                               {"itl_ms", "event_gap_ms"},
                               {"e2el_ms", "request_latency_ms"}};

// "p99_ttft_ms" -> {"ttft_ms", "p99"}; the percentiles are chosen on its command line. "p99.9"
// is our p999.
struct Percentile {
  std::string figure, statistic;
};
std::optional<Percentile> series_percentile(std::string_view column) {
  const auto cut = column.find('_');
  if (!column.starts_with('p') || cut == std::string_view::npos || cut < 2) return std::nullopt;
  std::string statistic(column.substr(0, cut));
  std::erase(statistic, '.');
  if (!std::all_of(statistic.begin() + 1, statistic.end(), is_digit)) return std::nullopt;
  for (const Series& series : k_series)
    if (column.substr(cut + 1) == series.theirs)
      return Percentile{std::string(series.figure), statistic};
  return std::nullopt;
}

// Adds the percentiles to the figures of a row or an object.
class Percentiles {
 public:
  explicit Percentiles(Reading& reading) : reading_(reading) {}
  Status set(const Percentile& which, double value) {
    Figures figures;
    ORCH_TRY(figures.set(which.figure, which.statistic, value));
    for (record::NamedMetric& one : figures.take()) merge(std::move(one));
    return {};
  }

 private:
  void merge(record::NamedMetric one) {
    const auto found = std::find_if(reading_.figures.begin(), reading_.figures.end(),
                                    [&](const auto& known) { return known.name == one.name; });
    if (found == reading_.figures.end()) return reading_.figures.push_back(std::move(one));
    for (std::size_t i = 0; i < one.statistics.size(); ++i)
      if (one.statistics[i]) found->statistics[i] = one.statistics[i];
  }
  Reading& reading_;
};

std::optional<std::int64_t> ns_of(const Node& seconds) {
  const auto value = seconds.number();
  if (!value) return std::nullopt;
  if (*value >= 0 && *value < 4e9) return std::llround(*value * k_ns_per_s);
  seconds.refuse("a time in seconds from 0 on is needed here");
  return std::nullopt;
}

// The lists of --save-detailed, an item per request.
struct Lists {
  std::vector<Node> starts, ttfts, gaps, isls, osls, errors;
};

void read_events(const Lists& lists, std::size_t i, measure::RequestRecord& record) {
  const auto ttft = ns_of(lists.ttfts[i]);
  if (!ttft) return;
  std::int64_t at = record.sent_ns + *ttft;
  record.event_ns.push_back(at);
  for (const Node& gap : lists.gaps[i].items()) {
    at += ns_of(gap).value_or(0);
    record.event_ns.push_back(at);
  }
  record.end_ns = at;
}

void read_detailed(const Node& object, KeptRequests& kept) {
  const Lists lists = {object.at("start_times").items(), object.at("ttfts").items(),
                       object.at("itls").items(),        object.at("input_lens").items(),
                       object.at("output_lens").items(), object.at("errors").items()};
  const std::size_t n = lists.starts.size();
  if (lists.ttfts.size() != n || lists.gaps.size() != n || lists.osls.size() != n)
    return object.at("ttfts").refuse(fmt::format(
        "{} start_times, {} ttfts, {} itls and {} output_lens differ: save the result again", n,
        lists.ttfts.size(), lists.gaps.size(), lists.osls.size()));
  for (std::size_t i = 0; i < n; ++i) {
    measure::RequestRecord record;
    record.sent_ns = ns_of(lists.starts[i]).value_or(0);
    record.end_ns = record.sent_ns;
    if (i < lists.isls.size()) record.isl = lists.isls[i].integer(0, k_most_of_anything);
    if (i < lists.errors.size()) record.error = lists.errors[i].text().value_or("");
    record.osl_counted = lists.osls[i].integer(0, k_most_of_anything);
    record.counted_by = measure::CountedBy::usage;
    record.status = record.ok() ? 200 : 0;
    if (record.ok()) read_events(lists, i, record);
    kept.records.push_back(std::move(record));
  }
  kept.counting_osl = "the server's usage, else tokens of the text, as vLLM's client counts";
  kept.counting_isl = "tokens of the prompt, as vLLM's client counts";
  start_at_zero(kept);
  kept.wall_start_ns = 0;  // its clock does not count from the epoch
}

Reading read_result(const Node& object) {
  Reading reading{.tool = std::string(k_vllm)};
  read_object(k_vllm_sheet, object, reading);
  Percentiles percentiles(reading);
  for (const Node& member : object.members()) {
    const auto which = series_percentile(member.key());
    const auto value = which && member.is_number() ? member.number() : std::nullopt;
    if (value && !percentiles.set(*which, *value)) member.refuse("a time from 0 on is needed here");
  }
  if (object.at("start_times").exists() && object.at("ttfts").exists())
    read_detailed(object, reading.requests);
  return reading;
}

bool is_result(std::string_view text) {
  return text.find("\"request_throughput\"") != std::string_view::npos &&
         text.find("\"mean_ttft_ms\"") != std::string_view::npos &&
         text.find("\"max_concurrency\"") != std::string_view::npos;
}

}  // namespace

bool is_vllm_json(const Source& source) {
  const std::string_view text = trim(source.text.substr(0, 64));
  return (text.starts_with('{') || text.starts_with('[')) && is_result(source.text);
}

Result<std::vector<Reading>> read_vllm_json(const Source& source) {
  std::vector<Reading> readings;
  Fault fault(source.name);
  const auto document = Document::parse(source.name, source.text);
  // --append-result writes one object per line.
  if (!document && trim(source.text).find("}\n{") != std::string_view::npos) {
    ORCH_TRY(for_each_json_line(source, fault,
                                [&](const Node& line) { readings.push_back(read_result(line)); }));
    return readings;
  }
  if (!document) return document.error();
  const Node root = document->root(fault);
  for (const Node& object : root.is_list() ? root.items() : std::vector{root})
    readings.push_back(read_result(object));
  ORCH_TRY(fault.status());
  return readings;
}

bool is_vllm_csv(const Source& source) {
  const std::string_view header = source.text.substr(0, source.text.find('\n'));
  return header.find("mean_ttft_ms") != std::string_view::npos &&
         header.find("max_concurrency") != std::string_view::npos &&
         header.find("request_throughput") != std::string_view::npos;
}

Result<std::vector<Reading>> read_vllm_csv(const Source& source) {
  ORCH_ASSIGN(const auto rows, read_csv(source.name, source.text));
  ORCH_ASSIGN(const CsvTable table, CsvTable::of(source.name, rows));
  std::vector<Reading> readings;
  for (std::size_t row = 0; row < table.size(); ++row) {
    Reading reading{.tool = std::string(k_vllm)};
    ORCH_TRY(read_row(k_vllm_sheet, table, row, reading));
    Percentiles percentiles(reading);
    for (const std::string& column : table.columns()) {
      const auto which = series_percentile(column);
      if (!which) continue;
      ORCH_ASSIGN(const auto value, table.number(row, column));
      if (value && !percentiles.set(*which, *value))
        return table.refuse(row, column, "a time from 0 on is needed here");
    }
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace orch::toolfile
