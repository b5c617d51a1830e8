#include "app/init/first_values.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <cmath>

namespace orch::session {

std::string yaml_quote(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string yaml_value(matrix::Type type, const std::string& value) {
  const bool bare =
      !value.empty() && (is_letter(value.front()) || type != matrix::Type::text) &&
      std::ranges::all_of(value, [](char c) {
        return is_letter_or_digit(c) || std::string_view("._-/+").find(c) != std::string_view::npos;
      });
  static const std::vector<std::string> k_words = {"true", "false", "yes", "no", "on",
                                                   "off",  "null",  "y",   "n"};
  const bool is_word = std::ranges::find(k_words, lower(value)) != k_words.end();
  return bare && (type != matrix::Type::text || !is_word) ? value : yaml_quote(value);
}

std::string first_value(const matrix::Parameter& parameter) {
  if (parameter.declared.fallback) return parameter.declared.fallback->text;
  if (!parameter.allowed.empty()) return parameter.allowed.front();
  switch (parameter.type) {
    case matrix::Type::integer:
    case matrix::Type::real: {
      const double least = std::max(1.0, parameter.least.value_or(1)),
                   number = std::min(least, parameter.most.value_or(least));
      return number == std::trunc(number)
                 ? fmt::format("{:.{}f}", number, parameter.type == matrix::Type::real ? 1 : 0)
                 : fmt::format("{}", number);
    }
    case matrix::Type::boolean: return "false";
    case matrix::Type::version: return "1.0";
    case matrix::Type::text: return "VALUE";
  }
  return "";
}

bool takes_generated(const matrix::Parameter& model) {
  return model.help.find("generate:") != std::string::npos;
}

}  // namespace orch::session
