// {symbols}: what a manifest writes for things that are known later: {isl}, {stage:build},
// {port:http}. Only text of the shape {word}, {word.word} or {word:rest} is a symbol; every other
// brace (JSON, protobuf text) stays as it is.
#pragma once

#include "base/result.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::render {

struct Symbol {
  std::string name;        // without braces
  std::size_t offset = 0;  // of its '{'
};

// The symbols of TEXT, in order.
std::vector<Symbol> find_symbols(std::string_view text);
// Their names alone.
std::vector<std::string> symbols_of(std::string_view text);

// What stands for a symbol; nullopt leaves it as it is, for a later pass.
using SymbolLookup = std::function<std::optional<std::string>(std::string_view symbol)>;

// TEXT with each symbol that LOOKUP knows replaced. Replacements are not scanned again.
std::string replace_symbols(std::string_view text, const SymbolLookup& lookup);

}  // namespace orch::render
