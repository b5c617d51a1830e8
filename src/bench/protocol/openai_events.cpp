#include "bench/protocol/openai_events.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <array>

namespace orch::protocol {
namespace {

using Raw = std::optional<std::string_view>;

bool is_null(Raw value) { return !value || *value == "null"; }

// Some servers send a member without content.
bool is_blank(Raw value) {
  return is_null(value) || *value == R"("")" || *value == "{}" || *value == "false";
}

// The members of an event, not validated yet.
struct OpenaiEvent {
  Raw choices, usage, error, object, message, prompt_progress;
};

// nullopt: EVENT is not exactly one JSON object.
std::optional<OpenaiEvent> read_openai_event(std::string_view event) {
  OpenaiEvent parsed;
  JsonWalk members(event);
  while (members.next()) {
    const std::string_view name = members.key();
    if (name == "choices") parsed.choices = members.value();
    else if (name == "usage") parsed.usage = members.value();
    else if (name == "error") parsed.error = members.value();
    else if (name == "object") parsed.object = members.value();
    else if (name == "message") parsed.message = members.value();
    else if (name == "prompt_progress") parsed.prompt_progress = members.value();
  }
  if (!members.complete()) return {};
  return parsed;
}

// {"error": TEXT or {"message": TEXT}} or {"object": "error", "message": TEXT}.
bool take_error(const OpenaiEvent& parsed, std::string_view event, std::string& message) {
  Raw text;
  if (parsed.choices ? !is_blank(parsed.error) : !is_null(parsed.error)) {
    text = json_member(*parsed.error, "message");
    if (is_null(text)) text = parsed.error;
  } else if (parsed.object == R"("error")") {
    text = parsed.message.value_or(event);
  }
  if (!text) return false;
  if (!append_json_string(*text, message)) message.append(*text);
  return true;
}

// null is not a count; an invalid count keeps the previous one.
void take_count(std::string_view raw, AnswerState& state, std::optional<std::int64_t>& count) {
  if (raw == "null") return;
  if (const auto number = state.parse_count(raw)) count = number;
}

void take_usage(Raw usage, AnswerState& state) {
  if (is_null(usage)) return;
  JsonWalk members(*usage);
  while (members.next()) {
    if (members.key() == "prompt_tokens") take_count(members.value(), state, state.isl);
    if (members.key() == "completion_tokens") take_count(members.value(), state, state.osl);
    if (members.key() != "prompt_tokens_details") continue;
    if (const Raw cached = json_member(members.value(), "cached_tokens"))
      take_count(*cached, state, state.isl_cached);
  }
}

// The index of the choice, if the event has exactly one.
std::optional<std::int64_t> only_choice(std::string_view choices) {
  JsonWalk elements(choices);
  if (!elements.next()) return {};
  const std::int64_t index =
      to_integer(json_member(elements.value(), "index").value_or("0")).value_or(0);
  return elements.next() ? std::nullopt : std::optional(index);
}

// With several choices per answer, the usage of an event with one choice counts the tokens of that
// choice; the usage of any other event counts the tokens of all choices.
void take_usage_of(std::string_view choices, Raw usage, AnswerState& state) {
  if (is_null(usage)) return;
  const std::optional<std::int64_t> index =
      state.sequences > 1 ? only_choice(choices) : std::nullopt;
  const std::optional<std::int64_t> before = std::exchange(state.osl, {});
  take_usage(usage, state);
  if (!state.osl) state.osl = before;
  else if (index) state.set_osl(*index, *state.osl);
}

// The members of one choice.
struct Parts {
  Raw text, content, reasoning_content, reasoning, reasoning_details, thinking, thinking_blocks,
      refusal, tool_calls, function_call, finish_reason, role, delta, message;
  std::int64_t index = 0;
};

// Where servers send text, and since when. A value is a text, a part or a list of parts
// (take_piece).
//   text               completions
//   content            chat; parts {"type": "text" | "thinking" | "reference"}: Mistral's API 2025
//   reasoning_content  DeepSeek's API 2025-01, vLLM 0.7, SGLang 0.4.3, TensorRT-LLM 1.0, llama.cpp
//   reasoning          OpenRouter 2025-01, Groq, Ollama 0.9, vLLM 0.11 beside reasoning_content
//   reasoning_details  OpenRouter 2025-06: {"type": "reasoning.text" | ".summary" | ".encrypted"}
//   thinking           Ollama's name for reasoning
//   thinking_blocks    LiteLLM 1.61, beside reasoning_content
//   refusal, tool_calls, function_call  OpenAI
constexpr std::array<std::pair<std::string_view, Raw Parts::*>, 14> k_parts = {
    {{"text", &Parts::text},
     {"content", &Parts::content},
     {"reasoning_content", &Parts::reasoning_content},
     {"reasoning", &Parts::reasoning},
     {"reasoning_details", &Parts::reasoning_details},
     {"thinking", &Parts::thinking},
     {"thinking_blocks", &Parts::thinking_blocks},
     {"refusal", &Parts::refusal},
     {"tool_calls", &Parts::tool_calls},
     {"function_call", &Parts::function_call},
     {"finish_reason", &Parts::finish_reason},
     {"role", &Parts::role},
     {"delta", &Parts::delta},
     {"message", &Parts::message}}};

void take_parts(std::string_view object, Parts& parts) {
  JsonWalk members(object);
  while (members.next()) {
    if (members.key() == "index") parts.index = to_integer(members.value()).value_or(0);
    for (const auto& [name, part] : k_parts)
      if (members.key() == name) parts.*part = members.value();
  }
}

// {"name": TEXT, "arguments": TEXT}; a delta has pieces of them.
bool take_call(Raw call, std::string& text) {
  if (is_null(call)) return true;
  for (const std::string_view key : {"name", "arguments"})
    if (const Raw piece = json_member(*call, key);
        !is_null(piece) && !append_json_string(*piece, text))
      return false;
  return true;
}

bool take_calls(Raw calls, std::string& text) {
  if (is_null(calls)) return true;
  if (!calls->starts_with('[')) return false;
  JsonWalk elements(*calls);
  while (elements.next())
    if (!take_call(json_member(elements.value(), "function"), text)) return false;
  return elements.complete();
}

// The texts of one choice in one event.
struct Texts {
  std::string& all;        // of the sequence so far; texts are appended
  bool any = false;        // there was text, possibly empty
  bool reasoning = false;  // there was text of this kind
  bool visible = false;

  bool append(std::string_view quoted, bool is_reasoning) {
    const std::size_t before = all.size();
    if (!append_json_string(quoted, all)) return false;
    any = true;
    if (all.size() > before) (is_reasoning ? reasoning : visible) = true;
    return true;
  }
};

constexpr std::size_t k_deepest_part = 4;

// A text, a part {"type": TYPE, KEY: PIECE}, or a list of both. Parts without text, such as images
// and references, add none. False: it is something else.
bool take_piece(std::string_view piece, bool reasoning, Texts& texts, std::size_t depth = 0) {
  if (piece.starts_with('"')) return texts.append(piece, reasoning);
  if (depth == k_deepest_part) return false;
  JsonWalk walk(piece);
  const bool list = piece.starts_with('[');
  if (!list && !piece.starts_with('{')) return false;
  while (walk.next()) {
    const std::string_view key = walk.key();
    const bool reasons = key == "thinking" || key == "reasoning" || key == "summary";
    const bool has_text = list || reasons || key == "text" || key == "content" || key == "refusal";
    if (has_text && !is_null(walk.value()) &&
        !take_piece(walk.value(), reasoning || reasons, texts, depth + 1))
      return false;
  }
  return walk.complete();
}

// The same text may appear under several names: the first that has text counts.
Raw reasoning_of(const Parts& parts) {
  Raw found;
  for (const Raw one : {parts.reasoning_content, parts.reasoning, parts.reasoning_details,
                        parts.thinking, parts.thinking_blocks}) {
    if (!is_blank(one) && *one != "[]") return one;
    if (!found && !is_null(one)) found = one;
  }
  return found;
}

// Appends all texts of PARTS. False: a member is not a text.
bool take_texts(const Parts& parts, Texts& texts) {
  if (const Raw reasoning = reasoning_of(parts);
      !is_null(reasoning) && !take_piece(*reasoning, true, texts))
    return false;
  for (const Raw piece : {parts.text, parts.content, parts.refusal})
    if (!is_null(piece) && !take_piece(*piece, false, texts)) return false;
  const std::size_t before = texts.all.size();
  if (!take_call(parts.function_call, texts.all) || !take_calls(parts.tool_calls, texts.all))
    return false;
  texts.visible |= texts.all.size() > before;
  return true;
}

// Adds one choice's TEXTS to EVENT. BEFORE: the size of TEXTS.all before the choice.
void note_texts(const Texts& texts, std::size_t before, AnswerState::EventText& event) {
  event.empty &= texts.all.size() == before;
  event.reasoning |= texts.reasoning;
  event.visible |= texts.visible;
}

// Whether PARTS have a finish_reason, which is noted.
bool take_end(const Parts& parts, AnswerState& state) {
  if (is_blank(parts.finish_reason)) return false;
  state.end_sequence(parts.index);
  state.ended_early |= *parts.finish_reason == R"("stop")";
  state.ended_full |= *parts.finish_reason == R"("length")";
  return true;
}

// Whether the server aborted the answer, although it looks complete in the protocol. Notes the
// failure.
bool take_abort(const Parts& parts, AnswerState& state) {
  if (parts.finish_reason != R"("abort")" && parts.finish_reason != R"("error")") return false;
  state.failure = fmt::format("its finish_reason is {}", *parts.finish_reason);
  return true;
}

EventKind take_chunk_choice(std::string_view choice, AnswerState& state) {
  Parts parts;
  take_parts(choice, parts);
  if (parts.delta) take_parts(*parts.delta, parts);
  if (take_abort(parts, state)) return EventKind::failure;
  const bool ends = take_end(parts, state);
  Texts texts{.all = state.text_of(parts.index)};
  const std::size_t length = texts.all.size();
  if (!take_texts(parts, texts)) return EventKind::malformed;
  note_texts(texts, length, state.event);
  if (texts.all.size() > length) return EventKind::token;
  // An empty text can be a token (half a character, a special token), unless the event only opens
  // or closes the answer.
  const bool opens = parts.delta && !is_null(parts.role);
  return texts.any && !opens && !ends ? EventKind::token : EventKind::other;
}

EventKind take_whole_choice(std::string_view choice, AnswerState& state) {
  Parts parts;
  take_parts(choice, parts);
  const bool chat = parts.message.has_value();
  if (chat) take_parts(*parts.message, parts);
  const bool answers = chat ? parts.content || parts.tool_calls || parts.function_call ||
                                  parts.refusal || reasoning_of(parts)
                            : !is_null(parts.text);
  if (take_abort(parts, state)) return EventKind::failure;
  Texts texts{.all = state.text_of(parts.index)};
  if (!answers || !take_texts(parts, texts)) return EventKind::malformed;
  note_texts(texts, 0, state.event);
  take_end(parts, state);
  // An answer without visible text has tokens if it reached the length limit.
  return !texts.all.empty() || parts.finish_reason == R"("length")" ? EventKind::token
                                                                    : EventKind::other;
}

// The kind of an event: token if any of its choices carries tokens.
EventKind take_choices(std::string_view choices, EventKind (*take)(std::string_view, AnswerState&),
                       AnswerState& state) {
  if (!choices.starts_with('[')) return EventKind::malformed;
  EventKind kind = EventKind::other;
  JsonWalk elements(choices);
  while (elements.next()) {
    if (!elements.value().starts_with('{')) return EventKind::malformed;
    const EventKind one = take(elements.value(), state);
    if (one == EventKind::malformed || one == EventKind::failure) return one;
    if (one != EventKind::token) continue;
    state.extra_texts += kind == EventKind::token;
    kind = one;
  }
  return elements.complete() ? kind : EventKind::malformed;
}

}  // namespace

EventKind read_openai_chunk(std::string_view event, AnswerState& state) {
  if (trim(event) == "[DONE]") {
    state.done = true;
    return EventKind::other;
  }
  if (const std::string_view text = trim(event); text.empty() || text == "null")
    return EventKind::other;
  const std::optional<OpenaiEvent> parsed = read_openai_event(event);
  if (!parsed) return EventKind::malformed;
  if (take_error(*parsed, event, state.failure)) return EventKind::failure;
  if (!parsed->choices && is_null(parsed->usage)) return EventKind::malformed;
  const std::string_view choices =
      is_null(parsed->choices) && !is_null(parsed->usage) ? "[]" : *parsed->choices;
  state.event = {.empty = true, .reasoning = false, .visible = false};
  const bool reads_prompt = !is_null(parsed->prompt_progress);
  const std::size_t length = reads_prompt ? state.answer().size() : 0;
  EventKind kind = take_choices(choices, take_chunk_choice, state);
  if (kind == EventKind::malformed || kind == EventKind::failure) return kind;
  if (reads_prompt && state.answer().size() == length)
    kind = EventKind::other;  // prompt progress, with an empty text
  if (kind == EventKind::token && state.done) {
    state.malformed_reason = "tokens after [DONE]";
    return EventKind::malformed;
  }
  take_usage_of(choices, parsed->usage, state);
  if (kind == EventKind::token && !std::exchange(state.started, true) && !is_null(parsed->usage) &&
      state.osl.value_or(0) > 0)
    state.first_event_tokens = state.osl;
  return kind;
}

EventKind read_openai_body(std::string_view body, AnswerState& state) {
  const std::optional<OpenaiEvent> parsed = read_openai_event(body);
  if (!parsed) return EventKind::malformed;
  if (take_error(*parsed, body, state.failure)) return EventKind::failure;
  if (!parsed->choices) return EventKind::malformed;
  take_usage(parsed->usage, state);
  state.event = {.empty = true, .reasoning = false, .visible = false};
  EventKind kind = take_choices(*parsed->choices, take_whole_choice, state);
  if (kind == EventKind::malformed || kind == EventKind::failure) return kind;
  if (*parsed->choices == "[]") return EventKind::malformed;
  if (state.osl.value_or(0) > 0) kind = EventKind::token;
  state.started = kind == EventKind::token;
  return kind;
}

std::string read_openai_error(std::string_view body) {
  std::string message;
  if (const std::optional<OpenaiEvent> parsed = read_openai_event(body))
    take_error(*parsed, body, message);
  return message;
}

}  // namespace orch::protocol
