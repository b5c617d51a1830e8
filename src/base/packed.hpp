// Text made small (Zstandard frames) and back. Knows nothing of what stands in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace orch {

// As any program for .zst files reads it.
std::string pack(std::string_view text);

// Errors: not what pack() makes, cut short, or more than MOST bytes; never more memory than that is used.
Result<std::string> unpack(std::string_view packed, std::size_t most);

}  // namespace orch
