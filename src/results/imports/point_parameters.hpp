// Sets the parameters of the point that a file describes. A value that is absent sets nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "results/imports/json_node.hpp"
#include "results/imports/tool_reading.hpp"

namespace orch::imports {

void set_text(Reading& reading, std::string_view name, const std::optional<std::string>& value);
void set_integer(Reading& reading, std::string_view name, std::optional<std::int64_t> value);
void set_real(Reading& reading, std::string_view name, std::optional<double> value);
void set_flag(Reading& reading, std::string_view name, std::optional<bool> value);

// The parameter that a scalar is, by its type; nothing for a list, an object or null.
void set_node(Reading& reading, std::string_view name, const Node& node);

// A rate as tools write it: a number, or "inf" for all requests at once, which is no rate.
void set_request_rate(Reading& reading, const Node& node);

// The smallest and the largest number of requests, tokens or users that a file may state.
inline constexpr std::int64_t k_most_of_anything = 1'000'000'000'000;

}  // namespace orch::imports
