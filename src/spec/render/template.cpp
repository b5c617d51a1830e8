#include "spec/render/template.hpp"

#include "core/base/text.hpp"

#include <set>

namespace orch::render {

namespace {

bool is_name(std::string_view text) {
  if (text.empty() || is_digit(text[0])) return false;
  return std::ranges::all_of(text, [](char c) { return c == '_' || is_letter_or_digit(c); });
}

Location location_at(std::string_view text, const std::string& file, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n');
  const auto line_start = before.rfind('\n');
  const auto column = line_start == std::string_view::npos ? offset : offset - line_start - 1;
  return {file, static_cast<int>(line) + 1, static_cast<int>(column) + 1};
}

std::vector<std::string> names_of(const std::map<std::string, std::string>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

}  // namespace

std::string fill(std::string_view text, const std::string& file,
                 const std::map<std::string, std::string>& values, Errors& errors) {
  std::string out;
  out.reserve(text.size());
  std::set<std::string, std::less<>> used;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '$' || i + 1 == text.size() || (text[i + 1] != '{' && text[i + 1] != '$')) {
      out += text[i++];
      continue;
    }
    if (text[i + 1] == '$') {
      out += '$';
      i += 2;
      continue;
    }
    const std::size_t end = text.find('}', i);
    const std::string_view name =
        end == std::string_view::npos ? std::string_view() : text.substr(i + 2, end - i - 2);
    if (!is_name(name)) {
      errors.push_back(invalid(
          "'${' does not start a placeholder ${name}; write $${ for the characters themselves",
          location_at(text, file, i)));
      out += text[i++];
      continue;
    }
    const auto value = values.find(std::string(name));
    if (value == values.end())
      errors.push_back(invalid(fmt::format("no value for the placeholder ${{{}}}{}", name,
                                           did_you_mean(name, names_of(values))),
                               location_at(text, file, i)));
    else out += value->second;
    used.insert(std::string(name));
    i = end + 1;
  }
  for (const auto& [name, value] : values)
    if (!used.contains(name))
      errors.push_back(invalid(fmt::format("the template has no placeholder ${{{}}} for the value "
                                           "'{}'; remove the value or correct its name",
                                           name, value),
                               {file, 0, 0}));
  return out;
}

}  // namespace orch::render
