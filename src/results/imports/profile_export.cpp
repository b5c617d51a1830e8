// perf_analyzer's raw export (--profile-export-file), from which genai-perf computes its figures:
// every request with the times and texts of its responses.
#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/format.hpp"
#include "results/imports/tool_names.hpp"

#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

namespace orch::imports {

namespace {

// The text of one event of an OpenAI server, "data: {...}".
std::string openai_piece(std::string_view event) {
  static constexpr std::string_view k_data = "data:";
  event = trim(event);
  if (event.starts_with(k_data)) event = trim(event.substr(k_data.size()));
  const auto body = nlohmann::json::parse(event, nullptr, false);
  if (!body.is_object() || !body.contains("choices")) return "";
  const auto& choices = body["choices"];
  if (!choices.is_array() || choices.empty() || !choices[0].is_object()) return "";
  const auto text_in = [](const nlohmann::json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_string()
               ? found->get<std::string>()
               : std::string();
  };
  const auto& choice = choices[0];
  for (const char* part : {"delta", "message"})
    if (choice.contains(part)) return text_in(choice[part], "content");
  return text_in(choice, "text");
}

// A response may contain several events.
std::string openai_text(std::string_view response) {
  std::string text;
  for (std::size_t at = 0; at < response.size();) {
    const std::size_t end = std::min(response.find("\n\n", at), response.size());
    text += openai_piece(response.substr(at, end - at));
    at = end + 2;
  }
  return text;
}

// The prompt in PAYLOAD: the first message of a chat, or the prompts of a completion.
std::string openai_prompt(const std::string& payload) {
  const auto body = nlohmann::json::parse(payload, nullptr, false);
  if (!body.is_object()) return "";
  if (const auto messages = body.find("messages");
      messages != body.end() && messages->is_array() && !messages->empty()) {
    const auto& first = (*messages)[0];
    return first.is_object() && first.contains("content") && first["content"].is_string()
               ? first["content"].get<std::string>()
               : "";
  }
  const auto prompt = body.find("prompt");
  if (prompt == body.end()) return "";
  if (prompt->is_string()) return prompt->get<std::string>();
  std::string text;
  for (const auto& one : *prompt)
    if (one.is_string()) text += (text.empty() ? "" : " ") + one.get<std::string>();
  return text;
}

// One response of a request.
struct Response {
  std::int64_t at_ns = 0;
  std::string text;
  std::int64_t ids = 0;
  bool is_empty = false;  // an event of an OpenAI server that has no token
  bool is_end = false;    // it has no token, but ends the latency as genai-perf computes it
};

Response response_of(const Node& stamp, const Node& output) {
  Response response;
  response.at_ns = stamp.integer(0, INT64_MAX).value_or(0);
  if (const Node raw = output.at("response"); raw.is_text()) {
    response.text = openai_text(*raw.text());
    response.is_empty = response.text.empty();
  } else if (const Node text = output.at("text_output"); text.is_text()) {
    response.text = *text.text();
  }
  const Node ids = output.at("output_ids");
  if (ids.is_list()) response.ids = static_cast<std::int64_t>(ids.items().size());
  else if (ids.is_number()) response.ids = 1;
  return response;
}

std::vector<Response> responses_of(const Node& request) {
  const auto stamps = request.at("response_timestamps").items();
  const auto outputs = request.at("response_outputs").items();
  if (stamps.size() != outputs.size())
    request.at("response_outputs")
        .refuse(fmt::format("{} outputs for {} time stamps: the file was cut off or edited; export "
                            "it again",
                            outputs.size(), stamps.size()));
  std::vector<Response> all;
  for (std::size_t i = 0; i < std::min(stamps.size(), outputs.size()); ++i)
    if (Response one = response_of(stamps[i], outputs[i]); !one.is_empty)
      all.push_back(std::move(one));
  // Some models send an empty response to end the answer after the requested number of tokens.
  const auto asked = request.at("request_inputs").at("max_tokens").integer(1, INT32_MAX);
  if (asked && static_cast<std::int64_t>(all.size()) == *asked + 1 && all.back().ids == 0)
    all.back().is_end = all.back().text.empty();
  return all;
}

void set_prompt(const Node& inputs, measure::RequestRecord& record, Texts& texts) {
  const Node text = inputs.at("text_input"), ids = inputs.at("input_ids"),
             payload = inputs.at("payload");
  if (text.is_text()) texts.prompt = *text.text();
  else if (payload.is_text()) texts.prompt = openai_prompt(*payload.text());
  if (ids.is_list()) record.isl = static_cast<std::int64_t>(ids.items().size());
}

void read_exported(const Node& request, KeptRequests& kept) {
  const auto sent = request.at("timestamp").integer(0, INT64_MAX);
  if (!sent) return request.at("timestamp").refuse("the time of the send is needed");
  measure::RequestRecord record;
  Texts texts;
  record.sent_ns = *sent;
  record.end_ns = *sent;
  record.status = 200;
  set_prompt(request.at("request_inputs"), record, texts);
  std::int64_t ids = 0;
  for (const Response& response : responses_of(request)) {
    if (response.at_ns < record.end_ns) {
      request.at("response_timestamps")
          .refuse("a response is earlier than the one before it, or than its request");
      return;
    }
    if (!response.is_end) record.event_ns.push_back(response.at_ns);
    record.end_ns = response.at_ns;
    texts.answer += response.text;
    ids += response.ids;
  }
  if (ids > 0) {
    record.osl_counted = ids;
    record.counted_by = measure::CountedBy::ids;
  }
  kept.records.push_back(std::move(record));
  kept.texts.push_back(std::move(texts));
}

// Sets perf_analyzer's own figures by its formulas: over the requests in the windows that it kept,
// with the value at the rounded rank as a percentile.
void set_figures_of_windows(const Node& boundaries, Reading& reading) {
  std::vector<double> latencies;
  for (const measure::RequestRecord& record : reading.requests.records)
    if (record.has_events())
      latencies.push_back(static_cast<double>(record.last_ns() - record.sent_ns) /
                          measure::k_ns_per_ms);
  const auto bounds = boundaries.items();
  if (latencies.empty() || bounds.size() < 2) return;
  const auto begin = bounds.front().integer(0, INT64_MAX),
             end = bounds.back().integer(0, INT64_MAX);
  if (!begin || !end || *end <= *begin) return;
  std::ranges::sort(latencies);
  const auto n = static_cast<double>(latencies.size());
  Figures figures;
  const auto set = [&](std::string_view name, std::string_view statistic, double value) {
    if (!figures.set(name, statistic, value)) boundaries.refuse("a figure is out of range");
  };
  set(metric::requests_per_s, "", n / (static_cast<double>(*end - *begin) / 1e9));
  const double mean = std::accumulate(latencies.begin(), latencies.end(), 0.0) / n;
  set(metric::request_latency_ms, "", mean);
  double squares = 0;
  for (const double latency : latencies) squares += (latency - mean) * (latency - mean);
  if (n > 1) set(metric::request_latency_ms, "sd", std::sqrt(squares / (n - 1)));
  for (const int percentile : {50, 90, 95, 99})
    set(metric::request_latency_ms, fmt::format("p{}", percentile),
        latencies[static_cast<std::size_t>(percentile / 100.0 * (n - 1) + 0.5)]);
  reading.figures = figures.take();
  reading.expect(perf_analyzer_expected());
}

void set_experiment(const Node& experiment, Reading& reading) {
  const auto mode = experiment.at("mode").text();
  const Node value = experiment.at("value");
  if (mode == "concurrency")
    set_integer(reading, "concurrency", value.integer(1, k_most_of_anything));
  else if (mode == "request_rate") set_request_rate(reading, value);
  else experiment.at("mode").refuse("'concurrency' or 'request_rate' is needed here");
}

}  // namespace

bool is_profile_export(const Source& source) {
  return trim(source.text.substr(0, 64)).starts_with('{') &&
         source.text.find("\"experiments\"") != std::string_view::npos &&
         source.text.find("\"response_timestamps\"") != std::string_view::npos;
}

Result<std::vector<Reading>> read_profile_export(const Source& source) {
  ORCH_ASSIGN(const Document document, Document::parse(source.name, source.text));
  Fault fault(source.name);
  const Node root = document.root(fault);
  std::vector<Reading> readings;
  for (const Node& entry : root.at("experiments").items()) {
    Reading reading{.tool = std::string(k_perf_analyzer)};
    reading.tool_version = root.at("version").text();
    set_experiment(entry.at("experiment"), reading);
    set_node(reading, "service_kind", root.at("service_kind"));
    for (const Node& request : entry.at("requests").items()) {
      read_exported(request, reading.requests);
      if (fault.any()) break;
    }
    start_at_zero(reading.requests);
    set_figures_of_windows(entry.at("window_boundaries"), reading);
    const auto& records = reading.requests.records;
    // If every request has one response, the answers were not streamed.
    reading.requests.streamed =
        std::ranges::any_of(records, [](const auto& record) { return record.event_ns.size() > 1; });
    readings.push_back(std::move(reading));
  }
  ORCH_TRY(fault.status());
  return readings;
}

}  // namespace orch::imports
