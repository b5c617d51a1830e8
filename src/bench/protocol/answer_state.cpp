#include "bench/protocol/answer_state.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.hpp"

namespace orch::protocol {

std::string& AnswerState::text_of(std::int64_t index) {
  const std::size_t slot = slot_of(index);
  if (slot == 0) return text;
  if (further_texts.size() < slot) further_texts.resize(slot);
  return further_texts[slot - 1];
}

void AnswerState::end_sequence(std::int64_t index) {
  const std::size_t slot = slot_of(index);
  if (ended.size() <= slot) ended.resize(slot + 1);
  ended[slot] = true;
}

bool AnswerState::all_ended() const {
  return ended.size() == further_texts.size() + 1 && std::ranges::find(ended, false) == ended.end();
}

void AnswerState::set_osl(std::int64_t index, std::int64_t tokens) {
  const std::size_t slot = slot_of(index);
  if (osl_by_sequence.size() <= slot) osl_by_sequence.resize(slot + 1);
  osl_by_sequence[slot] = tokens;
  osl = std::accumulate(osl_by_sequence.begin(), osl_by_sequence.end(), std::int64_t{0});
}

std::string AnswerState::answer() const& {
  std::string out = text;
  for (const std::string& further : further_texts) out.append("\n").append(further);
  return out;
}

std::string AnswerState::answer() && {
  for (const std::string& further : further_texts) text.append("\n").append(further);
  return std::move(text);
}

std::optional<std::int64_t> AnswerState::parse_count(std::string_view raw) {
  const std::optional<double> number = to_real(raw);
  if (number && *number >= 0 && *number <= static_cast<double>(k_most_tokens) &&
      *number == std::floor(*number))
    return static_cast<std::int64_t>(*number);
  constexpr std::size_t k_shown = 40;
  if (invalid_count.empty()) invalid_count = raw.substr(0, k_shown);
  return {};
}

std::optional<std::int64_t> AnswerState::parse_count(std::int64_t number) {
  if (number >= 0 && number <= k_most_tokens) return number;
  if (invalid_count.empty()) invalid_count = fmt::format("{}", number);
  return {};
}

}  // namespace orch::protocol
