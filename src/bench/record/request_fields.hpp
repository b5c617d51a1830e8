// The fields of a request in requests.jsonl and in the table `request` of results.db. A new field
// needs a member of measure::RequestRecord, a row here and a column in a migration; the writer, the
// reader, the INSERT and the SELECT follow from the row.
#pragma once

#include "bench/measure/request_record.hpp"
#include "core/base/fields.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

namespace orch::record {

namespace request_field {

using measure::RequestRecord;
using measure::ServerTimes;

constexpr Group k_server_times = {.key = "server_times", .optional = true};

inline Value first_ns(const RequestRecord& record) {
  return record.has_events() ? Value(record.first_ns()) : Value();
}
inline bool set_first_ns(RequestRecord& record, const Value& value) {
  record.event_ns.clear();
  const auto* ns = std::get_if<std::int64_t>(&value);
  if (ns) record.event_ns = {*ns};
  return ns != nullptr;
}

inline Value last_ns(const RequestRecord& record) {
  return record.has_events() ? Value(record.last_ns()) : Value();
}
// Set after first_ns. If the gaps of an answer were not kept, only its first and last stamps are
// known.
inline bool set_last_ns(RequestRecord& record, const Value& value) {
  const auto* ns = std::get_if<std::int64_t>(&value);
  if (ns && record.has_events() && *ns > record.first_ns()) record.event_ns.push_back(*ns);
  return ns != nullptr;
}

inline Value gaps(const RequestRecord& record) {
  Gaps gaps;
  for (std::size_t i = 1; i < record.event_ns.size(); ++i)
    gaps.push_back(static_cast<std::uint64_t>(record.event_ns[i] - record.event_ns[i - 1]));
  return gaps;
}
// Set after first_ns and last_ns.
inline bool set_gaps(RequestRecord& record, const Value& value) {
  const auto* gaps = std::get_if<Gaps>(&value);
  if (!gaps || gaps->empty() || !record.has_events()) return gaps != nullptr;
  record.event_ns.resize(1);
  record.event_ns.reserve(gaps->size() + 1);
  for (const std::uint64_t gap : *gaps)
    record.event_ns.push_back(record.event_ns.back() + static_cast<std::int64_t>(gap));
  return true;
}

// Set after sent_ns, which replaces a missing end.
inline bool set_end_ns(RequestRecord& record, const Value& value) {
  record.end_ns = record.sent_ns;
  return assign(record.end_ns, value);
}

inline bool set_sequences(RequestRecord& record, const Value& value) {
  const bool known = assign(record.sequences, value);
  record.sequences = std::max<std::int64_t>(1, record.sequences);
  return known;
}

inline Value error(const RequestRecord& record) {
  return record.ok() ? Value() : Value(record.error);
}

// A record has all three times or none. The field of scheduled_ns precedes the others, because
// setting it creates `server_times`.
template <std::int64_t ServerTimes::*Time>
constexpr Field<RequestRecord> server_time(std::string_view key) {
  return {.key = key,
          .column = key,
          .type = FieldType::integer,
          .get =
              [](const RequestRecord& record) {
                return record.server_times ? Value((*record.server_times).*Time) : Value();
              },
          .set =
              [](RequestRecord& record, const Value& value) {
                if (Time == &ServerTimes::scheduled_ns && !is_absent(value))
                  record.server_times.emplace();
                return record.server_times && assign((*record.server_times).*Time, value);
              },
          .group = k_server_times};
}

}  // namespace request_field

// In the order of a line's keys, after `measurement`. A request is filled in this order.
inline constexpr auto k_request_fields = [] {
  using namespace request_field;
  using enum FieldType;
  return std::array{
      field<&RequestRecord::index>("index", "idx"),
      field<&RequestRecord::warmup>("warmup"),
      field<&RequestRecord::block>("block"),
      field<&RequestRecord::due_ns>("due_ns"),
      field<&RequestRecord::sent_ns>("sent_ns"),
      Field<RequestRecord>{"first_ns", "first_ns", integer, first_ns, set_first_ns},
      Field<RequestRecord>{"last_ns", "last_ns", integer, last_ns, set_last_ns},
      Field<RequestRecord>{"end_ns", "end_ns", integer, field<&RequestRecord::end_ns>("end_ns").get,
                           set_end_ns},
      field<&RequestRecord::server>("server"),
      field<&RequestRecord::isl>("isl"),
      field<&RequestRecord::isl_reported>("isl_reported"),
      field<&RequestRecord::isl_cached>("isl_cached"),
      field<&RequestRecord::osl_requested>("osl_requested"),
      field<&RequestRecord::osl_counted>("osl_counted"),
      field<&RequestRecord::osl_reported>("osl_reported"),
      Field<RequestRecord>{"gaps_ns", "gaps", FieldType::gaps, request_field::gaps, set_gaps},
      field<&RequestRecord::coalesced>("coalesced"),
      field<&RequestRecord::first_reasoning_ns>("first_reasoning_ns"),
      field<&RequestRecord::first_visible_ns>("first_visible_ns"),
      field<&RequestRecord::first_event_tokens>("first_event_tokens"),
      Field<RequestRecord>{"sequences", "sequences", integer,
                           field<&RequestRecord::sequences>("sequences").get, set_sequences},
      field<&RequestRecord::stopped>("stopped"),
      server_time<&ServerTimes::scheduled_ns>("scheduled_ns"),
      server_time<&ServerTimes::first_token_ns>("first_token_ns"),
      server_time<&ServerTimes::last_token_ns>("last_token_ns"),
      field<&RequestRecord::status>("status"),
      Field<RequestRecord>{"error", "error", text, error,
                           field<&RequestRecord::error>("error").set},
  };
}();

using RequestValues = std::array<Value, k_request_fields.size()>;

// The request described by VALUES, which are in the order of the table. An absent field keeps its
// default.
measure::RequestRecord request_of(const RequestValues& values);

}  // namespace orch::record
