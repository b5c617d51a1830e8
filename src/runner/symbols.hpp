// Which {symbols} a manifest may write and where. Knows nothing of their values.
#pragma once

#include "base/result.hpp"

#include <string_view>

namespace orch::runner {

struct Manifest;

// Does {NAME} mean something of ours in some stage, so that no parameter can be called that?
bool is_built_in_symbol(std::string_view name);

// Every symbol of every string of MANIFEST must be one that can be filled there: a parameter that the stage reads, a
// needed stage, a declared port, ... Errors are appended, with the nearest known symbol.
void check_symbols(const Manifest& manifest, Errors& errors);

}  // namespace orch::runner
