// The numbers in an answer of Triton's TensorRT-LLM models, the same over HTTP and gRPC: the
// sequence of a text, and the server's own times. It does not know how numbers are encoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/protocol/protocol.hpp"

namespace orch::protocol {

struct TritonNumbers {
  std::int64_t batch_index = 0;
  std::int64_t sequence_index = 0;
  std::int64_t arrival_ns = 0, scheduled_ns = 0, first_token_ns = 0, last_token_ns = 0;

  // The member for the output NAME; null: the output is not one of these.
  std::int64_t* place_of(std::string_view name);

  // Empty unless the times are ascending from the arrival.
  std::optional<measure::ServerTimes> times() const;
  // The index of this answer among SEQUENCES, with RETURNS answers per prompt; 0 if the server's
  // indices are out of range.
  std::int64_t sequence(std::int64_t sequences, std::int64_t returns) const;
};

// Whether the output NAME has log probabilities or logits.
bool is_value_output(std::string_view name);
// Adds one event's MEMBERS, "NAME":LIST each, to the values of STATE.
void add_values(std::string_view members, AnswerState& state);

// The lengths of the answers of one event, as the server reports them.
struct Lengths {
  std::int64_t sum = 0;
  std::int64_t sequences = 0;
};

// Appends an id to a text, separated by a blank.
void append_id(std::int64_t id, std::string& text);

// Adds COUNT ids of an event to STATE. Ids beyond the reported lengths are padding, or belong to
// sequences that were not requested.
EventKind take_ids(std::int64_t count, const std::optional<Lengths>& lengths, EventIds of,
                   bool stream, AnswerState& state);

// The ids of one event from FIRST up to END, without it.
struct IdRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

// The ids that are kept as the answer; to be asked before take_ids. Of several sequences all ids
// are kept, since padding may separate them.
IdRange ids_to_keep(std::int64_t count, const std::optional<Lengths>& lengths, EventIds of,
                    const AnswerState& state);

}  // namespace orch::protocol
