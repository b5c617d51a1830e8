// Triton's generate extension: POST /v2/models/M/generate (one JSON body) and generate_stream (server-sent events, each
// `data: {json}`, no [DONE], failures inside a 200 answer as {"error": ...}).
#include <nlohmann/json.hpp>

#include "load/json_scan.hpp"
#include "load/protocol.hpp"

namespace orch::load {
namespace {

nlohmann::json input_value(const std::string& text) {
  nlohmann::json value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? nlohmann::json(text) : value;
}

class TritonHttp final : public Protocol {
 public:
  explicit TritonHttp(const RequestShape& shape) {
    nlohmann::json inputs = {{"max_tokens", shape.osl}, {"stream", shape.stream}};
    if (shape.forced_osl) inputs["min_length"] = shape.osl;
    for (const auto& [name, value] : shape.inputs) inputs[name] = input_value(value);
    // The prompt is the only part that differs between requests, so the rest is written once: `,"max_tokens":...}`.
    body_rest_ = "," + inputs.dump().substr(1);
    head_ = fmt::format("POST {}/v2/models/{}/{} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: ", shape.url.path,
                        shape.model, shape.stream ? "generate_stream" : "generate", shape.url.authority());
  }

  std::string request(const Prompt& prompt) const override {
    const std::string prompt_json = json_quote(prompt.text_input);
    constexpr std::string_view k_begin = R"({"text_input":)";
    const std::size_t length = k_begin.size() + prompt_json.size() + body_rest_.size();
    return fmt::format("{}{}\r\n\r\n{}{}{}", head_, length, k_begin, prompt_json, body_rest_);
  }

  EventKind read_event(std::string_view event, std::string& text, std::string& failure) const override {
    if (const auto output = json_member(event, "text_output")) return append_json_strings(*output, text) ? EventKind::token : EventKind::malformed;
    if (const auto error = json_member(event, "error")) {
      if (!append_json_string(*error, failure)) failure.append(*error);
      return EventKind::failure;
    }
    return EventKind::malformed;
  }

  std::string read_refusal(std::string_view body) const override {
    std::string message;
    if (const auto error = json_member(body, "error")) append_json_string(*error, message);
    return message;
  }

 private:
  std::string head_;
  std::string body_rest_;
};

}  // namespace

std::unique_ptr<Protocol> make_triton_http(RequestShape shape) { return std::make_unique<TritonHttp>(shape); }

}  // namespace orch::load
