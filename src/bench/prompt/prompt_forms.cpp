#include "bench/prompt/prompt_forms.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <charconv>

namespace orch::prompt {
namespace {

constexpr std::size_t k_keys_shown = 10;
constexpr int k_message_depth = 64;  // levels of lists and objects
constexpr double k_ms = 1e-3;
constexpr double k_most_s = 4e9;  // differences of such times fit into 64 bits in nanoseconds

Status not_a(std::string_view key, std::string_view raw, std::string_view expected) {
  return invalid(fmt::format("'{}' is {}; it must be {}", key, quoted(raw), expected));
}

Status read_text(std::string_view key, std::string_view raw, std::string& out) {
  return append_json_string(raw, out) ? Status() : not_a(key, raw, "a JSON string");
}

// Whether RAW is a JSON string that decodes to TEXT, regardless of its escapes.
bool is_text(std::string_view raw, std::string_view text) {
  std::string decoded;
  return append_json_string(raw, decoded) && decoded == text;
}

Status read_length(const RowMembers& members, std::string_view key, std::int64_t least,
                   std::optional<std::int64_t>& out) {
  const std::string_view raw = members.find(key);
  if (raw.empty()) return {};
  const auto number = to_integer(raw);
  if (!number || *number < least || *number > INT32_MAX)
    return not_a(key, raw, fmt::format("a whole number from {} to {}", least, INT32_MAX));
  out = number;
  return {};
}

Status read_time(const RowMembers& members, std::string_view key, std::string_view unit,
                 double most, std::optional<double>& out) {
  const std::string_view raw = members.find(key);
  if (raw.empty()) return {};
  out = to_real(raw);
  return out && *out >= 0 && *out <= most
             ? Status()
             : not_a(key, raw, fmt::format("{} from 0 to {:.0f}", unit, most));
}

Status read_timestamp(const RowMembers& members, PromptRow& row) {
  ORCH_TRY(read_time(members, "timestamp", "milliseconds", k_most_s / k_ms, row.timestamp_ms));
  ORCH_TRY(read_time(members, "timestamp_s", "seconds", k_most_s, row.prompt.timestamp_s));
  if (!row.timestamp_ms) return {};
  if (row.prompt.timestamp_s)
    return invalid(
        "the row has 'timestamp', in milliseconds, and 'timestamp_s', in seconds; leave out one of "
        "them");
  row.prompt.timestamp_s = *row.timestamp_ms * k_ms;
  return {};
}

Status read_warmup(const RowMembers& members, bool& out) {
  const std::string_view raw = members.find("warmup");
  if (!raw.empty() && raw != "true" && raw != "false") return not_a("warmup", raw, "true or false");
  out = raw == "true";
  return {};
}

Status read_block(const RowMembers& members, std::int64_t& out) {
  std::optional<std::int64_t> block;
  ORCH_TRY(read_length(members, "block", 0, block));
  out = block.value_or(0);
  return {};
}

Status read_ids(std::string_view raw, std::vector<std::int32_t>& out) {
  JsonWalk ids(raw);
  while (raw.starts_with('[') && ids.next()) {
    const std::string_view text = ids.value();
    std::int32_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || end != text.data() + text.size() || id < 0)
      return not_a("input_ids", text, "a list of token ids");
    out.push_back(id);
  }
  return ids.complete() && !out.empty() ? Status() : not_a("input_ids", raw, "a list of token ids");
}

// The names of the answer length in requests of OpenAI's API and of Triton's models.
Status read_answer_length(const RowMembers& members, PromptRow& row) {
  for (const char* key : {"request_output_len", "max_tokens", "max_completion_tokens"})
    ORCH_TRY(read_length(members, key, 1, row.prompt.osl));
  return {};
}

// Request fields that a row may have in addition to its prompt.
constexpr std::string_view k_request_fields[] = {"temperature",
                                                 "top_p",
                                                 "top_k",
                                                 "min_p",
                                                 "frequency_penalty",
                                                 "presence_penalty",
                                                 "repetition_penalty",
                                                 "seed",
                                                 "stop",
                                                 "logit_bias",
                                                 "tools",
                                                 "tool_choice",
                                                 "parallel_tool_calls",
                                                 "functions",
                                                 "function_call",
                                                 "response_format",
                                                 "structured_outputs",
                                                 "guided_json",
                                                 "guided_regex",
                                                 "guided_choice",
                                                 "guided_grammar",
                                                 "reasoning_effort",
                                                 "chat_template_kwargs"};

// Keys that relate rows to each other; here each row is sent as a separate request.
constexpr std::string_view k_sequence_keys[] = {"session_id",     "delay", "delay_seconds",
                                                "hash_ids",       "turns", "chat_id",
                                                "parent_chat_id", "forks", "spawns"};

Status refuse_sequences(const RowMembers& members) {
  for (const std::string_view key : k_sequence_keys)
    if (!members.find(key).empty())
      return invalid(fmt::format(
          "'{}' is not replayed: every row is sent as a separate request with a prompt of its "
          "own; remove '{}' from the rows to send them that way",
          key, key));
  return {};
}

Status keep_field(std::string_view key, std::string_view raw, std::string& out) {
  if (!out.empty()) out.push_back(',');
  out.append(json_quote(key)).push_back(':');
  return append_compact_json(raw, k_message_depth, out)
             ? Status()
             : not_a(key, raw, fmt::format("JSON, nested at most {} deep", k_message_depth));
}

Status keep_request_fields(const RowMembers& members, PromptRow& row) {
  for (const std::string_view key : k_request_fields)
    if (const std::string_view raw = members.find(key); !raw.empty())
      ORCH_TRY(keep_field(key, raw, row.prompt.fields));
  return {};
}

Status not_messages(std::string_view raw) {
  return not_a("messages", raw, "a list of {\"role\", \"content\"}");
}

// Keeps the messages as written, for protocols that send them.
Status keep_messages(std::string_view raw, std::string& out) {
  JsonWalk messages(raw);
  while (raw.starts_with('[') && messages.next()) {
    if (!messages.value().starts_with('{')) return not_messages(messages.value());
    out.push_back(out.empty() ? '[' : ',');
    if (!append_compact_json(messages.value(), k_message_depth, out))
      return not_a("messages", messages.value(),
                   fmt::format("JSON, nested at most {} deep", k_message_depth));
  }
  if (!messages.complete() || out.empty()) return not_messages(raw);
  out.push_back(']');
  return {};
}

Status read_own(std::string_view, const RowMembers& members, PromptRow& row) {
  ORCH_TRY(read_answer_length(members, row));
  if (const std::string_view text = members.find("text_input"); !text.empty())
    ORCH_TRY(read_text("text_input", text, row.prompt.text_input));
  if (const std::string_view messages = members.find("messages"); !messages.empty())
    ORCH_TRY(keep_messages(messages, row.prompt.messages));
  const std::string_view ids = members.find("input_ids");
  if (ids.empty()) return {};
  ORCH_TRY(read_ids(ids, row.prompt.ids));
  const auto count = static_cast<std::int64_t>(row.prompt.ids.size());
  if (row.prompt.isl.value_or(count) != count)
    return invalid(fmt::format("'isl' is {}, but there are {} 'input_ids'; correct one of them",
                               *row.prompt.isl, count));
  row.prompt.isl = count;
  return {};
}

Status read_input(std::string_view key, const RowMembers& members, PromptRow& row) {
  return read_text(key, members.find(key), row.prompt.text_input);
}

// Rows in this form may have media in addition to the text.
Status read_plain(std::string_view key, const RowMembers& members, PromptRow& row) {
  for (const char* media : {"image", "images", "audio", "audios", "video", "videos"})
    if (!members.find(media).empty())
      return invalid(
          fmt::format("'{}' is not supported: only texts are sent; leave it out", media));
  return read_input(key, members, row);
}

// Joins input and instruction like the clients of the TensorRT-LLM backend.
Status read_instruction(std::string_view key, const RowMembers& members, PromptRow& row) {
  std::string& text = row.prompt.text_input;
  if (const std::string_view input = members.find("input"); !input.empty())
    ORCH_TRY(read_text("input", input, text));
  if (!text.empty()) text += ' ';
  return read_text(key, members.find(key), text);
}

// Appends the text parts of a content that is a list.
Status read_parts(std::string_view raw, std::string& out) {
  JsonWalk parts(raw);
  while (parts.next()) {
    RowMembers part;
    if (!part.read(parts.value()) || !is_text(part.find("type"), "text"))
      return not_a("content", parts.value(), "text: other parts are not sent");
    ORCH_TRY(read_text("text", part.find("text"), out));
  }
  return parts.complete() ? Status() : not_a("content", raw, "a text or a list of texts");
}

Status read_chat(std::string_view key, const RowMembers& members, PromptRow& row) {
  ORCH_TRY(read_answer_length(members, row));
  const std::string_view raw = members.find(key);
  ORCH_TRY(keep_messages(raw, row.prompt.messages));
  JsonWalk messages(raw);
  while (messages.next()) {
    RowMembers message;
    message.read(messages.value());
    std::string text;
    const std::string_view content = message.find("content");
    // A message of the model may have tool calls instead of content.
    if (content.empty() &&
        !(message.find("tool_calls").empty() && message.find("function_call").empty()))
      continue;
    ORCH_TRY(content.starts_with('[') ? read_parts(content, text)
                                      : read_text("content", content, text));
    if (!text.empty())
      row.prompt.text_input.append(row.prompt.text_input.empty() ? "" : "\n\n").append(text);
  }
  return row.prompt.text_input.empty() ? invalid("'messages' has no text") : Status();
}

Status read_completion(std::string_view key, const RowMembers& members, PromptRow& row) {
  ORCH_TRY(read_answer_length(members, row));
  return read_input(key, members, row);
}

Status read_request(std::string_view key, const RowMembers& members, PromptRow& row) {
  RowMembers body;
  if (!body.read(members.find(key)))
    return not_a(key, members.find(key), "an object with 'messages' or 'prompt'");
  for (const auto& [name, raw] : body.all()) {
    row.has_model |= name == "model" || name == "stream";
    constexpr std::string_view k_read[] = {
        "model",  "stream",     "stream_options",       "messages",
        "prompt", "max_tokens", "max_completion_tokens"};
    if (raw == "null" || std::ranges::find(k_read, name) != std::end(k_read)) continue;
    if (name == "n" && raw != "1")
      return invalid(fmt::format("'n' is {}, but a row requests one answer; leave it out", raw));
    ORCH_TRY(keep_field(name, raw, row.prompt.fields));
  }
  if (!body.find("messages").empty()) return read_chat("messages", body, row);
  if (!body.find("prompt").empty()) return read_completion("prompt", body, row);
  return invalid(fmt::format("'{}' has {}, but neither 'messages' nor 'prompt'", key, body.keys()));
}

// A text, a number, or a list of them. Published datasets have all kinds of values under this name;
// values of other kinds are not references.
void read_references(std::string_view raw, std::vector<std::string>& out) {
  const auto keep = [&](std::string_view one) {
    std::string text;
    if (append_json_string(one, text)) out.push_back(std::move(text));
    else if (to_real(one)) out.emplace_back(one);
  };
  JsonWalk list(raw);
  if (raw.starts_with('['))
    while (list.next()) keep(list.value());
  else if (!raw.empty()) keep(raw);
}

// ShareGPT's {"from", "value"}, or {"role", "content"}.
bool is_from(const RowMembers& turn, std::string_view speaker, std::string_view synonym) {
  const std::string_view from = turn.find(turn.find("from").empty() ? "role" : "from");
  return is_text(from, speaker) || is_text(from, synonym);
}

const char* text_key_of(const RowMembers& turn) {
  return turn.find("value").empty() && !turn.find("content").empty() ? "content" : "value";
}

void keep_answer(std::string_view raw, std::optional<std::string>& out) {
  std::string answer;
  if (append_json_string(raw, answer)) out = std::move(answer);
}

// Reads the first human turn that has text, and the answer to it. Published datasets have
// conversations without such a turn.
Status read_turns(std::string_view key, const RowMembers& members, PromptRow& row) {
  const std::string_view raw = members.find(key);
  JsonWalk turns(raw);
  row.is_prompt = false;
  for (bool asked = false; raw.starts_with('[') && turns.next();) {
    RowMembers turn;
    if (!turn.read(turns.value()))
      return not_a(key, turns.value(),
                   "a list of {\"from\", \"value\"} or {\"role\", \"content\"}");
    const char* text = text_key_of(turn);
    if (asked && is_from(turn, "gpt", "assistant")) keep_answer(turn.find(text), row.answer);
    asked = false;
    if (!is_from(turn, "human", "user")) continue;
    if (row.is_prompt) {
      row.has_further_turns |= turn.find(text).size() > 2;  // more than its quotes
      continue;
    }
    ORCH_TRY(read_text(text, turn.find(text), row.prompt.text_input));
    asked = row.is_prompt = !row.prompt.text_input.empty();
  }
  return turns.complete()
             ? Status()
             : not_a(key, raw, "a list of {\"from\", \"value\"} or {\"role\", \"content\"}");
}

Status read_trace(std::string_view key, const RowMembers& members, PromptRow& row) {
  return read_length(members, key, 1, row.prompt.isl);
}

constexpr PromptForm k_forms[] = {
    {"text_input", "text_input",
     R"({"text_input": "...", "isl": 32, "osl": 16, "warmup": false, "block": 0})", read_own},
    {"input_ids", "text_input", "", read_own},
    {"instruction", "instruction", R"({"instruction": "...", "input": "..."})", read_instruction},
    {"conversations", "conversations", R"({"conversations": [{"from": "human", "value": "..."}]})",
     read_turns},
    {"items", "conversations", "", read_turns},
    {"messages", "messages", R"({"messages": [{"role": "user", "content": "..."}]})", read_chat},
    {"body", "messages", "", read_request},
    {"payload", "messages", "", read_request},
    {"prompt", "messages", R"({"prompt": "..."})", read_completion},
    {"input", "input", R"({"input": "...", "output": "..."})", read_input},
    {"text", "text_input", "", read_plain},
    {"input_length", "input_length", R"({"timestamp": 0, "input_length": 32, "output_length": 16})",
     read_trace},
};

}  // namespace

bool RowMembers::read(std::string_view text) {
  members_.clear();
  JsonWalk walk(text);
  while (text.starts_with('{') && walk.next()) {
    std::string key(walk.key());
    if (std::string plain; key.find('\\') != std::string::npos &&
                           append_json_string(fmt::format("\"{}\"", key), plain))
      key = std::move(plain);
    members_.emplace_back(std::move(key), walk.value());
  }
  return walk.complete();
}

void RowMembers::unwrap() {
  for (auto& [name, value] : members_) {
    RowMembers tensor;
    if (tensor.read(value) && !tensor.find("content").empty()) value = tensor.find("content");
    JsonWalk list(value);
    if (name == "input_ids" || !value.starts_with('[') || !list.next()) continue;
    const std::string_view first = list.value();
    if (!list.next() && list.complete()) value = first;
  }
}

std::string_view RowMembers::find(std::string_view key) const {
  const auto last = std::find_if(members_.rbegin(), members_.rend(),
                                 [&](const auto& member) { return member.first == key; });
  return last == members_.rend() || last->second == "null" ? std::string_view() : last->second;
}

std::vector<std::string> RowMembers::list() const {
  std::vector<std::string> keys;
  for (const auto& [name, value] : members_)
    if (keys.size() < k_keys_shown) keys.push_back(name);
  return keys;
}

std::string RowMembers::keys() const {
  std::vector<std::string> shown = list();
  for (std::string& key : shown) key = quoted(key);
  if (members_.size() > shown.size()) shown.push_back("...");
  return shown.empty() ? "no members" : join(shown, ", ");
}

std::span<const PromptForm> prompt_forms() { return k_forms; }

const PromptForm* form_of(const RowMembers& members) {
  for (const PromptForm& form : k_forms)
    if (!members.find(form.member).empty()) return &form;
  return nullptr;
}

Status read_row(const PromptForm& form, const RowMembers& members, PromptRow& row) {
  ORCH_TRY(read_length(members, "isl", 0, row.prompt.isl));
  ORCH_TRY(read_length(members, "isl_asked", 0, row.isl_asked));
  ORCH_TRY(read_length(members, "unshared", 0, row.unshared));
  ORCH_TRY(read_length(members, "left_out", 0, row.left_out));
  ORCH_TRY(read_timestamp(members, row));
  ORCH_TRY(read_warmup(members, row.warmup));
  ORCH_TRY(read_block(members, row.block));
  ORCH_TRY(refuse_sequences(members));
  ORCH_TRY(keep_request_fields(members, row));
  ORCH_TRY(form.read(form.member, members, row));
  read_references(members.find("output"), row.references);
  if (row.references.empty() && row.answer) row.references = {*row.answer};
  const bool is_trace = form.read == read_trace;
  if (row.is_prompt && !is_trace && row.prompt.text_input.empty() && row.prompt.ids.empty())
    return invalid("the prompt is empty; give it a text, or leave its row out");
  // The answer length in vLLM's custom dataset, in traces, and in this program's own form.
  for (const char* key : {"output_tokens", "output_length", "osl"})
    ORCH_TRY(read_length(members, key, 1, row.prompt.osl));
  return {};
}

}  // namespace orch::prompt
