// A text for people, line by line. Knows no tool.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace orch::imports {

// The lines of TEXT without their ends, in order; line N is at N - 1.
std::vector<std::string_view> lines_of(std::string_view text);

std::string_view first_line(std::string_view text);

// Whether TEXT begins as a JSON object or list.
bool is_json(std::string_view text);

// Whether TEXT, of JSON, has "KEY": at any depth.
bool has_key(std::string_view text, std::string_view key);

// The number that begins right after the first WORDS in LINE; empty when it has no such words, or
// no number follows.
std::optional<double> number_after(std::string_view line, std::string_view words);

}  // namespace orch::imports
