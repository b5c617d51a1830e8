// Reads and writes JSON that comes from outside: its bytes may not be UTF-8, and it may be nested
// without limit. Templates, because the header of nlohmann-json is included by .cpp files only.
#pragma once

#include <string>
#include <string_view>

namespace orch {

// INDENT as nlohmann-json takes it: -1 writes one line.
template <class Json> std::string dump(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template <class Json> struct Parsed {
  Json value;  // discarded: TEXT is not JSON, or is too deep
  bool too_deep = false;
};

// Rejects a TEXT that is nested deeper than DEPTH: copying, writing and comparing a value uses the
// stack as deep.
template <class Json> Parsed<Json> parse_shallow(std::string_view text, int depth) {
  bool too_deep = false;
  const auto shallow = [&too_deep, depth](int at, typename Json::parse_event_t, Json&) {
    too_deep = too_deep || at > depth;
    return !too_deep;
  };
  Json value = Json::parse(text, shallow, false);
  if (too_deep) value = Json(Json::value_t::discarded);
  return {.value = std::move(value), .too_deep = too_deep};
}

}  // namespace orch
