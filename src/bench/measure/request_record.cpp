#include "bench/measure/request_record.hpp"

#include <limits>

namespace orch::measure {

namespace {

bool streamed_well(const RequestRecord& record) {
  return record.ok() && record.streamed && record.has_events() && record.sequences == 1;
}

bool has_reported_total(const RequestRecord& record) {
  return record.osl_counted && !record.first_event_told &&
         (record.counted_by == CountedBy::usage || record.counted_by == CountedBy::forced);
}

// 0 if the number is unknown, below 2 or not an integer.
std::int64_t tokens_of_each_event(const RequestRecord& record) {
  const std::int64_t events = std::ssize(record.event_ns);
  if (!has_reported_total(record) || *record.osl_counted < 2 * events ||
      *record.osl_counted % events != 0)
    return 0;
  return *record.osl_counted / events;
}

// The end token may arrive without an event.
bool has_more_tokens_than_events(const RequestRecord& record) {
  return has_reported_total(record) && *record.osl_counted > std::ssize(record.event_ns) + 1;
}

}  // namespace

std::optional<std::string> settle_first_events(std::span<RequestRecord> records,
                                               std::int64_t tokens_per_event) {
  if (tokens_per_event > 1) return {};
  std::int64_t shared = 0;  // tokens per event; -1 if the answers differ
  std::int64_t answers = 0;
  std::int64_t more = 0;
  std::size_t fewest_events = std::numeric_limits<std::size_t>::max();
  std::size_t most_events = 0;
  for (const RequestRecord& record : records) {
    if (!streamed_well(record)) continue;
    const std::int64_t of_this = tokens_of_each_event(record);
    shared = of_this == 0 || (answers > 0 && shared != of_this) ? -1 : of_this;
    ++answers;
    fewest_events = std::min(fewest_events, record.event_ns.size());
    most_events = std::max(most_events, record.event_ns.size());
    more += has_more_tokens_than_events(record);
  }
  if (shared > 1 && fewest_events < most_events) {
    for (RequestRecord& record : records)
      if (streamed_well(record)) record.first_event_tokens = shared;
    return fmt::format(
        "all answers have {} tokens per event: the same number is assumed for their first events",
        shared);
  }
  if (more == 0) return {};
  return fmt::format(
      "{} of {} streamed answers have more tokens than events: itl_ms and tpot_ms assume one token "
      "in the first event, and are too small if it carried more; if every event carries N tokens, "
      "give --tokens-per-event N",
      more, answers);
}

}  // namespace orch::measure
