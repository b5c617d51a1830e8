// What Triton's HTTP and gRPC protocols share: everything that follows from a model's inputs alone.
#pragma once

#include "bench/protocol/protocol.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace orch::protocol {

class TritonProtocol : public Protocol, protected Stopper {
 public:
  TritonProtocol(const RequestShape& shape, TritonInputs inputs, wire::WireFormat wire)
      : Protocol({.wire = std::move(wire),
                  .sequences = inputs.answers().sequences,
                  .forces_length = inputs.answers().forces_length,
                  .sends_prompts = inputs.sends_prompts(),
                  .takes_ids = inputs.takes_ids(),
                  .omitted_inputs = inputs.omitted()}),
        inputs_(std::move(inputs)),
        stream_(shape.stream) {}

  std::int64_t osl(std::span<const prompt::Prompt> prompts) const final {
    return inputs_.osl(prompts);
  }
  // Triton's answers are not checked for an end marker.
  std::string why_incomplete(const AnswerState&) const final { return {}; }
  const Stopper* stopper() const final { return inputs_.stop().empty() ? nullptr : this; }

 protected:
  TritonInputs inputs_;
  bool stream_;
};

// The numbers in an answer of Triton's TensorRT-LLM models, the same over HTTP and gRPC: a text's
// sequence, and the server's own times. Independent of their encoding.

struct TritonNumbers {
  std::int64_t batch_index = 0;
  std::int64_t sequence_index = 0;
  std::int64_t arrival_ns = 0, scheduled_ns = 0, first_token_ns = 0, last_token_ns = 0;

  // The member for the output NAME, or null.
  std::int64_t* place_of(std::string_view name);

  // nullopt unless the times are in ascending order from the arrival.
  std::optional<measure::ServerTimes> times() const;
  // The index of this answer among SEQUENCES, with RETURNS answers per prompt; 0 if the server's
  // indices are out of range.
  std::int64_t sequence(std::int64_t sequences, std::int64_t returns) const;
};

// Whether the output NAME contains log probabilities or logits.
bool is_value_output(std::string_view name);
// Adds one event's MEMBERS, "NAME":LIST each, to the values of STATE.
void add_values(std::string_view members, AnswerState& state);

// The lengths of one event's answers, as reported by the server.
struct Lengths {
  std::int64_t sum = 0;
  std::int64_t sequences = 0;
};

// Appends ID to TEXT, after a space unless TEXT is empty.
void append_id(std::int64_t id, std::string& text);

// Adds COUNT ids of an event to STATE. Ids beyond the reported lengths are padding, or belong to
// unrequested sequences.
EventKind take_ids(std::int64_t count, const std::optional<Lengths>& lengths, EventIds of,
                   bool stream, AnswerState& state);

// The ids of one event in [FIRST, END).
struct IdRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

// The ids that are kept as the answer; call it before take_ids. Of several sequences all ids are
// kept, since padding may separate them.
IdRange ids_to_keep(std::int64_t count, const std::optional<Lengths>& lengths, EventIds of,
                    const AnswerState& state);

// Reads the fields of a protobuf message in place, for messages that arrive once per token. Does
// not depend on the type of the message.

class ProtoFields {
 public:
  explicit ProtoFields(std::string_view message) : rest_(message) {}

  // Moves to the next field. False: the message ended, or is damaged.
  bool next();
  // After next() returned false: whether the whole message was valid.
  bool whole() const { return rest_.empty() && !broken_; }

  std::uint32_t number() const { return number_; }
  // The value of a field of that kind; otherwise 0 or "".
  std::uint64_t integer() const { return integer_; }
  std::string_view bytes() const { return bytes_; }

 private:
  bool take_varint(std::uint64_t& value);
  bool take_bytes(std::uint64_t size);

  std::string_view rest_;
  bool broken_ = false;
  std::uint32_t number_ = 0;
  std::uint64_t integer_ = 0;
  std::string_view bytes_;
};

}  // namespace orch::protocol
