#include "results/imports/text_lines.hpp"

#include <algorithm>

#include "core/base/text.hpp"

namespace orch::imports {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

bool is_json(std::string_view text) {
  text = trim(text.substr(0, 64));
  return text.starts_with('{') || text.starts_with('[');
}

bool has_key(std::string_view text, std::string_view key) {
  const std::string quoted_key = "\"" + std::string(key) + "\"";
  for (auto at = text.find(quoted_key); at != std::string_view::npos;
       at = text.find(quoted_key, at + 1)) {
    const auto next = text.find_first_not_of(" \t\r\n", at + quoted_key.size());
    if (next != std::string_view::npos && text[next] == ':') return true;
  }
  return false;
}

std::optional<double> number_after(std::string_view line, std::string_view words) {
  const auto found = line.find(words);
  if (found == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(found + words.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const auto is_part = [](char c) {
    return is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
  };
  const auto end = std::ranges::find_if_not(rest, is_part);
  return to_real(rest.substr(0, static_cast<std::size_t>(end - rest.begin())));
}

}  // namespace orch::imports
