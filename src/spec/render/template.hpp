// Strict text templates: ${name} is filled from named values, $$ is a dollar sign. A placeholder
// without a value and a value without a placeholder are errors, so that none is filled by accident
// or omitted silently.
#pragma once

#include "core/base/result.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::render {

// TEXT with every ${name} replaced. FILE is the file name in error locations. Appends every error
// to ERRORS; the result is usable only if none was added.
std::string fill(std::string_view text, const std::string& file,
                 const std::map<std::string, std::string>& values, Errors& errors);

// Symbols in a manifest stand for values that are known later: {isl}, {stage:build}, {port:http}.
// Only text of the form {word}, {word.word} or {word:rest} is a symbol; every other brace (JSON,
// protobuf text) stays unchanged.

struct Symbol {
  std::string name;        // without braces
  std::size_t offset = 0;  // of its '{'
};

// The symbols of TEXT, in order.
std::vector<Symbol> find_symbols(std::string_view text);
// The names of the symbols of TEXT, in order.
std::vector<std::string> symbols_of(std::string_view text);

// The value of a symbol; nullopt leaves it unchanged for a later pass.
using SymbolLookup = std::function<std::optional<std::string>(std::string_view symbol)>;

// TEXT with each symbol known to LOOKUP replaced. Replacements are not scanned again.
std::string replace_symbols(std::string_view text, const SymbolLookup& lookup);

}  // namespace orch::render
