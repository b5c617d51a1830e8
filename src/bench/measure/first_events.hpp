// Infers how many tokens the first event of an answer carried, where the server reports only the
// number of tokens of the whole answer. Knows no protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bench/measure/request_record.hpp"

namespace orch::measure {

// Sets first_event_tokens in the RECORDS of one load. TOKENS_PER_EVENT is the user's statement (see
// --tokens-per-event); more than 1 is believed. Otherwise: if every streamed answer has k tokens
// per event, for one whole number k, and their numbers of events differ, then the first events
// carried k tokens too, because answers that begin with one token and continue with another number
// would not all come to k. (Answers of one length may: 64 tokens as 1, 10, 10, 10, 10, 10, 10 and 3
// are 8 per event.) Returns a warning for readers of per-token metrics; empty where every event
// carried one token or the server reported each count. Requests for several answers are skipped:
// one event may belong to several of them.
std::optional<std::string> settle_first_events(std::span<RequestRecord> records,
                                               std::int64_t tokens_per_event);

}  // namespace orch::measure
