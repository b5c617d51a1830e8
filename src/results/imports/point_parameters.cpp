#include "results/imports/point_parameters.hpp"

#include <fmt/format.h>

#include "core/base/text.hpp"

namespace orch::imports {

namespace {

constexpr std::size_t k_longest_text = 1000;

void put(Reading& reading, std::string_view name, matrix::Type type, std::string text) {
  reading.parameters.insert_or_assign(std::string(name), matrix::Value{type, std::move(text)});
}

}  // namespace

void set_text(Reading& reading, std::string_view name, const std::optional<std::string>& value) {
  if (value && !value->empty())
    put(reading, name, matrix::Type::text, value->substr(0, k_longest_text));
}

void set_integer(Reading& reading, std::string_view name, std::optional<std::int64_t> value) {
  if (value) put(reading, name, matrix::Type::integer, std::to_string(*value));
}

void set_real(Reading& reading, std::string_view name, std::optional<double> value) {
  if (value) put(reading, name, matrix::Type::real, fmt::format("{}", *value));
}

void set_flag(Reading& reading, std::string_view name, std::optional<bool> value) {
  if (value) put(reading, name, matrix::Type::boolean, *value ? "true" : "false");
}

void set_node(Reading& reading, std::string_view name, const Node& node) {
  if (node.is_text()) return set_text(reading, name, node.text());
  if (node.is_flag()) return set_flag(reading, name, node.flag());
  if (node.is_number()) {
    const double value = *node.number();
    if (value == static_cast<double>(static_cast<std::int64_t>(value)))
      return set_integer(reading, name, static_cast<std::int64_t>(value));
    return set_real(reading, name, value);
  }
}

void set_request_rate(Reading& reading, const Node& node) {
  if (node.is_text()) {
    const std::string word = lower(*node.text());
    if (word == "inf" || word == "infinity") return set_flag(reading, "max", true);
    if (word == "trace") return;  // each request has a time of its own
    const auto rate = to_real(word);
    if (!rate || *rate <= 0) return node.refuse("a number of requests per second, or 'inf'");
    return set_real(reading, "request_rate", rate);
  }
  if (node.is_infinite()) return set_flag(reading, "max", true);
  const auto rate = node.number();
  if (rate && *rate <= 0) return node.refuse("a rate is more than 0");
  set_real(reading, "request_rate", rate);
}

}  // namespace orch::imports
