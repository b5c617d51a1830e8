// Which {symbols} a manifest may write and where. Knows nothing of their values.
#pragma once

#include "base/result.hpp"

namespace orch::runner {

struct Manifest;

// Every symbol of every string of MANIFEST must be one that can be filled there: a parameter that the stage reads, a
// needed stage, a declared port, ... Errors are appended, with the nearest known symbol.
void check_symbols(const Manifest& manifest, Errors& errors);

}  // namespace orch::runner
