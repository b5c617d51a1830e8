// Triton's generate extension: POST /v2/models/M/generate (one JSON body) and generate_stream (server-sent events, each
// `data: {json}`, no [DONE], failures inside a 200 answer as {"error": ...}).
#include <nlohmann/json.hpp>

#include "load/json_scan.hpp"
#include "load/protocol.hpp"

namespace orch::load {
namespace {

nlohmann::json ensemble_inputs(const RequestShape& shape) {
  nlohmann::json inputs = {{"max_tokens", shape.osl}, {"stream", shape.stream}};
  if (shape.forced_osl) inputs["min_length"] = shape.osl;
  return inputs;
}

// That model knows no least length: the model's end token ends an answer.
nlohmann::json llmapi_inputs(const RequestShape& shape) {
  return {{"sampling_param_max_tokens", shape.osl}, {"sampling_param_exclude_input_from_output", true}, {"streaming", shape.stream}};
}

struct Dialect {
  bool forces_length;
  bool repeats_text;  // each event carries the whole text so far
};

class TritonHttp final : public Protocol {
 public:
  TritonHttp(const RequestShape& shape, nlohmann::json inputs, Dialect dialect) : stream_(shape.stream), dialect_(dialect) {
    for (const auto& [name, value] : shape.inputs) inputs[name] = nlohmann::json::parse(input_json(value));
    // The prompt is the only part that differs between requests, so the rest is written once: `,"max_tokens":...}`.
    body_rest_ = "," + inputs.dump().substr(1);
    head_ = fmt::format("POST {}/v2/models/{}/{} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: ", shape.url.path,
                        shape.model, shape.stream ? "generate_stream" : "generate", shape.url.authority());
  }

  Travel travel() const override { return {.grpc_method = "", .events = stream_}; }

  std::string request(std::span<const Prompt> prompts) const override {
    const Prompt& prompt = prompts.front();
    const std::string prompt_json = json_quote(prompt.text_input);
    constexpr std::string_view k_begin = R"({"text_input":)";
    const std::size_t length = k_begin.size() + prompt_json.size() + body_rest_.size();
    return fmt::format("{}{}\r\n\r\n{}{}{}", head_, length, k_begin, prompt_json, body_rest_);
  }

  EventKind read_event(std::string_view event, Told& told) const override {
    if (const auto output = json_member(event, "text_output")) {
      if (dialect_.repeats_text) told.text.clear();
      return append_json_strings(*output, told.text) ? EventKind::token : EventKind::malformed;
    }
    if (const auto error = json_member(event, "error")) {
      if (!append_json_string(*error, told.failure)) told.failure.append(*error);
      return EventKind::failure;
    }
    return EventKind::malformed;
  }

  std::string read_refusal(std::string_view body) const override {
    std::string message;
    if (const auto error = json_member(body, "error")) append_json_string(*error, message);
    return message;
  }

  bool forces_length() const override { return dialect_.forces_length; }

 private:
  bool stream_;
  Dialect dialect_;
  std::string head_;
  std::string body_rest_;
};

}  // namespace

std::unique_ptr<Protocol> make_triton_http(RequestShape shape) {
  return std::make_unique<TritonHttp>(shape, ensemble_inputs(shape), Dialect{.forces_length = true, .repeats_text = false});
}

std::unique_ptr<Protocol> make_triton_llmapi(RequestShape shape) {
  return std::make_unique<TritonHttp>(shape, llmapi_inputs(shape), Dialect{.forces_length = false, .repeats_text = true});
}

}  // namespace orch::load
