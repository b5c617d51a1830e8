// OpenAI's completions and chat completions, as trtllm-serve and others implement them: one JSON
// body, or server-sent events that end with `data: [DONE]`. A streaming request also asks for the
// usage, which usually arrives in a chunk without choices.
#include "bench/protocol/openai_events.hpp"
#include "bench/protocol/protocol.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <cctype>

#include <nlohmann/json.hpp>

namespace orch::protocol {
namespace {

using nlohmann::json;

// The differences between completions and chat completions.
struct Dialect {
  std::string_view name;
  std::string_view path;
  bool chat;
};

constexpr Dialect k_completions{
    .name = "openai-completions", .path = "/completions", .chat = false};
constexpr Dialect k_chat{.name = "openai-chat", .path = "/chat/completions", .chat = true};

// Fields that some servers reject, and how to omit or rename them.
constexpr std::pair<std::string_view, std::string_view> k_refused_fields[] = {
    {"ignore_eos", "give --eos"},
    {"stream_options", "leave it out with --input stream_options=null"},
    {"max_tokens", "rename it with --input max_completion_tokens=N"},
};

// Whether TEXT has FIELD as a whole word: max_tokens must not match part of another name.
bool names(std::string_view text, std::string_view field) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (std::size_t at = text.find(field); at != std::string_view::npos;
       at = text.find(field, at + 1))
    if (!is_part(at - 1) && !is_part(at + field.size())) return true;
  return false;
}

// Fails for options without a corresponding field.
Status check(const RequestShape& shape, const Dialect& dialect) {
  const Sampling& sampling = shape.sampling;
  std::vector<std::string> options;
  const auto refuse = [&](bool requested, const char* option) {
    if (requested) options.emplace_back(option);
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
          fmt::format("--input {} cannot set the prompt; give it with --prompts FILE", name));
  }
  if (dialect.chat && shape.send_ids)
    return invalid(
        "openai-chat takes no token ids; send text, or use --protocol openai-completions");
  if (options.empty()) return {};
  return invalid(
      fmt::format("{} does not support {}; leave it out", dialect.name, join(options, ", ")));
}

void add_sampling(const Sampling& sampling, const Dialect& dialect, json& body) {
  if (sampling.temperature) body["temperature"] = *sampling.temperature;
  if (sampling.top_k)
    body["top_k"] = *sampling.top_k;  // an extension common to self-hosted servers
  if (sampling.top_p) body["top_p"] = *sampling.top_p;
  if (sampling.repetition_penalty) body["repetition_penalty"] = *sampling.repetition_penalty;
  if (sampling.seed) body["seed"] = *sampling.seed;
  if (!sampling.stop_words.empty()) body["stop"] = sampling.stop_words;
  if (sampling.log_probs) body["logprobs"] = dialect.chat ? json(true) : json(1);
}

// The part of the body common to all requests, and the settings that follow from it.
struct CommonBody {
  json members;
  bool sets_osl = true;                        // the protocol sets max_tokens, not a user's input
  std::optional<std::int64_t> given_osl = {};  // by a user's input
  std::int64_t answers_per_prompt = 1;
};

// null removes a member.
void add_input(const std::string& name, json value, CommonBody& body) {
  if (name == "max_tokens" || name == "max_completion_tokens") {
    body.sets_osl = false;
    if (value.is_number_unsigned() && value <= k_most_tokens)
      body.given_osl = value.get<std::int64_t>();
  }
  if (value.is_null()) body.members.erase(name);
  else body.members[name] = std::move(value);
}

CommonBody common_body(const RequestShape& shape, const Dialect& dialect) {
  CommonBody body{.members = {{"model", shape.model}, {"stream", shape.stream}}};
  if (shape.forced_osl) body.members["ignore_eos"] = true;
  if (shape.stream) body.members["stream_options"] = {{"include_usage", true}};
  add_sampling(shape.sampling, dialect, body.members);
  for (const auto& [name, value] : shape.inputs)
    add_input(name, json::accept(value) ? json::parse(value) : json(value), body);
  if (const json n = body.members.value("n", json()); n.is_number_integer() && n > 0)
    body.answers_per_prompt = n.get<std::int64_t>();
  return body;
}

ProtocolTraits traits_of(const RequestShape& shape, const Dialect& dialect,
                         const CommonBody& body) {
  return {.wire = {.events = shape.stream},
          .sequences = shape.batch * body.answers_per_prompt,
          .forces_length = body.sets_osl,
          .sends_messages = dialect.chat,
          .takes_ids = shape.send_ids,
          .takes_fields = true};
}

class OpenAi final : public Protocol {
 public:
  OpenAi(const RequestShape& shape, const Dialect& dialect, const CommonBody& body)
      : Protocol(traits_of(shape, dialect, body)),
        dialect_(dialect),
        stream_(shape.stream),
        sets_osl_(body.sets_osl),
        osl_(shape.osl),
        given_osl_(body.given_osl),
        head_(json_post_head(shape, openai_path(shape.url, dialect.path) + shape.url.query)),
        rest_("," + dump(body.members).substr(1)) {}

  std::string request(std::span<const prompt::Prompt> prompts) const override {
    std::string body = dialect_.chat ? R"({"messages":)" : R"({"prompt":)";
    if (dialect_.chat) append_messages(prompts.front(), body);
    else append_prompts(prompts, body);
    if (sets_osl_) fmt::format_to(std::back_inserter(body), ",\"max_tokens\":{}", longest(prompts));
    body.append(rest_of(prompts));
    return fmt::format("{}{}\r\n\r\n{}", head_, body.size(), body);
  }

  EventKind read_event(std::string_view event, AnswerState& state) const override {
    return stream_ ? read_openai_chunk(event, state) : read_openai_body(event, state);
  }

  // Some servers send no [DONE], others no finish_reason. A server that breaks off sends neither.
  std::string why_incomplete(const AnswerState& state) const override {
    return !stream_ || state.done || state.all_ended()
               ? ""
               : "the stream ended without [DONE] and without a finish_reason";
  }

  // A server that accepts only its own fields rejects the request with a long message, so the
  // remedy comes first.
  std::string read_refusal(std::string_view body) const override {
    const std::string message = read_openai_error(refusal_json(body));
    for (const auto& [field, remedy] : k_refused_fields) {
      const bool was_sent = names(rest_, field) || (field == "max_tokens" && sets_osl_);
      if (was_sent && names(body, field))
        return fmt::format("the server rejected `{}`; {}: {}", field, remedy,
                           message.empty() ? body : std::string_view(message));
    }
    return message;
  }

  // All prompts of a request share one limit.
  std::int64_t osl(std::span<const prompt::Prompt> prompts) const override {
    return given_osl_.value_or(longest(prompts)) * traits().sequences;
  }
  const Stopper* stopper() const override { return nullptr; }

 private:
  // A prompt without messages becomes one user message.
  static void append_messages(const prompt::Prompt& prompt, std::string& body) {
    if (prompt.messages.empty())
      body.append(R"([{"role":"user","content":)")
          .append(json_quote(prompt.text_input))
          .append("}]");
    else body.append(prompt.messages);
  }

  // A row's fields replace those common to all requests.
  std::string rest_of(std::span<const prompt::Prompt> prompts) const {
    json members = json::object();
    for (const prompt::Prompt& prompt : prompts)
      if (!prompt.fields.empty()) members.update(json::parse("{" + prompt.fields + "}"));
    if (members.empty()) return rest_;
    json all = json::parse("{" + rest_.substr(1));
    all.update(members);
    return "," + dump(all).substr(1);
  }

  void append_prompts(std::span<const prompt::Prompt> prompts, std::string& body) const {
    if (prompts.size() > 1) body.push_back('[');
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      if (i > 0) body.push_back(',');
      if (traits().takes_ids)
        fmt::format_to(std::back_inserter(body), "[{}]", fmt::join(prompts[i].ids, ","));
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
  bool sets_osl_;
  std::int64_t osl_;
  std::optional<std::int64_t> given_osl_;
  std::string head_;
  std::string rest_;  // of the body, after the prompt
};

Result<std::unique_ptr<Protocol>> make(const RequestShape& shape, const Dialect& dialect) {
  ORCH_TRY(check(shape, dialect));
  return std::unique_ptr<Protocol>(
      std::make_unique<OpenAi>(shape, dialect, common_body(shape, dialect)));
}

}  // namespace

std::string openai_path(const wire::Url& url, std::string_view page) {
  std::string_view base = url.path;
  while (base.ends_with('/')) base.remove_suffix(1);
  for (const std::string_view path : {k_chat.path, k_completions.path})
    if (base.ends_with(path))
      return fmt::format("{}{}", base.substr(0, base.size() - path.size()), page);
  return fmt::format("{}{}{}", base, base.ends_with("/v1") ? "" : "/v1", page);
}

Result<std::unique_ptr<Protocol>> make_openai_completions(RequestShape shape) {
  return make(shape, k_completions);
}
Result<std::unique_ptr<Protocol>> make_openai_chat(RequestShape shape) {
  return make(shape, k_chat);
}

}  // namespace orch::protocol
