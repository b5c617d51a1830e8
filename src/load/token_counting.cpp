#include "load/token_counting.hpp"

#include <algorithm>
#include <numeric>

namespace orch::load {

void count_answer_texts(const BenchOptions& options, const Progress& progress,
                        std::vector<measure::RequestRecord>& records,
                        std::vector<std::string>& warnings) {
  if (!options.count_texts || !options.keep_answers) return;
  std::vector<measure::RequestRecord*> uncounted;
  std::vector<std::string_view> texts;
  for (measure::RequestRecord& record : records) {
    if (!record.ok() || record.osl_counted || record.answer.empty() || record.sequences != 1)
      continue;
    uncounted.push_back(&record);
    texts.push_back(record.answer);
  }
  if (texts.empty()) return;
  if (progress.line) progress.line(fmt::format("counting the tokens of {} answers", texts.size()));
  const auto counted = options.count_texts(texts);
  if (!counted)
    return warnings.push_back(fmt::format("the tokens of {} answers are not counted: {}",
                                          texts.size(), counted.error().message));
  for (std::size_t i = 0; i < uncounted.size(); ++i) {
    uncounted[i]->osl_counted = (*counted)[i];
    uncounted[i]->counted_by = measure::CountedBy::text;
  }
}

void check_event_counts(const BenchOptions& options, bool forced_osl,
                        std::span<const measure::RequestRecord> records,
                        std::vector<std::string>& warnings) {
  if (!options.count_texts || !options.keep_answers || forced_osl) return;
  constexpr std::size_t k_sample = 50;
  constexpr double k_tolerance = 1.1;
  std::vector<std::string_view> texts;
  std::int64_t by_events = 0;
  for (const measure::RequestRecord& record : records) {
    if (texts.size() == k_sample) break;
    if (!record.ok() || record.counted_by != measure::CountedBy::events || record.answer.empty() ||
        record.sequences != 1)
      continue;
    texts.push_back(record.answer);
    by_events += record.osl_counted.value_or(0);
  }
  if (texts.empty()) return;
  const auto counted = options.count_texts(texts);
  if (!counted) return;
  const std::int64_t by_text = std::accumulate(counted->begin(), counted->end(), std::int64_t{0});
  if (static_cast<double>(by_text) <= k_tolerance * static_cast<double>(by_events)) return;
  warnings.push_back(fmt::format(
      "{} answers contain {} tokens by event count, {} after retokenisation: an event may carry "
      "several tokens; give their number with --tokens-per-event N, or 0 to count the texts",
      texts.size(), by_events, by_text));
}

std::string osl_sources(std::span<const measure::RequestRecord> records,
                        std::int64_t tokens_per_event) {
  const std::pair<measure::CountedBy, std::string> names[] = {
      {measure::CountedBy::ids, "ids"},
      {measure::CountedBy::usage, "usage"},
      {measure::CountedBy::events, tokens_per_event == 1
                                       ? "events (one token each)"
                                       : fmt::format("events ({} tokens each)", tokens_per_event)},
      {measure::CountedBy::forced, "forced length"},
      {measure::CountedBy::text, "retokenised text (inexact)"},
      {measure::CountedBy::nothing, "not counted"}};
  std::string out;
  for (const auto& [by, name] : names) {
    if (std::none_of(records.begin(), records.end(), [by = by](const auto& record) {
          return record.ok() && record.has_events() && record.counted_by == by;
        }))
      continue;
    const bool reported = out == "usage" || out == "ids";
    out += out.empty()
               ? name
               : fmt::format("{}, else {}", reported ? " where the server gave it" : "", name);
  }
  return out.empty() ? "not counted" : out;
}

std::string isl_source(std::span<const measure::RequestRecord> records, bool sent_ids,
                       bool has_tokenizer) {
  if (!std::all_of(records.begin(), records.end(),
                   [](const auto& record) { return record.isl.has_value(); }))
    return "not counted";
  if (sent_ids) return "ids";
  return has_tokenizer ? "tokenizer" : "as the prompts say";
}

}  // namespace orch::load
