// Reads a prompt file row by row: JSON objects, one per line, all in one array, or in the array
// "data" of perf_analyzer's input files, in any of the forms of prompt_forms.hpp. Writes them as
// rows of the project's own form. Opens no file and counts no tokens.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "bench/prompt/prompt_forms.hpp"

namespace orch::prompt {

inline constexpr std::uint64_t k_largest_prompt_file = 2ull << 30;  // bytes

// LINE: the line of the file on which the row begins, from 1.
using OnRow = std::function<void(PromptRow row, int line)>;

// Calls ON_ROW for each row of TEXT, in the file's order. NAME is the file's name in errors.
// Returns the number of conversations that were left out because they have no human turn with a
// text.
Result<std::int64_t> read_rows(std::string_view text, std::string_view name, const OnRow& on_row);

// The rows of TEXT for a program that counts tokens, one JSON object per line: the members of a
// prompt file in the project's own form, `input_length` where a row has a length and
// no text, `answer` (the recorded answer, where ANSWERS asks for it), `line`, and in the first row
// `left_out`. Fields of requests are no members of that form: those of each row go to FIELDS;
// without it, a row that has some is an error.
enum class Answers { kept, left_out };
Result<std::string> plain_rows(std::string_view text, std::string_view name,
                               Answers answers = Answers::kept,
                               std::vector<std::string>* fields = nullptr);

}  // namespace orch::prompt
