// How many tokens the first events of answers carried, where servers tell only how many an answer
// has in all. It knows no protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "measure/request_record.hpp"

namespace orch::measure {

// Of a load's RECORDS, TOKENS_PER_EVENT as asked for (see --tokens-per-event; more than 1 is
// believed). Where every streamed answer has one whole number k of tokens for each of its events,
// and not all have as many events, so had the first event: answers that began with one token and
// went on by another number would not all come to k. (Of one length they may: 64 tokens as 1, 10,
// 10, 10, 10, 10, 10 and 3 are 8 an event.) It then becomes first_event_tokens. Says what a reader
// of per-token figures should know; empty where every event brought a token, or its server told of
// each. Requests for several answers are left as they are: an event of theirs may be of several.
std::optional<std::string> settle_first_events(std::span<RequestRecord> records,
                                               std::int64_t tokens_per_event);

}  // namespace orch::measure
