// OpenAI's completions and chat completions, as trtllm-serve and others speak them: one JSON body, or server-sent events
// that end with `data: [DONE]`. A stream is asked for its usage, which comes in a chunk without choices.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "load/json_scan.hpp"
#include "load/protocol.hpp"

namespace orch::load {
namespace {

// What the two differ in.
struct Dialect {
  std::string_view path;
  std::string_view prompt_begin;  // JSON around the text of the prompt
  std::string_view prompt_end;
};

constexpr Dialect k_completions{.path = "/v1/completions", .prompt_begin = R"({"prompt":)", .prompt_end = ""};
constexpr Dialect k_chat{.path = "/v1/chat/completions", .prompt_begin = R"({"messages":[{"role":"user","content":)", .prompt_end = "}]"};

bool is_null(std::optional<std::string_view> value) { return !value || *value == "null"; }

// Less than none is no count.
std::optional<std::int64_t> count_of(std::string_view usage, std::string_view key) {
  const auto value = json_member(usage, key);
  const auto count = value ? to_integer(*value) : std::nullopt;
  return count && *count >= 0 ? count : std::nullopt;
}

// The first element of a JSON array that is an object; "" of anything else.
std::string_view first_object(std::string_view array) {
  const std::string_view inside = trim(array.substr(std::min<std::size_t>(array.size(), 1)));
  return array.starts_with('[') && inside.starts_with('{') ? inside : std::string_view{};
}

class OpenAi final : public Protocol {
 public:
  OpenAi(const RequestShape& shape, const Dialect& dialect) : prompt_begin_(dialect.prompt_begin), stream_(shape.stream) {
    nlohmann::json body = {{"model", shape.model}, {"max_tokens", shape.osl}, {"stream", shape.stream}};
    if (shape.forced_osl) body["ignore_eos"] = true;
    if (shape.stream) body["stream_options"] = {{"include_usage", true}};
    for (const auto& [name, value] : shape.inputs) body[name] = nlohmann::json::parse(input_json(value));
    body_rest_ = std::string(dialect.prompt_end) + "," + body.dump().substr(1);
    head_ = fmt::format("POST {}{} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: ", shape.url.path, dialect.path,
                        shape.url.authority());
  }

  Travel travel() const override { return {.grpc_method = "", .events = stream_}; }

  std::string request(std::span<const Prompt> prompts) const override {
    const Prompt& prompt = prompts.front();
    const std::string prompt_json = json_quote(prompt.text_input);
    return fmt::format("{}{}\r\n\r\n{}{}{}", head_, prompt_begin_.size() + prompt_json.size() + body_rest_.size(), prompt_begin_, prompt_json, body_rest_);
  }

  EventKind read_event(std::string_view event, Told& told) const override {
    if (trim(event) == "[DONE]") return EventKind::other;
    if (read_error(event, told.failure)) return EventKind::failure;
    const auto choices = json_member(event, "choices");
    if (!choices) return EventKind::malformed;
    if (const auto usage = json_member(event, "usage"); !is_null(usage)) {
      told.isl = count_of(*usage, "prompt_tokens");
      told.osl = count_of(*usage, "completion_tokens");
    }
    const std::string_view choice = first_object(*choices);
    if (choice.empty()) return choices->starts_with('[') && stream_ ? EventKind::other : EventKind::malformed;
    return read_choice(choice, told.text);
  }

  std::string read_refusal(std::string_view body) const override {
    std::string message;
    read_error(body, message);
    return message;
  }

 private:
  // {"error": TEXT or {"message": TEXT}} or {"object": "error", "message": TEXT}.
  static bool read_error(std::string_view event, std::string& message) {
    std::optional<std::string_view> text;
    if (const auto error = json_member(event, "error"); !is_null(error)) {
      text = json_member(*error, "message");
      if (!text) text = error;
    } else if (json_member(event, "object") == R"("error")") {
      text = json_member(event, "message").value_or(event);
    }
    if (!text) return false;
    if (!append_json_string(*text, message)) message.append(*text);
    return true;
  }

  EventKind read_choice(std::string_view choice, std::string& text) const {
    if (!stream_) return read_whole(choice, text);
    const auto delta = json_member(choice, "delta");
    const std::size_t length = text.size();
    bool has_text = false;
    for (const std::string_view key : {"text", "content", "reasoning_content"}) {
      const auto piece = json_member(delta ? *delta : choice, key);
      if (is_null(piece)) continue;
      if (!append_json_string(*piece, text)) return EventKind::malformed;
      has_text = true;
    }
    if (text.size() > length) return EventKind::token;
    // Without visible text it still is a token (half a character, a special one), unless it only opens or closes the answer.
    const bool opens = delta && json_member(*delta, "role");
    return has_text && !opens && is_null(json_member(choice, "finish_reason")) ? EventKind::token : EventKind::other;
  }

  static EventKind read_whole(std::string_view choice, std::string& text) {
    const auto message = json_member(choice, "message");
    const auto content = message ? json_member(*message, "content") : json_member(choice, "text");
    if (!content) return EventKind::malformed;
    if (message)
      if (const auto reasoning = json_member(*message, "reasoning_content"); !is_null(reasoning)) append_json_string(*reasoning, text);
    return is_null(content) || append_json_string(*content, text) ? EventKind::token : EventKind::malformed;
  }

  std::string_view prompt_begin_;
  bool stream_;
  std::string head_;
  std::string body_rest_;
};

}  // namespace

std::unique_ptr<Protocol> make_openai_completions(RequestShape shape) { return std::make_unique<OpenAi>(shape, k_completions); }
std::unique_ptr<Protocol> make_openai_chat(RequestShape shape) { return std::make_unique<OpenAi>(shape, k_chat); }

}  // namespace orch::load
