// JSON as text, whatever bytes stand in its strings: text from outside may not be UTF-8, JSON must be. For any type of
// nlohmann's, whose header stays in the .cpp files.
#pragma once

#include <string>

namespace orch {

// INDENT as nlohmann's: -1 is one line.
template <class Json>
std::string dump(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace orch
