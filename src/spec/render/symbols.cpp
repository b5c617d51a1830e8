#include "spec/render/symbols.hpp"

namespace orch::render {

namespace {

// "model." of "model.source", "port:" of "port:"; "" of a plain word.
std::string_view begin_of(std::string_view name) {
  return name.substr(0, name.find_first_of(":.") + 1);
}

}  // namespace

const KnownSymbol* find_known(std::string_view symbol) {
  const auto found = std::ranges::find_if(
      k_known_symbols, [&](const KnownSymbol& one) { return is_of(symbol, one.name); });
  return found == k_known_symbols.end() ? nullptr : &*found;
}

std::vector<std::string> begins_of_symbols() {
  std::vector<std::string> begins;
  for (const KnownSymbol& one : k_known_symbols) {
    std::string begin = "{" + std::string(begin_of(one.name));
    if (one.used_by != UsedBy::program && begin.size() > 1 &&
        std::ranges::find(begins, begin) == begins.end())
      begins.push_back(std::move(begin));
  }
  return begins;
}

std::optional<std::string> find_runner_symbol(std::string_view text) {
  const auto is_ours = [](std::string_view inner) {
    return std::ranges::any_of(k_known_symbols, [&](const KnownSymbol& one) {
      const std::string_view begin = begin_of(one.name);
      return !one.in_values && (begin.empty() ? inner == one.name : inner.starts_with(begin));
    });
  };
  for (std::size_t open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;
    if (is_ours(text.substr(open + 1, close - open - 1)))
      return std::string(text.substr(open, close - open + 1));
  }
  return std::nullopt;
}

}  // namespace orch::render
