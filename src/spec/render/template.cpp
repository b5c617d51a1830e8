#include "spec/render/template.hpp"

#include "core/base/text.hpp"

#include <set>

namespace orch::render {

namespace {

Location location_at(std::string_view text, const std::string& file, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n');
  const auto line_start = before.rfind('\n');
  const auto column = line_start == std::string_view::npos ? offset : offset - line_start - 1;
  return {file, static_cast<int>(line) + 1, static_cast<int>(column) + 1};
}

bool is_word(char c) { return is_lower(c) || c == '_' || is_digit(c); }
bool continues_symbol(char c) {
  return is_word(c) || is_letter(c) || c == '.' || c == '-' || c == '/';
}

// The end (one past the '}') of the symbol at TEXT[start] == '{'; 0 if there is none.
std::size_t symbol_end(std::string_view text, std::size_t start) {
  std::size_t i = start + 1;
  if (i >= text.size() || !is_lower(text[i])) return 0;
  while (i < text.size() && is_word(text[i])) ++i;
  if (i < text.size() && (text[i] == ':' || text[i] == '.')) {
    const std::size_t rest = ++i;
    while (i < text.size() && continues_symbol(text[i])) ++i;
    if (i == rest) return 0;
  }
  return i < text.size() && text[i] == '}' ? i + 1 : 0;
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
    if (!is_variable_name(name)) {
      errors.push_back(
          invalid("'${' does not start a placeholder ${name}; write $${ for a literal '${'",
                  location_at(text, file, i)));
      out += text[i++];
      continue;
    }
    const auto value = values.find(std::string(name));
    if (value == values.end())
      errors.push_back(invalid(
          fmt::format(
              "no value for the placeholder ${{{}}}{}", name,
              did_you_mean(name, members_of(values, [](const auto& one) { return one.first; }))),
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

std::vector<Symbol> find_symbols(std::string_view text) {
  std::vector<Symbol> symbols;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text[i] == '{' ? symbol_end(text, i) : 0;
    if (end) symbols.push_back({.name = std::string(text.substr(i + 1, end - i - 2)), .offset = i});
    i = end ? end : i + 1;
  }
  return symbols;
}

std::vector<std::string> symbols_of(std::string_view text) {
  std::vector<std::string> names;
  for (Symbol& symbol : find_symbols(text)) names.push_back(std::move(symbol.name));
  return names;
}

std::string replace_symbols(std::string_view text, const SymbolLookup& lookup) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text[i] == '{' ? symbol_end(text, i) : 0;
    if (!end) {
      out += text[i++];
      continue;
    }
    const std::string_view whole = text.substr(i, end - i);
    const auto value = lookup(whole.substr(1, whole.size() - 2));
    out += value ? std::string_view(*value) : whole;
    i = end;
  }
  return out;
}

}  // namespace orch::render
