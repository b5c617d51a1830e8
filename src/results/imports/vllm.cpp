// The results of `vllm bench serve` (--save-result, --save-detailed): one JSON object, a list of
// them, or JSON lines; and the CSV summary of a sweep.
#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"
#include "results/imports/csv.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/format.hpp"
#include "results/imports/sheet.hpp"
#include "results/imports/tool_names.hpp"

#include <cmath>
#include <ctime>

namespace orch::imports {

namespace {

constexpr std::string_view k_vllm = "vllm";
constexpr double k_ns_per_s = 1e9;

constexpr FigureKey k_vllm_figures[] = {
    {"request_throughput", metric::requests_per_s},
    {"request_inthroughput", metric::requests_per_s},  // as releases to 0.4 spell it
    {"request_goodput", metric::goodput_rps, "", 1, false},
    {"request_goodput:", metric::goodput_rps, "", 1, false},  // as many releases spell it
    {"input_throughput", metric::input_tps, "", 1, false},
    {"output_throughput", metric::output_tps},
    {"total_token_throughput", "_total_token_throughput_tps"},
    {"completed", "_completed"},
    {"failed", "_failed"},
    {"duration", "_duration_s"},
    {"total_input_tokens", "_total_input_tokens"},
    {"total_input", "_total_input_tokens"},
    {"total_output_tokens", "_total_output_tokens"},
    {"total_output", "_total_output_tokens"},
};
// The script's ITL is the time between neighbouring events, which we call event_gap_ms.
constexpr SeriesKey k_vllm_series[] = {{"ttft_ms", metric::ttft_ms},
                                       {"tpot_ms", metric::tpot_ms},
                                       {"itl_ms", metric::event_gap_ms},
                                       {"e2el_ms", metric::request_latency_ms},
                                       {"request_latency", metric::request_latency_ms}};
constexpr ParameterKey k_vllm_parameters[] = {
    {"model_id", "model"},
    {"backend", "backend"},
    {"endpoint_type", "backend"},
    {"request_rate", "request_rate", matrix::Type::real},
    {"max_concurrency", "concurrency", matrix::Type::integer},
    {"num_prompts", "num_prompts", matrix::Type::integer},
    {"burstiness", "burstiness", matrix::Type::real},
    {"best_of", "best_of", matrix::Type::integer},
};
// Keys that are ignored or read separately, such as the lists of --save-detailed.
constexpr std::string_view k_vllm_passed[] = {
    "date",       "tokenizer_id", "use_beam_search", "ttfts",  "itls",
    "input_lens", "output_lens",  "start_times",     "errors", "generated_texts"};
constexpr Sheet k_vllm_sheet = {k_vllm, k_vllm_figures, k_vllm_parameters, k_vllm_series,
                                {},     k_vllm_passed};
// trtllm-serve's benchmark_serving.py is a copy of vLLM's with additional figures.
constexpr Sheet k_trtllm_sheet = {"trtllm", k_vllm_figures, k_vllm_parameters, k_vllm_series,
                                  {},       k_vllm_passed};

std::optional<std::int64_t> ns_of(const Node& seconds) {
  const auto value = seconds.number();
  if (!value) return std::nullopt;
  if (*value >= 0 && *value < 4e9) return std::llround(*value * k_ns_per_s);
  seconds.refuse("a time in seconds, at least 0, is needed here");
  return std::nullopt;
}

// Sets the end from DATE, the local time of the client's machine: "20250601-101500". It is read as
// UTC, because its time zone is unknown.
void set_end(Reading& reading, const Node& date) {
  std::tm time{};
  const std::string text = date.text().value_or("");
  const char* rest = ::strptime(text.c_str(), "%Y%m%d-%H%M%S", &time);
  if (rest && !*rest) reading.ended_at = static_cast<double>(::timegm(&time));
}

// The lists of --save-detailed, one item per request.
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

bool is_zero(const Node& node) { return node.is_number() && node.number() == 0; }

void read_detailed(const Node& object, KeptRequests& kept) {
  const Lists lists = {object.at("start_times").items(), object.at("ttfts").items(),
                       object.at("itls").items(),        object.at("input_lens").items(),
                       object.at("output_lens").items(), object.at("errors").items()};
  const std::size_t n = lists.starts.size();
  if (lists.ttfts.size() != n || lists.gaps.size() != n || lists.osls.size() != n)
    return object.at("ttfts").refuse(fmt::format(
        "{} start_times, {} ttfts, {} itls, {} output_lens differ in number; save the result again",
        n, lists.ttfts.size(), lists.gaps.size(), lists.osls.size()));
  for (std::size_t i = 0; i < n; ++i) {
    measure::RequestRecord record;
    record.sent_ns = ns_of(lists.starts[i]).value_or(0);
    record.end_ns = record.sent_ns;
    if (i < lists.isls.size()) record.isl = lists.isls[i].integer(0, k_most_of_anything);
    if (i < lists.errors.size()) record.error = lists.errors[i].text().value_or("");
    if (record.ok() && is_zero(lists.ttfts[i]) && is_zero(lists.osls[i]))
      record.error = "no token came, and the file has no error";
    record.osl_counted = lists.osls[i].integer(0, k_most_of_anything);
    record.counted_by = measure::CountedBy::usage;
    record.status = record.ok() ? 200 : 0;
    if (record.ok()) read_events(lists, i, record);
    kept.records.push_back(std::move(record));
  }
  kept.counting_osl = "the server's usage, else tokens of the text, as vLLM's client counts";
  kept.counting_isl = "tokens of the prompt, as vLLM's client counts";
  start_at_zero(kept);
  kept.wall_start_ns = 0;  // unknown: the script's clock does not start at the epoch
}

Reading read_result(const Sheet& sheet, const Node& object) {
  Reading reading{.tool = std::string(sheet.tool)};
  read_object(sheet, object, reading);
  judge(reading, outcome_of(reading, count_errors(object.at("errors"))));
  set_end(reading, object.at("date"));
  if (!object.at("start_times").exists()) warn_of_no_starts(object.at("ttfts"), reading);
  else if (object.at("ttfts").exists()) read_detailed(object, reading.requests);
  return reading;
}

// Whether SOURCE is the output of vLLM's script or a copy of it.
bool is_like_vllm(const Source& source) {
  const std::string_view text = source.text;
  const auto has = [&](std::string_view key) { return has_key(text, key); };
  return is_json(text) && !has_marks_of_sglang(text) &&
         (has("request_throughput") || has("request_inthroughput")) &&
         (has("mean_ttft_ms") || has("median_ttft_ms") || has("mean_tpot_ms")) &&
         (has("max_concurrency") || has("model_id") || has("tokenizer_id") ||
          has("total_token_throughput") || has("request_inthroughput"));
}

bool has_marks_of_trtllm(std::string_view text) {
  return has_key(text, "user_throughput") || has_key(text, "avg_decoded_tokens_per_iter");
}

}  // namespace

bool is_vllm_json(const Source& source) {
  return is_like_vllm(source) && !has_marks_of_trtllm(source.text);
}

bool is_trtllm_json(const Source& source) {
  return is_like_vllm(source) && has_marks_of_trtllm(source.text);
}

Result<std::vector<Reading>> read_vllm_json(const Source& source) {
  return read_objects(source, [](const Node& object) { return read_result(k_vllm_sheet, object); });
}

Result<std::vector<Reading>> read_trtllm_json(const Source& source) {
  return read_objects(source,
                      [](const Node& object) { return read_result(k_trtllm_sheet, object); });
}

bool is_vllm_csv(const Source& source) {
  const std::string_view header = first_line(source.text);
  return !is_json(header) && header.find("mean_ttft_ms") != std::string_view::npos &&
         header.find("max_concurrency") != std::string_view::npos &&
         header.find("request_throughput") != std::string_view::npos &&
         header.find("e2e_latency_ms") == std::string_view::npos;  // SGLang's
}

Result<std::vector<Reading>> read_vllm_csv(const Source& source) {
  return read_rows(source, k_vllm,
                   [&](const CsvTable& table, std::size_t row, Reading& reading) -> Status {
                     ORCH_TRY(read_row(k_vllm_sheet, table, row, reading));
                     judge(reading, outcome_of(reading));
                     return {};
                   });
}

}  // namespace orch::imports
