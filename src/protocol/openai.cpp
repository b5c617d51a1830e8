// OpenAI's completions and chat completions, as trtllm-serve and others speak them: one JSON body,
// or server-sent events that end with `data: [DONE]`. A stream is asked for its usage, which comes
// in a chunk without choices.
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "base/json_scan.hpp"
#include "protocol/openai_events.hpp"
#include "protocol/protocol.hpp"

namespace orch::protocol {
namespace {

using nlohmann::json;

// What the two differ in.
struct Dialect {
  std::string_view name;
  std::string_view path;
  bool chat;
};

constexpr Dialect k_completions{
    .name = "openai-completions", .path = "/completions", .chat = false};
constexpr Dialect k_chat{.name = "openai-chat", .path = "/chat/completions", .chat = true};

// What there is no field for.
Status check(const RequestShape& shape, const Dialect& dialect) {
  const Sampling& sampling = shape.sampling;
  std::vector<std::string> options;
  const auto refuse = [&](bool asked, const char* option) {
    if (asked) options.emplace_back(option);
  };
  refuse(dialect.chat && shape.batch > 1, "--batch");
  refuse(sampling.beam_width.value_or(1) > 1, "--beam-width");
  refuse(sampling.lora_task_id.has_value(), "--lora-task-id");
  refuse(!sampling.bad_words.empty(), "--bad-word");
  refuse(sampling.context_logits, "--return-context-logits");
  refuse(sampling.generation_logits, "--return-generation-logits");
  for (const auto& [name, value] : shape.inputs) {
    ORCH_TRY(check_depth(name, value));
    if (name == "prompt" || name == "messages")
      return invalid(
          fmt::format("--input {}: that is the prompt, which --prompts FILE gives", name));
  }
  if (dialect.chat && shape.send_ids)
    return invalid(
        "openai-chat takes no token ids; send text, or use --protocol openai-completions");
  if (options.empty()) return {};
  return invalid(
      fmt::format("{} cannot be asked for {}: leave that out", dialect.name, join(options, ", ")));
}

void add_sampling(const Sampling& sampling, const Dialect& dialect, json& body) {
  if (sampling.temperature) body["temperature"] = *sampling.temperature;
  if (sampling.top_k)
    body["top_k"] =
        *sampling.top_k;  // not OpenAI's own, but all servers' that run models of one's own
  if (sampling.top_p) body["top_p"] = *sampling.top_p;
  if (sampling.seed) body["seed"] = *sampling.seed;
  if (!sampling.stop_words.empty()) body["stop"] = sampling.stop_words;
  if (sampling.log_probs) body["logprobs"] = dialect.chat ? json(true) : json(1);
}

// A URL that ends with /v1 names the place itself, as one does that goes on to what is asked for.
std::string path_of(const RequestShape& shape, const Dialect& dialect) {
  std::string_view base = shape.url.path;
  while (base.ends_with('/')) base.remove_suffix(1);
  for (const std::string_view path : {k_chat.path, k_completions.path})
    if (base.ends_with(path))
      return fmt::format("{}{}", base.substr(0, base.size() - path.size()), dialect.path);
  return fmt::format("{}{}{}", base, base.ends_with("/v1") ? "" : "/v1", dialect.path);
}

class OpenAi final : public Protocol {
 public:
  OpenAi(const RequestShape& shape, const Dialect& dialect)
      : dialect_(dialect),
        stream_(shape.stream),
        forced_(shape.forced_osl),
        ids_(shape.send_ids),
        osl_(shape.osl),
        batch_(shape.batch) {
    json body = {{"model", shape.model}, {"stream", shape.stream}};
    if (shape.forced_osl) body["ignore_eos"] = true;
    if (shape.stream) body["stream_options"] = {{"include_usage", true}};
    add_sampling(shape.sampling, dialect, body);
    for (const auto& [name, value] : shape.inputs)
      add_input(name, json::accept(value) ? json::parse(value) : json(value), body);
    if (const json n = body.value("n", json()); n.is_number_integer() && n > 0)
      answers_to_a_prompt_ = n.get<std::int64_t>();
    rest_ = "," + dump(body).substr(1);
    head_ = json_post_head(shape, path_of(shape, dialect));
  }

  Travel travel() const override { return {.grpc_method = "", .events = stream_}; }

  std::string request(std::span<const prompt::Prompt> prompts) const override {
    std::string body = dialect_.chat ? R"({"messages":)" : R"({"prompt":)";
    if (dialect_.chat) append_messages(prompts.front(), body);
    else append_prompts(prompts, body);
    if (sets_osl_) fmt::format_to(std::back_inserter(body), ",\"max_tokens\":{}", longest(prompts));
    body.append(rest_);
    return fmt::format("{}{}\r\n\r\n{}", head_, body.size(), body);
  }

  EventKind read_event(std::string_view event, Told& told) const override {
    return stream_ ? read_openai_chunk(event, told) : read_openai_body(event, told);
  }

  // Some servers send no [DONE], others no finish_reason; one that breaks off sends neither.
  std::string unfinished(const Told& told) const override {
    return !stream_ || told.done || told.all_ended()
               ? ""
               : "the stream ended without [DONE] and without a finish_reason";
  }

  // Servers that know no field beyond OpenAI's own refuse the whole request, in many words.
  std::string read_refusal(std::string_view body) const override {
    const std::string message = read_openai_error(refusal_json(body));
    if (!forced_ || body.find("ignore_eos") == std::string_view::npos) return message;
    return fmt::format("the server refused `ignore_eos`, give --eos: {}",
                       message.empty() ? body : std::string_view(message));
  }

  // One limit stands for all prompts of a request.
  std::int64_t osl(std::span<const prompt::Prompt> prompts) const override {
    return given_osl_.value_or(longest(prompts)) * sequences();
  }
  bool forces_length() const override { return sets_osl_; }
  bool sends_messages() const override { return dialect_.chat; }
  bool takes_ids() const override { return ids_; }
  std::int64_t sequences() const override { return batch_ * answers_to_a_prompt_; }

 private:
  // null takes a field out.
  void add_input(const std::string& name, json value, json& body) {
    if (name == "max_tokens" || name == "max_completion_tokens") {
      sets_osl_ = false;
      if (value.is_number_unsigned() && value <= k_most_tokens)
        given_osl_ = value.get<std::int64_t>();
    }
    if (value.is_null()) body.erase(name);
    else body[name] = std::move(value);
  }

  // A prompt that is no chat is what its user says.
  static void append_messages(const prompt::Prompt& prompt, std::string& body) {
    if (prompt.messages.empty())
      body.append(R"([{"role":"user","content":)")
          .append(json_quote(prompt.text_input))
          .append("}]");
    else body.append(prompt.messages);
  }

  void append_prompts(std::span<const prompt::Prompt> prompts, std::string& body) const {
    if (prompts.size() > 1) body.push_back('[');
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      if (i > 0) body.push_back(',');
      if (ids_) fmt::format_to(std::back_inserter(body), "[{}]", fmt::join(prompts[i].ids, ","));
      else body.append(json_quote(prompts[i].text_input));
    }
    if (prompts.size() > 1) body.push_back(']');
  }

  std::int64_t longest(std::span<const prompt::Prompt> prompts) const {
    std::int64_t most = 0;
    for (const prompt::Prompt& prompt : prompts) most = std::max(most, prompt.osl.value_or(osl_));
    return most;
  }

  const Dialect& dialect_;
  bool stream_;
  bool forced_;
  bool ids_;
  bool sets_osl_ = true;
  std::int64_t osl_;
  std::optional<std::int64_t> given_osl_;  // by an input
  std::int64_t batch_;
  std::int64_t answers_to_a_prompt_ = 1;
  std::string head_;
  std::string rest_;  // what all requests have, after the prompt
};

Result<std::unique_ptr<Protocol>> make(const RequestShape& shape, const Dialect& dialect) {
  ORCH_TRY(check(shape, dialect));
  return std::unique_ptr<Protocol>(std::make_unique<OpenAi>(shape, dialect));
}

}  // namespace

Result<std::unique_ptr<Protocol>> make_openai_completions(RequestShape shape) {
  return make(shape, k_completions);
}
Result<std::unique_ptr<Protocol>> make_openai_chat(RequestShape shape) {
  return make(shape, k_chat);
}

}  // namespace orch::protocol
