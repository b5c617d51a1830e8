#include "bench/protocol/triton_answer_fields.hpp"

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

namespace {

// The new ids among TOTAL ids of prompt and answer. If the length of the prompt is unknown, the
// first event is taken to have one id of the answer.
IdRange new_ids(std::int64_t total, const AnswerState& state) {
  const std::int64_t before = state.prompt_ids.value_or(total - 1) + state.id_count;
  return {std::min(before, total), total};
}

}  // namespace

IdRange ids_to_keep(std::int64_t count, const std::optional<Lengths>& lengths, EventIds of,
                    const AnswerState& state) {
  if (of == EventIds::whole) return {};
  if (lengths && lengths->sequences == 1) count = std::min(count, lengths->sum);
  return of == EventIds::so_far ? new_ids(count, state) : IdRange{0, count};
}

EventKind take_ids(std::int64_t count, const std::optional<Lengths>& lengths, EventIds of,
                   bool stream, AnswerState& state) {
  if (lengths) count = std::min(count, lengths->sum);
  if (of == EventIds::so_far) {
    const IdRange added = new_ids(count, state);
    if (!state.prompt_ids) state.prompt_ids = added.first;
    count = added.end - added.first;
  }
  if (count == 0) return EventKind::other;
  if (of == EventIds::whole) return EventKind::token;
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
