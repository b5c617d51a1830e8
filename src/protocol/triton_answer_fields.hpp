// What an answer of Triton's TensorRT-LLM models says in numbers beside its tokens, the same over
// HTTP and gRPC: which sequence it belongs to, and the server's own times. It does not know how
// numbers are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/protocol.hpp"

namespace orch::protocol {

struct TritonNumbers {
  std::int64_t batch_index = 0;
  std::int64_t sequence_index = 0;
  std::int64_t arrival_ns = 0, scheduled_ns = 0, first_token_ns = 0, last_token_ns = 0;

  // Where the number of the output NAME belongs; null: it is none of these.
  std::int64_t* place_of(std::string_view name);

  // Empty unless the times are in their order, and none before the arrival: else they are not what
  // they are called.
  std::optional<measure::ServerTimes> times() const;
  // Which of SEQUENCES answers this is, where each prompt has RETURNS of them; 0 where the server's
  // words make no sense.
  std::int64_t sequence(std::int64_t sequences, std::int64_t returns) const;
};

// How long the answers of one event are, as the server says.
struct Lengths {
  std::int64_t sum = 0;
  std::int64_t sequences = 0;
};

// Adds an id to a text, a blank between them.
void append_id(std::int64_t id, std::string& text);

// Takes COUNT ids of an event into TOLD. Where lengths say that there are fewer tokens, the rest
// fills the list up, or belongs to sequences that nobody asked for. COUNTS: the ids are the
// answer's alone.
EventKind take_ids(std::int64_t count, const std::optional<Lengths>& lengths, bool counts,
                   bool stream, AnswerState& state);
// How many of these are kept as the answer, from the front: of several sequences all, which padding
// may stand between.
std::int64_t ids_to_keep(std::int64_t count, const std::optional<Lengths>& lengths, bool counts);

}  // namespace orch::protocol
