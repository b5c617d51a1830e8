// Reads a text one character at a time through the escapes of JSON, Python, C, shells, URLs and
// HTML, up to three levels deep.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orch::secret {

// A possible reading of a character, and the number of bytes that encode it.
struct Unit {
  std::array<char, 4> bytes = {};
  std::uint8_t count = 0;  // of `bytes`
  std::size_t size = 0;    // in the text

  std::string_view text() const { return {bytes.data(), count}; }
};

// The possible readings at one position: first the byte itself, then the characters that it may
// encode with the bytes after it.
struct Units {
  static constexpr std::size_t k_most = 6;

  std::array<Unit, k_most> all = {};
  std::size_t count = 0;
  bool undecided = false;  // the text ends inside a possible escape

  const Unit* begin() const { return all.data(); }
  const Unit* end() const { return all.data() + count; }
};

// The possible readings at AT, which must be inside TEXT.
Units units_at(std::string_view text, std::size_t at);

// The text that programs insert between the characters of a value that they print in parts: a line
// break and the following indentation, a terminal control sequence, the quotes between two adjacent
// strings.
struct Gap {
  std::size_t size = 0;  // 0: none
  bool undecided = false;
};

Gap gap_at(std::string_view text, std::size_t at);

// Whether a gap may begin with the byte C.
bool begins_gap(char c);
// Whether an escape may begin with the byte C.
bool begins_escape(char c);
// Whether an escape may begin at AT of TEXT; begins_escape() must be true for the byte there.
bool may_be_escape(std::string_view text, std::size_t at);

// The forms that a secret may take in a text, apart from escapes of single characters.

// Shorter values ("1", "false", "8000") are ignored: they occur in every log by chance, and
// redacting every occurrence would reveal them.
inline constexpr std::size_t k_shortest_secret = 6;

// SECRET in base64 (each alignment, both alphabets; also SECRET escaped for JSON or URLs) and in
// hexadecimal (both cases, the usual separators), and its plain base64 and hexadecimal forms
// encoded once more in either. A long form is also given without its first characters, in case a
// line is wrapped there. No duplicates, and no forms shorter than k_shortest_secret; empty if
// SECRET is shorter.
std::vector<std::string> coded_forms(const std::string& secret);

// Whether a variable's name suggests a secret: HF_TOKEN, AWS_SECRET_ACCESS_KEY, DB_PASSWORD, but
// not TOKENIZERS_PARALLELISM or MAX_TOKENS.
bool names_a_secret(std::string_view variable);

}  // namespace orch::secret
