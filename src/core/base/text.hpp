// Text helpers for every folder: splitting, suggestions, quoting, human-readable numbers, tables.
#pragma once

#include "core/base/result.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch {

// ASCII only, independent of the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }
// The value of a hexadecimal digit; -1 for other characters.
constexpr int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::vector<std::string> split(std::string_view text, char separator);
// CODE_POINT as UTF-8.
std::string utf8(std::uint32_t code_point);
// The offset of the first byte that is not valid UTF-8, or npos.
std::size_t find_not_utf8(std::string_view text);
std::string_view trim(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string lower(std::string_view text);
// Convert the whole text. nullopt if any part of it is not a number, or if the value is out of
// range.
std::optional<std::int64_t> to_integer(std::string_view text);
std::optional<double> to_real(std::string_view text);

// Compares dotted versions part by part: digits as numbers of any length, other characters as text.
// "0.9" < "0.14", and a prefix is less than the longer version. Negative, 0 or positive.
int compare_versions(std::string_view a, std::string_view b);

// The word in KNOWN that WORD probably misspells; nullopt if none is similar.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known);
// "; did you mean 'X'?" for a word with the same meaning (synonym()) or a similar spelling;
// OTHERWISE if there is none.
std::string did_you_mean(std::string_view word, std::span<const std::string> known,
                         std::string_view otherwise = "");

// At most COUNT words of KNOWN that WORD may stand for, most likely first: words with the same
// meaning, similar spellings, words that contain WORD. Empty if none is similar.
std::vector<std::string> most_similar(std::string_view word, std::span<const std::string> known,
                                      std::size_t count);
// "'a', 'b' or 'c'".
std::string one_of(std::span<const std::string> words);

// TEXT in single quotes, for a message: truncated to 60 characters and "...", with control
// characters and invalid UTF-8 as \xNN.
std::string quoted(std::string_view text);
// Without these overloads a call with a std::string would find std::quoted.
inline std::string quoted(const char* text) { return quoted(std::string_view(text)); }
inline std::string quoted(const std::string& text) { return quoted(std::string_view(text)); }
inline std::string quoted(std::string& text) { return quoted(std::string_view(text)); }

// TEXT for a terminal: control characters (including U+0080 to U+009F) except newlines and tabs,
// and invalid UTF-8, are written as \xNN; bidirectional control characters as \uNNNN.
std::string printable(std::string_view text);
// The same for a single line: newlines, carriage returns and tabs become \n, \r and \t.
std::string printable_line(std::string_view text);

// TEXT quoted as one word for any POSIX shell.
std::string shell_quote(std::string_view text);
std::string shell_quote(std::span<const std::string> argv);

// The width of TEXT on a terminal, one column per code point.
std::size_t display_width(std::string_view text);
// TEXT with its lines broken at spaces, so that none is wider than COLUMNS; a wider word stays
// whole. Continuation lines keep the line's indentation plus INDENT.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent = 2);

// Whether LIST has VALUE.
template <class List, class Value> constexpr bool contains(const List& list, const Value& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}
// Whether WORD is one of WORDS, which are separated by single spaces.
bool lists(std::string_view words, std::string_view word);

// The text that OF gives for each element of LIST: members_of(stages, &Stage::name).
template <class List, class Of> std::vector<std::string> members_of(const List& list, Of of) {
  std::vector<std::string> texts;
  for (const auto& one : list) texts.emplace_back(std::invoke(of, one));
  return texts;
}

// "1 token", "2 tokens".
std::string plural(std::uint64_t count, std::string_view noun);

// "850 ms", "12.3 s", "4 min 05 s", "3 h 20 min".
std::string human_duration(double seconds);
// "512 B", "16.3 MiB".
std::string human_bytes(std::uint64_t bytes);

// Cells in columns. Numeric columns are right-aligned. On a terminal, columns that do not fit are
// printed below, with the first column repeated, and a long table repeats its header at the end.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}
  // Cells are escaped like printable_line().
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }
  std::string text() const;
  // From now on tables of this process are laid out for a terminal of COLUMNS; 0: for a file or a
  // pipe, at full width.
  static void fit(std::size_t columns);
  static std::size_t columns();

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

// Whether NAME can be a column name: [a-z][a-z0-9_]*, at most 64 characters.
bool is_column_name(std::string_view name);
// Whether NAME can be an environment variable: letters, digits and '_', not a digit first.
bool is_variable_name(std::string_view name);

// TEXT as a cell of a Markdown table: nothing in it acts as a link, as markup or as the end of the
// cell.
std::string escaped_markdown(std::string_view text);

// Terms of other tools for things that have another name here: tensor_parallel_size for tp.

// The word of KNOWN that means the same as WORD, or nullopt. Ignores case, and treats '-' as '_'.
std::optional<std::string> synonym(std::string_view word, std::span<const std::string> known);

// Request headers as users write them: a name, and a value that may refer to environment variables,
// "$NAME", for secrets; "$$" is a dollar sign.

// The variables that VALUE refers to, in order. The error says what is wrong with NAME or VALUE,
// but does not contain VALUE.
Result<std::vector<std::string>> header_variables(std::string_view name, std::string_view value);

// "NAME: VALUE" with its variables expanded. Fails if one is unset or contains a control character.
Result<std::string> header_line(std::string_view name, std::string_view value,
                                const std::map<std::string, std::string>& environment);

// The names in LINES ("NAME: VALUE" each), for messages: "x-api-key or x-tenant".
std::string header_names(const std::vector<std::string>& lines);

}  // namespace orch
