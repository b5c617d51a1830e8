// The state of one answer while its events are read: texts, token counts and failures so far. It
// does not know how any protocol writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/request_record.hpp"

namespace orch::protocol {

enum class EventKind {
  token,      // carries tokens of the answer, even if its text is empty
  other,      // belongs to the protocol; it never counts and never moves the last stamp
  failure,    // the server reports that the request failed
  malformed,  // not an event of this protocol
};

// No answer is longer: a larger count is an error of the server that reports it.
inline constexpr std::int64_t k_most_tokens = 1'000'000'000;

struct AnswerState {
  // The text of the first sequence, or of all if the server does not separate them.
  std::string text;
  std::vector<std::string> further_texts;  // of the other sequences
  std::int64_t sequences = 65'536;         // number of sequences, where it is known
  // Where log probabilities and logits are kept: those of each event, as members of a JSON object,
  // and the objects joined by commas.
  bool keeps_values = false;
  std::string values;
  std::string failure;
  std::string malformed_reason;     // "": the event itself shows it
  std::optional<std::int64_t> isl;  // tokens as the server counts them, over all sequences
  // Ids of the prompt as they were sent, for servers that repeat them; empty: unknown.
  std::optional<std::int64_t> prompt_ids;
  std::optional<std::int64_t> osl;
  std::optional<std::int64_t> isl_cached;  // of isl, those that the server had cached
  std::string invalid_count;               // the first reported count that is invalid
  std::int64_t id_count = 0;               // output tokens that came as ids
  std::int64_t extra_texts = 0;            // beyond one per event, where an event carries several
  std::optional<std::int64_t> first_event_tokens;  // of a stream, where the server reports them
  // Of the last event with tokens. A protocol that cannot tell leaves them.
  struct EventText {
    bool empty = false;      // none of its tokens has a text
    bool reasoning = false;  // it has text of the model's reasoning
    bool visible = true;     // it has text of the answer itself, a refusal or a call of a tool
  } event;
  bool started = false;      // an event with tokens came
  bool ended_full = false;   // the server ended a sequence because it reached the length limit
  bool done = false;         // the server announced the end of the stream
  std::vector<bool> ended;   // per sequence: the server gave a finish reason
  bool ended_early = false;  // the model itself ended a sequence
  std::vector<std::int64_t> osl_by_sequence;  // where the server counts them apart; osl is the sum
  std::optional<measure::ServerTimes> server_times;

  // The text of sequence INDEX. An index beyond `sequences` means the first.
  std::string& text_of(std::int64_t index);
  // The server gave a finish reason for sequence INDEX.
  void end_sequence(std::int64_t index);
  // Every sequence that sent text has a finish reason.
  bool all_ended() const;
  // Sets the tokens of sequence INDEX so far, and osl to the sum.
  void set_osl(std::int64_t index, std::int64_t tokens);
  // All texts, joined by newlines.
  std::string answer() const&;
  std::string answer() &&;
  // RAW as a token count: an integer from 0 to k_most_tokens. Otherwise empty, and the first such
  // RAW is kept as invalid_count.
  std::optional<std::int64_t> parse_count(std::string_view raw);
  std::optional<std::int64_t> parse_count(std::int64_t number);

 private:
  std::size_t slot_of(std::int64_t index) const {
    return index <= 0 || index >= sequences ? 0 : static_cast<std::size_t>(index);
  }
};

}  // namespace orch::protocol
