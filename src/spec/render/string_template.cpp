#include "spec/render/string_template.hpp"

#include "core/base/text.hpp"

namespace orch::render {

namespace {

bool is_first(char c) { return c == '_' || is_letter(c); }
bool continues_name(char c) { return c == '_' || is_letter_or_digit(c); }

std::size_t name_end(std::string_view text, std::size_t start) {
  if (start >= text.size() || !is_first(text[start])) return start;
  std::size_t end = start + 1;
  while (end < text.size() && continues_name(text[end])) ++end;
  return end;
}

// The placeholder whose '$' is TEXT[offset]; size 0 without one.
Placeholder placeholder_at(std::string_view text, std::size_t offset) {
  const bool braced = offset + 1 < text.size() && text[offset + 1] == '{';
  const std::size_t start = offset + (braced ? 2 : 1);
  const std::size_t end = name_end(text, start);
  if (end == start || (braced && (end == text.size() || text[end] != '}'))) return {};
  return {.name = std::string(text.substr(start, end - start)),
          .offset = offset,
          .size = end + (braced ? 1 : 0) - offset};
}

}  // namespace

bool is_placeholder_name(std::string_view text) {
  return !text.empty() && name_end(text, 0) == text.size();
}

std::string substitute(std::string_view text, const PlaceholderLookup& lookup) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t dollar = std::min(text.find('$', i), text.size());
    out += text.substr(i, dollar - i);
    i = dollar;
    if (i == text.size()) break;
    if (const Placeholder placeholder = placeholder_at(text, i); placeholder.size) {
      const auto value = lookup(placeholder);
      out += value ? std::string_view(*value) : text.substr(i, placeholder.size);
      i += placeholder.size;
    } else {
      out += '$';
      i += text.substr(i).starts_with("$$") ? 2 : 1;
    }
  }
  return out;
}

std::vector<Placeholder> find_placeholders(std::string_view text) {
  std::vector<Placeholder> found;
  substitute(text, [&](const Placeholder& placeholder) {
    found.push_back(placeholder);
    return std::nullopt;
  });
  return found;
}

}  // namespace orch::render
