// Whether the warnings of a measurement say that something else used the machine or the server
// meanwhile. Knows no measurement.
#pragma once

#include <string_view>

namespace orch::report {

// WARNINGS: one or many, in any form.
bool tells_disturbance(std::string_view warnings);

// Whether they say that events of the stream came together, so that TTFT and ITL are those of what
// held it back.
bool tells_bursts(std::string_view warnings);

}  // namespace orch::report
