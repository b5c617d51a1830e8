// perf_analyzer's raw export. Written request by request, because a JSON tree of all requests would
// need many times the memory of the file.
#include "bench/protocol/protocol.hpp"
#include "results/tools/export_genai_perf.hpp"

#include <nlohmann/json.hpp>

namespace orch::record {
namespace {

using Json = nlohmann::ordered_json;
using measure::RequestRecord;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Whether RECORD is exported; genai-perf has no form for failed requests.
bool is_exported(const RequestRecord& record) {
  return !record.warmup && record.ok() && record.has_events();
}

bool is_chat(const BenchSpec& options) { return options.protocol == "openai-chat"; }

Json experiment_of(const Measurement& measurement) {
  const Load& load = measurement.load;
  if (load.kind != Load::Kind::open) return {{"mode", "concurrency"}, {"value", load.concurrency}};
  double rate = load.request_rate;
  if (load.arrival == Arrival::trace && measurement.duration_s > 0)
    rate = static_cast<double>(std::ranges::count_if(measurement.records, is_exported)) /
           measurement.duration_s;
  return {{"mode", "request_rate"}, {"value", rate}};
}

// The inputs of a request. genai-perf reads only the first message of a chat, so that message has
// the whole text; it reads the prompts of completions from a list.
Json inputs_of(const BenchSpec& options, const prompt::Prompt& prompt,
               const RequestRecord& record) {
  if (protocol::is_triton(options.protocol))
    return {{"text_input", prompt.text_input},
            {"stream", options.stream},
            {"max_tokens", record.osl_requested}};
  Json payload{{"model", options.model}};
  if (is_chat(options))
    payload["messages"] = Json::array({Json{{"role", "user"}, {"content", prompt.text_input}}});
  else payload["prompt"] = Json::array({prompt.text_input});
  payload["stream"] = options.stream;
  payload["max_tokens"] = record.osl_requested;
  return {{"payload", text_of(payload)}};
}

// The text of one token event; the last event has the rest. "" if the answer consists of ids:
// genai-perf would count the tokens of their digits.
std::string_view piece_of(const RequestRecord& record, const KeptAnswer& kept, std::size_t event) {
  if (record.counted_by == measure::CountedBy::ids) return {};
  const std::string_view answer = kept.text;
  const auto end_of = [&](std::size_t i) {
    return i < kept.text_ends.size() ? std::min(kept.text_ends[i], answer.size()) : answer.size();
  };
  const std::size_t begin = event == 0 ? 0 : end_of(event - 1);
  return answer.substr(begin, end_of(event) - begin);
}

Json output_of(const BenchSpec& options, std::string_view text) {
  if (protocol::is_triton(options.protocol)) return {{"text_output", text}};
  const char* const object = !is_chat(options) ? "text_completion"
                             : options.stream  ? "chat.completion.chunk"
                                               : "chat.completion";
  Json choice{{"index", 0}};
  if (!is_chat(options)) choice["text"] = text;
  else
    choice[options.stream ? "delta" : "message"] = Json{{"role", "assistant"}, {"content", text}};
  const std::string response =
      text_of({{"object", object}, {"model", options.model}, {"choices", Json::array({choice})}});
  return {{"response", options.stream ? fmt::format("data: {}\n\n", response) : response}};
}

// A request with its answer.
struct Answered {
  const RequestRecord& record;
  const prompt::Prompt& prompt;
  const KeptAnswer& answer;
};

std::string text_of_request(const BenchSpec& options, const Answered& request,
                            std::int64_t wall_start_ns) {
  const RequestRecord& record = request.record;
  std::string out = fmt::format(R"({{"timestamp":{},"request_inputs":{},"response_timestamps":[)",
                                wall_start_ns + record.sent_ns,
                                text_of(inputs_of(options, request.prompt, record)));
  for (std::size_t i = 0; i < record.event_ns.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ",", wall_start_ns + record.event_ns[i]);
  out += R"(],"response_outputs":[)";
  for (std::size_t i = 0; i < record.event_ns.size(); ++i)
    out += (i == 0 ? "" : ",") + text_of(output_of(options, piece_of(record, request.answer, i)));
  return out + "]}";
}

Status give_experiment(const ProfileExport& with, const Measurement& measurement,
                       const Take& take) {
  ORCH_TRY(
      take(fmt::format(R"({{"experiment":{},"requests":[)", text_of(experiment_of(measurement)))));
  std::int64_t end_ns = 0;
  bool first = true;
  for (const RequestRecord& record : measurement.records) {
    if (!is_exported(record)) continue;
    const prompt::Prompt& prompt =
        with.prompts[measurement.prompts.first +
                     static_cast<std::size_t>(record.index) % measurement.prompts.requests];
    ORCH_ASSIGN(const KeptAnswer answer, answer_of(record, with.spool));
    ORCH_TRY(
        take((std::exchange(first, false) ? "" : ",") +
             text_of_request(with.options, {record, prompt, answer}, measurement.wall_start_ns)));
    end_ns = std::max(end_ns, record.end_ns);
  }
  return take(fmt::format(R"(],"window_boundaries":[{},{}]}})", measurement.wall_start_ns,
                          measurement.wall_start_ns + end_ns));
}

}  // namespace

Status give_profile(const ProfileExport& with, std::span<const Measurement> measurements,
                    const Take& take) {
  const BenchSpec& options = with.options;
  ORCH_TRY(take(R"({"experiments":[)"));
  for (const Measurement& measurement : measurements) {
    if (&measurement != measurements.data()) ORCH_TRY(take(","));
    ORCH_TRY(give_experiment(with, measurement, take));
  }
  const std::string_view endpoint = protocol::is_triton(options.protocol) ? ""
                                    : is_chat(options)                    ? "v1/chat/completions"
                                                                          : "v1/completions";
  return take(fmt::format(R"(],"version":{},"service_kind":"{}","endpoint":"{}"}})",
                          text_of(Json(with.version)),
                          protocol::is_triton(options.protocol) ? "triton" : "openai", endpoint));
}

}  // namespace orch::record
