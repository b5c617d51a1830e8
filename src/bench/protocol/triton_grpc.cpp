// Triton over gRPC: ModelInfer returns one answer per request, ModelStreamInfer any number of
// answers, with failures as messages of a successful stream.
#include "bench/protocol/triton_protocol.hpp"
#include "bench/protocol/triton_value.hpp"
#include "core/base/text.hpp"

#include <orch_proto/triton_grpc.pb.h>

namespace orch::protocol {
namespace {

constexpr std::string_view k_service = "/inference.GRPCInferenceService/";

// The outputs of one answer, not validated yet. Found by name, because the server chooses their
// order.
struct ParsedAnswer {
  std::optional<std::string_view> text, ids, lengths;
  std::string_view text_datatype, ids_datatype, lengths_datatype;
  std::string_view name, datatype;  // of the first output
  TritonNumbers numbers;
  std::size_t outputs = 0;
  std::string values{};  // of outputs with log probabilities and logits, as JSON members
};

struct Output {
  std::string_view name, datatype;
};

// The lengths of at most SEQUENCES answers. nullopt if one of them is invalid.
std::optional<Lengths> read_lengths(const ParsedAnswer& parsed, std::int64_t sequences,
                                    AnswerState& state) {
  Lengths out;
  for (; out.sequences < sequences; ++out.sequences) {
    const auto value = raw_integer(*parsed.lengths, parsed.lengths_datatype,
                                   static_cast<std::size_t>(out.sequences));
    if (!value) break;
    const auto length = state.parse_count(*value);
    if (!length) return {};
    out.sum += *length;
  }
  return out.sequences > 0 ? std::optional(out) : std::nullopt;
}

// VALUES: outputs with log probabilities and logits are kept.
void note(const Output& output, std::string_view raw, bool values, ParsedAnswer& parsed) {
  if (output.name == "text_output") {
    parsed.text = raw;
    parsed.text_datatype = output.datatype;
  } else if (output.name == "output_ids") {
    parsed.ids = raw;
    parsed.ids_datatype = output.datatype;
  } else if (output.name == "sequence_length") {
    parsed.lengths = raw;
    parsed.lengths_datatype = output.datatype;
  } else if (std::int64_t* number = parsed.numbers.place_of(output.name))
    *number = raw_integer(raw, output.datatype, 0).value_or(0);
  else if (values && is_value_output(output.name))
    parsed.values += fmt::format("{}\"{}\":{}", parsed.values.empty() ? "" : ",", output.name,
                                 raw_list(raw, output.datatype));
}

// Models have fewer outputs; more are ignored.
constexpr std::size_t k_most_outputs = 64;

// Parses a ModelInferResponse, whose outputs precede their contents in the same order. nullopt if
// it is invalid.
std::optional<ParsedAnswer> read_response(std::string_view message, bool values) {
  constexpr std::uint32_t k_outputs = 5, k_raw_output_contents = 6, k_name = 1, k_datatype = 2;
  std::array<Output, k_most_outputs> outputs;
  std::size_t named = 0, filled = 0;
  ParsedAnswer parsed;
  ProtoFields fields(message);
  while (fields.next()) {
    if (fields.number() == k_outputs && named < outputs.size()) {
      Output& output = outputs[named++] = {};
      ProtoFields of_output(fields.bytes());
      while (of_output.next()) {
        if (of_output.number() == k_name) output.name = of_output.bytes();
        if (of_output.number() == k_datatype) output.datatype = of_output.bytes();
      }
      if (!of_output.whole()) return {};
    } else if (fields.number() == k_raw_output_contents && filled < named) {
      note(outputs[filled], fields.bytes(), values, parsed);
      ++filled;
    }
  }
  if (!fields.whole()) return {};
  parsed.outputs = named;
  parsed.name = outputs[0].name;
  parsed.datatype = outputs[0].datatype;
  return parsed;
}

ModelFacts facts_of(const RequestShape& shape) {
  return shape.facts ? *shape.facts : usual_ensemble(shape.model);
}

// A decoupled model may send any number of responses, but ModelInfer carries only one.
wire::WireFormat wire_of(const ModelFacts& facts) {
  return {.grpc_method =
              fmt::format("{}{}", k_service, facts.decoupled ? "ModelStreamInfer" : "ModelInfer"),
          .events = facts.decoupled};
}

class TritonGrpc final : public TritonProtocol {
 public:
  TritonGrpc(const RequestShape& shape, TritonInputs inputs)
      : TritonProtocol(shape, std::move(inputs), wire_of(facts_of(shape))),
        model_(shape.model),
        id_(shape.stoppable ? k_id_digits : 0, '0') {}

  wire::WireFormat stop_wire() const override { return traits().wire; }

  std::string request(std::span<const prompt::Prompt> prompts) const override {
    return message_of(inputs_.tensors(prompts), id_);
  }

  std::size_t id_at(std::string_view request) const override {
    constexpr std::uint32_t k_id = 3;
    ProtoFields fields(request);
    while (fields.next())
      if (fields.number() == k_id)
        return static_cast<std::size_t>(fields.bytes().data() - request.data());
    return 0;
  }

  std::string stop_request(std::string_view id) const override {
    return message_of(inputs_.stop(), id);
  }

  EventKind read_event(std::string_view event, AnswerState& state) const override {
    return streams() ? read_streamed(event, state) : read_answer(event, state);
  }

  // A gRPC status carries the message.
  std::string read_refusal(std::string_view) const override { return {}; }

 private:
  std::string message_of(const std::vector<Tensor>& tensors, std::string_view id) const {
    inference::ModelInferRequest message;
    message.set_model_name(model_);
    message.set_id(std::string(id));
    // Otherwise a stream without more tokens looks like one that is waiting.
    if (streams())
      (*message.mutable_parameters())["triton_enable_empty_final_response"].set_bool_param(true);
    for (const Tensor& tensor : tensors) {
      auto& input = *message.add_inputs();
      input.set_name(tensor.name);
      input.set_datatype(tensor.datatype);
      for (const std::int64_t size : tensor.shape) input.add_shape(size);
      message.add_raw_input_contents(raw_contents(tensor));
    }
    return message.SerializeAsString();
  }

  static EventKind malformed(std::string why, AnswerState& state) {
    state.malformed_reason = std::move(why);
    return EventKind::malformed;
  }

  static std::string other_outputs(const ParsedAnswer& parsed) {
    return fmt::format("it has neither text_output nor output_ids with contents, but {} ({}){}",
                       quoted(parsed.name), parsed.datatype,
                       parsed.outputs > 1 ? fmt::format(" and {} more", parsed.outputs - 1) : "");
  }

  bool streams() const { return inputs_.facts().decoupled; }

  // A ModelStreamInferResponse.
  EventKind read_streamed(std::string_view event, AnswerState& state) const {
    constexpr std::uint32_t k_error_message = 1, k_infer_response = 2;
    std::string_view error, answer;
    ProtoFields fields(event);
    while (fields.next()) {
      if (fields.number() == k_error_message) error = fields.bytes();
      if (fields.number() == k_infer_response) answer = fields.bytes();
    }
    if (!fields.whole()) return malformed("it is not a valid ModelStreamInferResponse", state);
    if (error.empty()) return read_answer(answer, state);
    state.failure.assign(error);
    return EventKind::failure;
  }

  EventKind read_answer(std::string_view answer, AnswerState& state) const {
    const std::optional<ParsedAnswer> parsed = read_response(answer, state.keeps_values);
    if (!parsed) return malformed("it is not a valid ModelInferResponse", state);
    if (auto times = parsed->numbers.times()) state.server_times = times;
    if (!parsed->values.empty()) add_values(parsed->values, state);
    if (parsed->outputs == 0) return EventKind::other;  // the empty final response
    const EventKind kind = parsed->text  ? read_text(*parsed, state)
                           : parsed->ids ? read_ids(*parsed, state)
                                         : malformed(other_outputs(*parsed), state);
    state.started = state.started || kind == EventKind::token;
    return kind;
  }

  EventKind read_text(const ParsedAnswer& parsed, AnswerState& state) const {
    std::int64_t sequence =
        parsed.numbers.sequence(inputs_.answers().sequences, inputs_.answers().per_prompt);
    std::string_view rest = *parsed.text;
    for (std::int64_t more = 0; !rest.empty(); ++sequence) {
      const std::optional<std::string_view> piece = take_raw_text(rest);
      if (!piece)
        return malformed(fmt::format("its output text_output ({}) is not a length-prefixed text",
                                     parsed.text_datatype),
                         state);
      // The text of an unrequested sequence goes to the first one.
      std::string& text = state.text_of(sequence < inputs_.answers().sequences ? sequence : 0);
      if (stream_ && inputs_.answers().repeats_text) text.clear();
      text.append(*piece);
      state.extra_texts += std::exchange(more, 1);
    }
    return EventKind::token;
  }

  EventKind read_ids(const ParsedAnswer& parsed, AnswerState& state) const {
    const std::size_t size = raw_size(parsed.ids_datatype);
    if (size == 0 || parsed.ids->size() % size != 0)
      return malformed(
          fmt::format("its output output_ids ({}) is not a list of integers", parsed.ids_datatype),
          state);
    const auto count = static_cast<std::int64_t>(parsed.ids->size() / size);
    const std::optional<Lengths> lengths =
        parsed.lengths ? read_lengths(parsed, inputs_.answers().sequences, state) : std::nullopt;
    const IdRange kept = ids_to_keep(count, lengths, inputs_.answers().event_ids, state);
    for (std::int64_t i = kept.first; i < kept.end; ++i)
      append_id(
          raw_integer(*parsed.ids, parsed.ids_datatype, static_cast<std::size_t>(i)).value_or(0),
          state.text);
    return take_ids(count, lengths, inputs_.answers().event_ids, stream_, state);
  }

  std::string model_;
  std::string id_;  // "" if requests have none
};

}  // namespace

Result<std::unique_ptr<Protocol>> make_triton_grpc(RequestShape shape) {
  ORCH_ASSIGN(TritonInputs inputs, TritonInputs::make(shape, facts_of(shape)));
  return std::unique_ptr<Protocol>(std::make_unique<TritonGrpc>(shape, std::move(inputs)));
}

}  // namespace orch::protocol
