#include "bench/protocol/triton_protocol.hpp"

#include <charconv>

namespace orch::protocol {

namespace {

enum WireType { k_varint = 0, k_fixed64 = 1, k_bytes = 2, k_fixed32 = 5 };

}  // namespace

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
// first event is assumed to have one id of the answer.
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

bool ProtoFields::take_varint(std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < rest_.size() && i < 10; ++i) {
    const auto byte = static_cast<std::uint8_t>(rest_[i]);
    value |= std::uint64_t{byte & 0x7Fu} << (7 * i);
    if (byte < 0x80) {
      rest_.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool ProtoFields::take_bytes(std::uint64_t size) {
  if (size > rest_.size()) return false;
  bytes_ = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool ProtoFields::next() {
  if (rest_.empty() || broken_) return false;
  integer_ = 0;
  bytes_ = {};
  std::uint64_t tag = 0, size = 0;
  bool good = take_varint(tag) && tag >> 3 > 0 && tag >> 3 <= 0x1FFFFFFF;
  if (good) {
    switch (tag & 7) {
      case k_varint: good = take_varint(integer_); break;
      case k_bytes: good = take_varint(size) && take_bytes(size); break;
      case k_fixed64: good = take_bytes(8); break;
      case k_fixed32: good = take_bytes(4); break;
      default: good = false;
    }
  }
  number_ = static_cast<std::uint32_t>(tag >> 3);
  broken_ = !good;
  return good;
}

}  // namespace orch::protocol
