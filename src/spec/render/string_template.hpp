// Placeholders as Python's string.Template reads them: $name, ${name}, and $$ for a dollar sign.
// Knows nothing of the values; other text and placeholders without a value stay unchanged.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::render {

struct Placeholder {
  std::string name;        // a letter or '_', then letters, digits and '_'; ASCII, and case matters
  std::size_t offset = 0;  // of its '$'
  std::size_t size = 0;    // of all of it
};

// The placeholders of TEXT, in order.
std::vector<Placeholder> find_placeholders(std::string_view text);

// A letter or '_', then letters, digits and '_'.
bool is_placeholder_name(std::string_view text);

// The value of a placeholder; nullopt leaves it unchanged.
using PlaceholderLookup = std::function<std::optional<std::string>(const Placeholder& placeholder)>;

// TEXT with each placeholder that LOOKUP knows replaced and each $$ made $. Inserted values are not
// scanned again.
std::string substitute(std::string_view text, const PlaceholderLookup& lookup);

}  // namespace orch::render
