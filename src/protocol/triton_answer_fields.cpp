#include "protocol/triton_answer_fields.hpp"

#include <charconv>

namespace orch::protocol {

std::int64_t* TritonNumbers::place_of(std::string_view name) {
  if (name == "batch_index") return &batch_index;
  if (name == "sequence_index") return &sequence_index;
  if (name == "arrival_time_ns") return &arrival_ns;
  if (name == "first_scheduled_time_ns") return &scheduled_ns;
  if (name == "first_token_time_ns") return &first_token_ns;
  if (name == "last_token_time_ns") return &last_token_ns;
  return nullptr;
}

std::optional<measure::ServerTimes> TritonNumbers::times() const {
  if (arrival_ns <= 0 || scheduled_ns < arrival_ns || first_token_ns < scheduled_ns ||
      last_token_ns < first_token_ns)
    return {};
  return measure::ServerTimes{.scheduled_ns = scheduled_ns - arrival_ns,
                              .first_token_ns = first_token_ns - arrival_ns,
                              .last_token_ns = last_token_ns - arrival_ns};
}

std::int64_t TritonNumbers::sequence(std::int64_t sequences, std::int64_t returns) const {
  const bool sound = batch_index >= 0 && sequence_index >= 0 && sequence_index < returns &&
                     batch_index < sequences;
  return sound ? batch_index * returns + sequence_index : 0;
}

void append_id(std::int64_t id, std::string& text) {
  if (!text.empty()) text.push_back(' ');
  char digits[24];
  text.append(digits, std::to_chars(std::begin(digits), std::end(digits), id).ptr);
}

std::int64_t ids_to_keep(std::int64_t count, const std::optional<Lengths>& lengths, bool counts) {
  if (!counts) return 0;
  return lengths && lengths->sequences == 1 ? std::min(count, lengths->sum) : count;
}

EventKind take_ids(std::int64_t count, const std::optional<Lengths>& lengths, bool counts,
                   bool stream, AnswerState& state) {
  if (lengths) count = std::min(count, lengths->sum);
  if (count == 0) return EventKind::other;
  if (!counts) return EventKind::token;
  state.id_count += count;
  if (stream && !state.started)
    state.first_event_tokens = std::max<std::int64_t>(
        1, count / std::max<std::int64_t>(1, lengths ? lengths->sequences : 1));  // of one sequence
  return EventKind::token;
}

bool is_value_output(std::string_view name) {
  return name == "cum_log_probs" || name == "output_log_probs" || name == "context_logits" ||
         name == "generation_logits";
}

void add_values(std::string_view members, AnswerState& state) {
  state.values += state.values.empty() ? "{" : ",{";
  state.values += members;
  state.values += '}';
}

}  // namespace orch::protocol
