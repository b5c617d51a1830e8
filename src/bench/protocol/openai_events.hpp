// Parses the events and bodies of OpenAI completions and chat completions.
#pragma once

#include "bench/protocol/protocol.hpp"

#include <string>
#include <string_view>

namespace orch::protocol {

// One event of a stream: a chunk, an error, or [DONE].
EventKind read_openai_chunk(std::string_view event, AnswerState& state);
// An answer in a single body.
EventKind read_openai_body(std::string_view body, AnswerState& state);
// The message of an error in any known form; "" if there is none.
std::string read_openai_error(std::string_view body);

}  // namespace orch::protocol
