#include "spec/render/symbols.hpp"

#include "core/base/text.hpp"

namespace orch::render {

namespace {

bool is_word(char c) { return is_lower(c) || c == '_' || is_digit(c); }
bool continues_symbol(char c) {
  return is_word(c) || is_letter(c) || c == '.' || c == '-' || c == '/';
}

// The end (one past the '}') of the symbol at TEXT[start] == '{'; 0 without one.
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

std::optional<std::string> find_runner_symbol(std::string_view text) {
  static constexpr std::string_view k_words[] = {"out",   "work",  "jobs",        "tmp",
                                                 "token", "block", "orchestrate", "repeat"};
  static constexpr std::string_view k_prefixes[] = {
      "file:", "stage:", "id:", "port:", "gpu:", "model.", "measure.", "dataset."};
  for (std::size_t open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view inner = text.substr(open + 1, close - open - 1);
    const bool ours = std::ranges::find(k_words, inner) != std::end(k_words) ||
                      std::ranges::any_of(k_prefixes, [&](std::string_view prefix) {
                        return inner.starts_with(prefix);
                      });
    if (ours) return std::string(text.substr(open, close - open + 1));
  }
  return std::nullopt;
}

}  // namespace orch::render
