// Headers of requests as users write them: a name, and a value that may name environment variables,
// "$NAME", which hold its secrets; "$$" is a dollar sign. Sends nothing.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace orch {

// The variables that VALUE names, in order. The error says what is wrong with the name or the
// value, and does not repeat the value.
Result<std::vector<std::string>> header_variables(std::string_view name, std::string_view value);

// "NAME: VALUE" with the values of its variables. Fails where one is not set, or has a control
// character.
Result<std::string> header_line(std::string_view name, std::string_view value,
                                const std::map<std::string, std::string>& environment);

// "x-api-key or x-tenant": the names in LINES, "NAME: VALUE" each, for messages.
std::string header_names(const std::vector<std::string>& lines);

}  // namespace orch
