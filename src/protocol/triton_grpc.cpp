// Triton's gRPC: ModelInfer, one answer to a request; ModelStreamInfer, any number of them,
// failures inside a good stream.
#include "base/text.hpp"
#include "protocol/proto_scan.hpp"
#include "protocol/triton_protocol.hpp"
#include "protocol/triton_raw.hpp"
#include "protocol/triton_answer_fields.hpp"

#include <orch_proto/triton_grpc.pb.h>

namespace orch::protocol {
namespace {

constexpr std::string_view k_service = "/inference.GRPCInferenceService/";

// What one answer says, before any of it is believed. Outputs are found by name, as their order is
// the server's.
struct Said {
  std::optional<std::string_view> text, ids, lengths;
  std::string_view text_datatype, ids_datatype, lengths_datatype;
  std::string_view name, datatype;  // of the first output, whatever it is
  TritonSaid numbers;
  std::size_t outputs = 0;
};

struct Output {
  std::string_view name, datatype;
};

// The lengths of at most SEQUENCES answers. Empty: one of them is none.
std::optional<Lengths> read_lengths(const Said& said, std::int64_t sequences, Told& told) {
  Lengths out;
  for (; out.sequences < sequences; ++out.sequences) {
    const auto value =
        raw_integer(*said.lengths, said.lengths_datatype, static_cast<std::size_t>(out.sequences));
    if (!value) break;
    const auto length = told.read_count(*value);
    if (!length) return {};
    out.sum += *length;
  }
  return out.sequences > 0 ? std::optional(out) : std::nullopt;
}

void note(const Output& output, std::string_view raw, Said& said) {
  if (output.name == "text_output") said.text = raw, said.text_datatype = output.datatype;
  else if (output.name == "output_ids") said.ids = raw, said.ids_datatype = output.datatype;
  else if (output.name == "sequence_length")
    said.lengths = raw, said.lengths_datatype = output.datatype;
  else if (std::int64_t* number = said.numbers.place_of(output.name))
    *number = raw_integer(raw, output.datatype, 0).value_or(0);
}

// More outputs than any model has are not looked at.
constexpr std::size_t k_most_outputs = 64;

// A ModelInferResponse. Its outputs come before their contents, each in their order. Empty: it is
// none.
std::optional<Said> read_response(std::string_view message) {
  constexpr std::uint32_t k_outputs = 5, k_raw_output_contents = 6, k_name = 1, k_datatype = 2;
  std::array<Output, k_most_outputs> outputs;
  std::size_t named = 0, filled = 0;
  Said said;
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
      note(outputs[filled], fields.bytes(), said);
      ++filled;
    }
  }
  if (!fields.whole()) return {};
  said.outputs = named;
  said.name = outputs[0].name;
  said.datatype = outputs[0].datatype;
  return said;
}

class TritonGrpc final : public TritonProtocol {
 public:
  TritonGrpc(const RequestShape& shape, TritonInputs inputs)
      : TritonProtocol(shape, std::move(inputs)),
        model_(shape.model),
        id_(shape.stoppable ? k_id_digits : 0, '0') {}

  Travel travel() const override {
    return {.grpc_method =
                fmt::format("{}{}", k_service, streams() ? "ModelStreamInfer" : "ModelInfer"),
            .events = streams()};
  }

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
    return inputs_.stop().empty() ? "" : message_of(inputs_.stop(), id);
  }

  EventKind read_event(std::string_view event, Told& told) const override {
    return streams() ? read_streamed(event, told) : read_answer(event, told);
  }

  std::string read_refusal(std::string_view) const override {
    return {};
  }  // the status says it all

 private:
  std::string message_of(const std::vector<Tensor>& tensors, std::string_view id) const {
    inference::ModelInferRequest message;
    message.set_model_name(model_);
    message.set_id(std::string(id));
    // Else the end of a stream that has no more tokens cannot be told from one that waits.
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

  static EventKind malformed(std::string why, Told& told) {
    told.malformed = std::move(why);
    return EventKind::malformed;
  }

  static std::string other_outputs(const Said& said) {
    return fmt::format("it has neither text_output nor output_ids with contents, but {} ({}){}",
                       quoted(said.name), said.datatype,
                       said.outputs > 1 ? fmt::format(" and {} more", said.outputs - 1) : "");
  }

  // A decoupled model may answer by any number of responses, for which ModelInfer has no room.
  bool streams() const { return inputs_.facts().decoupled; }

  // A ModelStreamInferResponse.
  EventKind read_streamed(std::string_view event, Told& told) const {
    constexpr std::uint32_t k_error_message = 1, k_infer_response = 2;
    std::string_view error, answer;
    ProtoFields fields(event);
    while (fields.next()) {
      if (fields.number() == k_error_message) error = fields.bytes();
      if (fields.number() == k_infer_response) answer = fields.bytes();
    }
    if (!fields.whole()) return malformed("it is no ModelStreamInferResponse", told);
    if (error.empty()) return read_answer(answer, told);
    told.failure.assign(error);
    return EventKind::failure;
  }

  EventKind read_answer(std::string_view answer, Told& told) const {
    const std::optional<Said> said = read_response(answer);
    if (!said) return malformed("it is no ModelInferResponse", told);
    if (auto times = said->numbers.times()) told.server_times = times;
    if (said->outputs == 0) return EventKind::other;  // the empty final response
    const EventKind kind = said->text  ? read_text(*said, told)
                           : said->ids ? read_ids(*said, told)
                                       : malformed(other_outputs(*said), told);
    told.begun = told.begun || kind == EventKind::token;
    return kind;
  }

  EventKind read_text(const Said& said, Told& told) const {
    std::int64_t sequence = said.numbers.sequence(inputs_.sequences(), returns_);
    std::string_view rest = *said.text;
    for (std::int64_t more = 0; !rest.empty(); ++sequence) {
      const std::optional<std::string_view> piece = take_raw_text(rest);
      if (!piece)
        return malformed(
            fmt::format("its output text_output ({}) is no text with its length before it",
                        said.text_datatype),
            told);
      // A text of more sequences than were asked for goes to the first.
      std::string& text = told.text_of(sequence < inputs_.sequences() ? sequence : 0);
      if (stream_ && inputs_.repeats_text()) text.clear();
      text.append(*piece);
      told.more_texts += std::exchange(more, 1);
    }
    return EventKind::token;
  }

  EventKind read_ids(const Said& said, Told& told) const {
    const std::size_t size = raw_size(said.ids_datatype);
    if (size == 0 || said.ids->size() % size != 0)
      return malformed(
          fmt::format("its output output_ids ({}) is no list of integers", said.ids_datatype),
          told);
    const auto count = static_cast<std::int64_t>(said.ids->size() / size);
    const std::optional<Lengths> lengths =
        said.lengths ? read_lengths(said, inputs_.sequences(), told) : std::nullopt;
    const std::int64_t kept = ids_to_keep(count, lengths, inputs_.counts_ids());
    for (std::int64_t i = 0; i < kept; ++i)
      append_id(raw_integer(*said.ids, said.ids_datatype, static_cast<std::size_t>(i)).value_or(0),
                told.text);
    return take_ids(count, lengths, inputs_.counts_ids(), stream_, told);
  }

  std::string model_;
  std::string id_;  // "" where requests have none
};

}  // namespace

Result<std::unique_ptr<Protocol>> make_triton_grpc(RequestShape shape) {
  const ModelFacts facts = shape.facts ? *shape.facts : usual_ensemble(shape.model);
  ORCH_ASSIGN(TritonInputs inputs, TritonInputs::make(shape, facts));
  return std::unique_ptr<Protocol>(std::make_unique<TritonGrpc>(shape, std::move(inputs)));
}

}  // namespace orch::protocol
