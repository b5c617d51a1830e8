#include "bench/load/token_counting.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace orch::load {

namespace {

// How much text is counted at once.
constexpr std::size_t k_most_bytes = std::size_t{64} << 20;
// How many answers tell whether a count is right.
constexpr std::size_t k_sample = 50;

bool has_one_answer(const measure::RequestRecord& record) {
  return record.ok() && record.sequences == 1 && (!record.answer.empty() || record.spooled);
}

// The answers of some requests, counted together.
class TextBatch {
 public:
  explicit TextBatch(const BenchOptions& options) : options_(options) {}

  bool is_full() const { return bytes_ >= k_most_bytes; }
  std::size_t size() const { return texts_.size(); }

  Status add(const measure::RequestRecord& record) {
    ORCH_ASSIGN(record::KeptAnswer answer, record::answer_of(record, options_.answers));
    bytes_ += answer.text.size();
    texts_.push_back(std::move(answer.text));
    return {};
  }

  // Forgets the texts.
  Result<std::vector<std::int64_t>> count() {
    const std::vector<std::string> texts = std::exchange(texts_, {});
    bytes_ = 0;
    return options_.count_texts(std::vector<std::string_view>(texts.begin(), texts.end()));
  }

 private:
  const BenchOptions& options_;
  std::vector<std::string> texts_;
  std::size_t bytes_ = 0;
};

Status count_together(TextBatch& texts, std::vector<measure::RequestRecord*>& uncounted) {
  if (uncounted.empty()) return {};
  ORCH_ASSIGN(const std::vector<std::int64_t> counted, texts.count());
  for (std::size_t i = 0; i < uncounted.size(); ++i) {
    uncounted[i]->osl_counted = counted[i];
    uncounted[i]->counted_by = measure::CountedBy::text;
  }
  uncounted.clear();
  return {};
}

bool is_uncounted(const measure::RequestRecord& record) {
  return has_one_answer(record) && !record.osl_counted;
}

Status count_all(const BenchOptions& options, std::vector<measure::RequestRecord>& records) {
  TextBatch texts(options);
  std::vector<measure::RequestRecord*> uncounted;
  for (measure::RequestRecord& record : records) {
    if (!is_uncounted(record)) continue;
    ORCH_TRY(texts.add(record));
    uncounted.push_back(&record);
    if (texts.is_full()) ORCH_TRY(count_together(texts, uncounted));
  }
  return count_together(texts, uncounted);
}

// What some answers were counted as, and the tokens of their texts.
struct TextSample {
  std::size_t answers = 0;
  std::int64_t events = 0, counted = 0, tokens = 0;
};

// Of the first of ANSWERS; empty where there is none, or the texts cannot be counted.
std::optional<TextSample> text_sample(const BenchOptions& options,
                                      const std::vector<const measure::RequestRecord*>& answers) {
  TextBatch texts(options);
  TextSample sample;
  for (const measure::RequestRecord* record : answers) {
    if (texts.size() == k_sample || texts.is_full()) break;
    if (!texts.add(*record).ok()) return {};
    sample.events += std::ssize(record->event_ns);
    sample.counted += record->osl_counted.value_or(0);
  }
  sample.answers = texts.size();
  if (sample.answers == 0) return {};
  const auto tokens = texts.count();
  if (!tokens) return {};
  sample.tokens = std::accumulate(tokens->begin(), tokens->end(), std::int64_t{0});
  return sample;
}

}  // namespace

void count_answer_texts(const BenchOptions& options, const Progress& progress,
                        std::vector<measure::RequestRecord>& records,
                        std::vector<std::string>& warnings) {
  if (!options.count_texts || !options.keep_answers) return;
  const auto answers = std::ranges::count_if(records, is_uncounted);
  if (answers == 0) return;
  if (progress.line) progress.line(fmt::format("counting the tokens of {} answers", answers));
  if (const Status counted = count_all(options, records); !counted.ok())
    warnings.push_back(fmt::format("the tokens of {} answers are not counted: {}",
                                   std::ranges::count_if(records, is_uncounted),
                                   counted.error().message));
}

namespace {

// Answers in fewer events than the tokens they were forced to have: events that carry several
// tokens, or a server that stopped at a limit of its own. Their texts tell the two apart.
std::vector<measure::RequestRecord*> forced_in_fewer_events(
    std::vector<measure::RequestRecord>& records) {
  std::vector<measure::RequestRecord*> found;
  for (measure::RequestRecord& record : records) {
    if (!has_one_answer(record) || record.counted_by != measure::CountedBy::forced ||
        !record.streamed)
      continue;
    if (std::ssize(record.event_ns) < record.osl_counted.value_or(0)) found.push_back(&record);
  }
  return found;
}

}  // namespace

void check_forced_counts(const BenchOptions& options, std::vector<measure::RequestRecord>& records,
                         std::vector<std::string>& warnings) {
  if (!options.count_texts || !options.keep_answers) return;
  const auto found = forced_in_fewer_events(records);
  const auto sample = text_sample(options, {found.begin(), found.end()});
  if (!sample) return;
  const auto& [answers, events, forced, by_text] = *sample;
  if (std::abs(by_text - forced) <= std::abs(by_text - events)) return;
  for (measure::RequestRecord* record : found) {
    record->osl_counted = std::ssize(record->event_ns);
    record->counted_by = measure::CountedBy::events;
  }
  warnings.push_back(fmt::format(
      "{} answers say that they reached their length, and the texts of {} have {} tokens where {} "
      "were asked for: the server has a limit of its own, and events are counted",
      found.size(), answers, by_text, forced));
}

void check_event_counts(const BenchOptions& options, bool forced_osl,
                        std::span<const measure::RequestRecord> records,
                        std::vector<std::string>& warnings) {
  if (!options.count_texts || !options.keep_answers || forced_osl) return;
  constexpr double k_tolerance = 1.1;
  std::vector<const measure::RequestRecord*> by_event;
  for (const measure::RequestRecord& record : records)
    if (has_one_answer(record) && record.counted_by == measure::CountedBy::events)
      by_event.push_back(&record);
  const auto sample = text_sample(options, by_event);
  if (!sample) return;
  const auto& [answers, events, by_events, by_text] = *sample;
  if (static_cast<double>(by_text) <= k_tolerance * static_cast<double>(by_events)) return;
  warnings.push_back(fmt::format(
      "{} answers contain {} tokens by event count, {} after retokenisation: an event may carry "
      "several tokens; give their number with --tokens-per-event N, or 0 to count the texts",
      answers, by_events, by_text));
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
    if (std::ranges::none_of(records, [by = by](const auto& record) {
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
  if (!std::ranges::all_of(records, [](const auto& record) { return record.isl.has_value(); }))
    return "not counted";
  if (sent_ids) return "ids";
  return has_tokenizer ? "tokenizer" : "as the prompts say";
}

}  // namespace orch::load
