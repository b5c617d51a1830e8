#include "bench/record/tool.hpp"

#include <algorithm>

#include "core/base/text.hpp"

namespace orch::record {

bool is_tool_name(std::string_view name) {
  static constexpr std::size_t k_longest = 64;
  const auto is_small = [](char c) { return is_lower(c) || is_digit(c); };
  return !name.empty() && name.size() <= k_longest && is_small(name[0]) &&
         std::ranges::all_of(
             name, [&](char c) { return is_small(c) || c == '.' || c == '_' || c == '-'; });
}

}  // namespace orch::record
