#include "core/base/header.hpp"

#include "core/base/text.hpp"

#include <algorithm>

namespace orch {
namespace {

// Requests have these by their protocol.
constexpr std::string_view k_reserved[] = {
    "host", "content-length",    "content-type", "connection",
    "te",   "transfer-encoding", "user-agent"};

bool is_name(std::string_view name) {
  constexpr std::string_view k_marks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return is_letter_or_digit(c) || k_marks.find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view value) {
  return std::ranges::all_of(value, [](unsigned char c) { return c >= ' ' && c != 127; });
}

bool is_of_variable(char c) { return is_letter_or_digit(c) || c == '_'; }

// Calls TAKE(text, is_variable) for each stretch of VALUE. False: a '$' without a name behind it.
template <class Take> bool walk(std::string_view value, Take take) {
  while (!value.empty()) {
    const std::size_t from = std::min(value.find('$'), value.size());
    if (from > 0) take(value.substr(0, from), false);
    value.remove_prefix(from);
    if (value.empty()) break;
    value.remove_prefix(1);
    if (value.starts_with('$')) {
      take(value.substr(0, 1), false);
      value.remove_prefix(1);
      continue;
    }
    const auto end = std::ranges::find_if_not(value, is_of_variable);
    const std::string_view name = value.substr(0, static_cast<std::size_t>(end - value.begin()));
    if (name.empty() || is_digit(name[0])) return false;
    take(name, true);
    value.remove_prefix(name.size());
  }
  return true;
}

}  // namespace

Result<std::vector<std::string>> header_variables(std::string_view name, std::string_view value) {
  const auto wrong = [&](std::string_view what) {
    return invalid(fmt::format("header '{}' {}", printable(name), what));
  };
  if (!is_name(name)) return wrong("is no name of a header; write NAME: VALUE");
  const std::string plain = lower(name);
  if (plain == "authorization")
    return wrong("is that of a token, which has an option of its own: name the variable with it");
  if (std::ranges::find(k_reserved, plain) != std::end(k_reserved))
    return wrong("is set by the request itself; leave it out");
  if (value.empty() || !is_value(value))
    return wrong("has no value, or one with a control character; write it as one line");
  std::vector<std::string> names;
  if (!walk(value, [&](std::string_view text, bool variable) {
        if (variable) names.emplace_back(text);
      }))
    return wrong(
        "has a '$' without the name of a variable; write $NAME, or $$ for the sign itself");
  return names;
}

Result<std::string> header_line(std::string_view name, std::string_view value,
                                const std::map<std::string, std::string>& environment) {
  ORCH_ASSIGN(const std::vector<std::string> names, header_variables(name, value));
  for (const std::string& variable : names)
    if (!environment.contains(variable))
      return invalid(fmt::format("header '{}' names the variable {}, which is not set; export it",
                                 name, variable));
  std::string line = fmt::format("{}: ", name);
  walk(value, [&](std::string_view text, bool variable) {
    line += variable ? environment.at(std::string(text)) : std::string(text);
  });
  line = std::string(trim(line));
  if (!is_value(line))
    return invalid(
        fmt::format("header '{}' gets a control character from a variable; write one line", name));
  return line;
}

std::string header_names(const std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const std::string& line : lines) names.push_back(line.substr(0, line.find(':')));
  return join(names, " or ");
}

}  // namespace orch
