// Words of other tools for what is named differently here: tensor_parallel_size for tp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orch {

// The word of KNOWN that means the same as WORD. Compares without case, and '-' equals '_'.
std::optional<std::string> synonym(std::string_view word, std::span<const std::string> known);

}  // namespace orch
