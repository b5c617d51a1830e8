// Triton's generate extension: POST /v2/models/M/generate (one JSON body) and generate_stream
// (server-sent events, each `data: {json}`, no [DONE], failures inside a 200 answer as {"error":
// ...}).
#include "bench/protocol/triton_protocol.hpp"
#include "bench/protocol/triton_value.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

namespace orch::protocol {
namespace {

void append_number(const Tensor& tensor, std::int64_t value, std::string& out) {
  if (tensor.datatype == "BOOL") out.append(value != 0 ? "true" : "false");
  else if (tensor.datatype == "UINT64")
    fmt::format_to(std::back_inserter(out), "{}", static_cast<std::uint64_t>(value));
  else fmt::format_to(std::back_inserter(out), "{}", value);
}

void append_value(const Tensor&, const std::string& value, std::string& out) {
  out.append(json_quote(value));
}
void append_value(const Tensor& tensor, std::int64_t value, std::string& out) {
  append_number(tensor, value, out);
}
void append_value(const Tensor&, double value, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}

void append_values(const Tensor& tensor, const RawNumbers& numbers, std::string& out) {
  out.append(raw_list(numbers.bytes, tensor.datatype));
}

template <class T>
void append_values(const Tensor& tensor, const std::vector<T>& values, std::string& out) {
  if (values.size() == 1) return append_value(tensor, values.front(), out);
  char before = '[';
  if (values.empty()) out.push_back(before);
  for (const auto& value : values) {
    out.push_back(std::exchange(before, ','));
    append_value(tensor, value, out);
  }
  out.push_back(']');
}

// "name":value, or a flat list of values, whose shape the generate extension infers.
void append_member(const Tensor& tensor, std::string& out) {
  out.append(out.empty() || out.back() == '{' ? "" : ",")
      .append(json_quote(tensor.name))
      .append(":");
  std::visit([&](const auto& values) { append_values(tensor, values, out); }, tensor.values);
}

// Fails if the server would infer another shape from a flat list.
Status check_shape(const Tensor& tensor, const ModelFacts& facts) {
  const ModelTensor* input = facts.input(tensor.name);
  if (input == nullptr ||
      inferred_shape(*input, elements_of(tensor.shape), facts.max_batch_size > 0) == tensor.shape)
    return {};
  return invalid(
      fmt::format("the input {} cannot be sent with the shape [{}] over HTTP, where Triton infers "
                  "shapes; use --protocol triton-grpc{}",
                  tensor.name, fmt::join(tensor.shape, ", "),
                  tensor.shape.front() > 1 ? ", or leave out --batch" : ""));
}

std::string id_member(std::string_view id) { return fmt::format("\"id\":\"{}\"", id); }

// The members of one event, not validated yet.
struct TritonEvent {
  std::optional<std::string_view> text, error, ids, length;
  bool named = false;   // has model_name, like every response of a model
  bool others = false;  // outputs of other names
  TritonNumbers numbers;
  std::string values{};  // members of outputs with log probabilities and logits
};

// RAW as a number; for a list, its first element.
std::int64_t number_of(std::string_view raw) {
  if (JsonWalk elements(raw); elements.next()) raw = elements.value();
  return to_integer(raw).value_or(0);
}

// VALUES: outputs with log probabilities and logits are kept.
void note(std::string_view name, std::string_view value, bool values, TritonEvent& parsed) {
  if (name == "text_output") parsed.text = value;
  else if (name == "output_ids") parsed.ids = value;
  else if (name == "sequence_length") parsed.length = value;
  else if (name == "error" && value != "null") parsed.error = value;
  else if (name == "model_name") parsed.named = true;
  else if (name == "model_version" || name == "id" || name == "parameters") return;
  else if (std::int64_t* number = parsed.numbers.place_of(name)) *number = number_of(value);
  else {
    parsed.others = true;
    if (values && is_value_output(name))
      parsed.values += fmt::format("{}\"{}\":{}", parsed.values.empty() ? "" : ",", name, value);
  }
}

// nullopt: EVENT is not exactly one JSON object.
std::optional<TritonEvent> read_triton_event(std::string_view event, bool values) {
  TritonEvent parsed;
  JsonWalk members(event);
  while (members.next()) note(members.key(), members.value(), values, parsed);
  if (!members.complete()) return {};
  return parsed;
}

// The number of ids in an event. nullopt if they are neither an integer nor a flat list of
// integers.
std::optional<std::int64_t> count_ids(std::string_view raw) {
  if (to_integer(raw)) return 1;
  if (!raw.starts_with('[')) return {};
  std::int64_t count = 0;
  JsonWalk elements(raw);
  for (; elements.next(); ++count)
    if (!to_integer(elements.value())) return {};
  return elements.complete() ? std::optional(count) : std::nullopt;
}

// Appends the ids in the range KEPT, of those that count_ids() counted, to TEXT.
void keep_ids(std::string_view raw, IdRange kept, std::string& text) {
  if (const auto one = to_integer(raw)) {
    if (kept.first == 0 && kept.end > 0) append_id(*one, text);
    return;
  }
  JsonWalk elements(raw);
  for (std::int64_t i = 0; i < kept.end && elements.next(); ++i)
    if (i >= kept.first) append_id(to_integer(elements.value()).value_or(0), text);
}

// The lengths of at most SEQUENCES answers. nullopt if one of them is invalid.
std::optional<Lengths> read_lengths(std::string_view raw, std::int64_t sequences,
                                    AnswerState& state) {
  if (!raw.starts_with('[')) {
    const auto length = state.parse_count(raw);
    return length ? std::optional(Lengths{.sum = *length, .sequences = 1}) : std::nullopt;
  }
  Lengths out;
  for (JsonWalk elements(raw); out.sequences < sequences && elements.next(); ++out.sequences) {
    const auto length = state.parse_count(elements.value());
    if (!length) return {};
    out.sum += *length;
  }
  return out;
}

class TritonHttp final : public TritonProtocol {
 public:
  TritonHttp(const RequestShape& shape, TritonInputs inputs)
      : TritonProtocol(shape, std::move(inputs), {.events = shape.stream}) {
    for (const Tensor& tensor : inputs_.common()) append_member(tensor, common_);
    const auto head = [&](bool stream) {
      return json_post_head(
          shape, fmt::format("{}/v2/models/{}/{}", shape.url.path, wire::path_segment(shape.model),
                             stream ? "generate_stream" : "generate"));
    };
    head_ = head(stream_);
    stop_head_ = head(inputs_.facts().decoupled);
    if (shape.stoppable) id_ = id_member(std::string(k_id_digits, '0'));
  }

  std::string request(std::span<const prompt::Prompt> prompts) const override {
    std::string body = "{" + id_;
    for (const Tensor& tensor : inputs_.of_prompts(prompts)) append_member(tensor, body);
    if (body.size() > 1 && !common_.empty()) body.push_back(',');
    body.append(common_).push_back('}');
    return fmt::format("{}{}\r\n\r\n{}", head_, body.size(), body);
  }

  std::size_t id_at(std::string_view request) const override {
    constexpr std::string_view k_before = "\r\n\r\n{\"id\":\"";  // the empty line ends the head
    return id_.empty() ? 0 : request.find(k_before) + k_before.size();
  }

  std::string stop_request(std::string_view id) const override {
    std::string body = "{" + id_member(id);
    for (const Tensor& tensor : inputs_.stop()) append_member(tensor, body);
    body.push_back('}');
    return fmt::format("{}{}\r\n\r\n{}", stop_head_, body.size(), body);
  }

  // A decoupled model may answer without any response, which `generate` cannot express.
  wire::WireFormat stop_wire() const override { return {.events = inputs_.facts().decoupled}; }

  EventKind read_event(std::string_view event, AnswerState& state) const override {
    const std::optional<TritonEvent> parsed = read_triton_event(event, state.keeps_values);
    if (!parsed) return EventKind::malformed;
    if (parsed->error) {
      if (!append_json_string(*parsed->error, state.failure)) state.failure.append(*parsed->error);
      return EventKind::failure;
    }
    if (auto times = parsed->numbers.times()) state.server_times = times;
    if (!parsed->values.empty()) add_values(parsed->values, state);
    if (stream_ && parsed->named && !parsed->others && !parsed->text && !parsed->ids)
      return EventKind::other;  // a response without outputs
    const EventKind kind = parsed->text  ? read_text(*parsed, state)
                           : parsed->ids ? read_ids(*parsed, state)
                                         : EventKind::malformed;
    state.started = state.started || kind == EventKind::token;
    return kind;
  }

  std::string read_refusal(std::string_view body) const override {
    std::string message;
    if (const auto error = json_member(refusal_json(body), "error"))
      append_json_string(*error, message);
    return message;
  }

 private:
  EventKind read_text(const TritonEvent& parsed, AnswerState& state) const {
    std::int64_t sequence =
        parsed.numbers.sequence(inputs_.answers().sequences, inputs_.answers().per_prompt);
    if (!parsed.text->starts_with('['))
      return add_text(*parsed.text, sequence, state) ? EventKind::token : EventKind::malformed;
    JsonWalk texts(*parsed.text);
    for (std::int64_t more = 0; texts.next(); ++sequence) {
      if (!add_text(texts.value(), sequence, state)) return EventKind::malformed;
      state.extra_texts += std::exchange(more, 1);
    }
    return texts.complete() ? EventKind::token : EventKind::malformed;
  }

  // The text of an unrequested sequence goes to the first one.
  bool add_text(std::string_view raw, std::int64_t sequence, AnswerState& state) const {
    std::string& text = state.text_of(sequence < inputs_.answers().sequences ? sequence : 0);
    const std::size_t before = text.size();
    if (!append_json_string(raw, text)) return false;
    if (stream_ && inputs_.answers().repeats_text) text.erase(0, before);
    return true;
  }

  EventKind read_ids(const TritonEvent& parsed, AnswerState& state) const {
    const std::optional<std::int64_t> count = count_ids(*parsed.ids);
    if (!count) return EventKind::malformed;
    const std::optional<Lengths> lengths =
        parsed.length ? read_lengths(*parsed.length, inputs_.answers().sequences, state)
                      : std::nullopt;
    keep_ids(*parsed.ids, ids_to_keep(*count, lengths, inputs_.answers().event_ids, state),
             state.text);
    return take_ids(*count, lengths, inputs_.answers().event_ids, stream_, state);
  }

  std::string head_, stop_head_;
  std::string id_;      // a member; "" if requests have none
  std::string common_;  // the JSON members common to all requests
};

}  // namespace

Result<std::unique_ptr<Protocol>> make_triton_http(RequestShape shape) {
  const ModelFacts facts = shape.facts ? *shape.facts : usual_ensemble(shape.model);
  ORCH_ASSIGN(TritonInputs inputs, TritonInputs::make(shape, facts));
  const std::vector<prompt::Prompt> prompts(static_cast<std::size_t>(shape.batch),
                                            {.text_input = "x", .ids = {1, 2}});
  for (const Tensor& tensor : inputs.tensors(prompts))
    ORCH_TRY(check_shape(tensor, inputs.facts()));
  return std::unique_ptr<Protocol>(std::make_unique<TritonHttp>(shape, std::move(inputs)));
}

}  // namespace orch::protocol
