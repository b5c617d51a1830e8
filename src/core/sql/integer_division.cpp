#include "core/sql/integer_division.hpp"

#include "core/base/text.hpp"

namespace orch::sql {

namespace {

std::string without_zero_fractions(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool behind_digit = text[i] == '.' && i > 0 && is_digit(text[i - 1]);
    const bool fraction = behind_digit && text.substr(i + 1, 1) == "0" &&
                          (i + 2 == text.size() || !is_digit(text[i + 2]));
    if (fraction) ++i;
    else out += text[i];
  }
  return out;
}

std::optional<double> number(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

}  // namespace

bool same_but_for_type(const Cell& as_written, const Cell& as_real) {
  const auto a = number(as_written);
  const auto b = number(as_real);
  if (a && b) return *a == *b;
  const auto* text_a = std::get_if<std::string>(&as_written);
  const auto* text_b = std::get_if<std::string>(&as_real);
  if (text_a && text_b) return without_zero_fractions(*text_a) == without_zero_fractions(*text_b);
  return as_written == as_real;
}

}  // namespace orch::sql
