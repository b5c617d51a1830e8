#include "core/secret/escapes.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

namespace orch::secret {

namespace {

constexpr int k_levels = 3;
constexpr std::size_t k_longest_indentation = 32;
constexpr std::size_t k_longest_sequence = 32;  // of a terminal
constexpr std::size_t k_longest_junction = 48;
constexpr std::uint32_t k_escape = 0x1b;

// One character of a text after some levels of unescaping.
struct Read {
  std::uint32_t code = 0;
  std::size_t size = 0;   // 0: the text ends before or inside it
  bool is_point = false;  // CODE is a Unicode code point, otherwise a byte
};

struct Entity {
  std::string_view name;
  char character;
};
constexpr Entity k_entities[] = {
    {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
constexpr std::size_t k_longest_entity = 8;  // "#x10ffff"

int digit_of(std::uint32_t code, int base) {
  int digit = 99;
  if (code >= '0' && code <= '9') digit = static_cast<int>(code - '0');
  if (code >= 'a' && code <= 'f') digit = static_cast<int>(code - 'a') + 10;
  if (code >= 'A' && code <= 'F') digit = static_cast<int>(code - 'A') + 10;
  return digit < base ? digit : -1;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // The character at AT after LEVEL levels of unescaping. A character that begins no escape stands
  // for itself.
  Read read(int level, std::size_t at) const {
    if (level == 0) {
      if (at >= text_.size()) return {};
      return {.code = static_cast<unsigned char>(text_[at]), .size = 1};
    }
    const Read first = read(level - 1, at);
    if (first.size == 0 || first.is_point) return first;
    const std::size_t next = at + first.size;
    const auto or_first = [&](const Read& escaped) {
      if (escaped.size == k_no_escape) return first;
      return escaped.size == 0 ? Read{}
                               : Read{escaped.code, escaped.size + first.size, escaped.is_point};
    };
    switch (first.code) {
      case '\\': return or_first(after_backslash(level - 1, next));
      case '%': return or_first(after_percent(level - 1, next));
      case '&': return or_first(after_ampersand(level - 1, next));
      default: return first;
    }
  }

 private:
  // A Read of this size means: not an escape.
  static constexpr std::size_t k_no_escape = std::string::npos;
  static constexpr Read k_none = {.code = 0, .size = k_no_escape};

  // The number written as COUNT digits in BASE from AT on.
  Read number(int level, std::size_t at, int count, int base, bool is_point) const {
    std::uint32_t code = 0;
    std::size_t to = at;
    for (int i = 0; i < count; ++i) {
      const Read digit = read(level, to);
      if (digit.size == 0) return {};
      if (digit_of(digit.code, base) < 0) return k_none;
      code = code * static_cast<std::uint32_t>(base) +
             static_cast<std::uint32_t>(digit_of(digit.code, base));
      to += digit.size;
    }
    return {.code = code, .size = to - at, .is_point = is_point};
  }

  // READ, made larger by SIZE, the size of the letter before it.
  Read after(std::size_t size, Read read) const {
    if (read.size != 0 && read.size != k_no_escape) read.size += size;
    return read;
  }

  Read after_backslash(int level, std::size_t at) const {
    const Read letter = read(level, at);
    if (letter.size == 0) return {};
    const std::size_t next = at + letter.size;
    switch (letter.code) {
      case 'u': return utf16(level, at, letter.size);
      case 'U': return after(letter.size, number(level, next, 8, 16, true));
      case 'x': return after(letter.size, number(level, next, 2, 16, false));
      case '0':
      case '1':
      case '2':
      case '3': return number(level, at, 3, 8, false);
      case 'n': return {.code = '\n', .size = letter.size};
      case 'r': return {.code = '\r', .size = letter.size};
      case 't': return {.code = '\t', .size = letter.size};
      case 'b': return {.code = '\b', .size = letter.size};
      case 'f': return {.code = '\f', .size = letter.size};
      case 'v': return {.code = '\v', .size = letter.size};
      case 'a': return {.code = '\a', .size = letter.size};
      case 'e':
      case 'E': return {.code = k_escape, .size = letter.size};
      default: break;
    }
    const bool is_word = letter.code < 0x80 && is_letter_or_digit(static_cast<char>(letter.code));
    return is_word ? k_none : letter;
  }

  // XXXX after \u, or both halves of a surrogate pair.
  Read utf16(int level, std::size_t at, std::size_t letter) const {
    const Read high = after(letter, number(level, at + letter, 4, 16, true));
    if (high.size == 0 || high.size == k_no_escape || high.code < 0xd800 || high.code >= 0xdc00)
      return high;
    const Read slash = read(level, at + high.size);
    const Read u = slash.size == 0 ? slash : read(level, at + high.size + slash.size);
    if (slash.size == 0 || u.size == 0) return {};
    if (slash.code != '\\' || u.code != 'u') return high;
    const Read low = number(level, at + high.size + slash.size + u.size, 4, 16, true);
    if (low.size == 0) return {};
    if (low.size == k_no_escape || low.code < 0xdc00 || low.code > 0xdfff) return high;
    return {.code = 0x10000 + ((high.code - 0xd800) << 10) + (low.code - 0xdc00),
            .size = high.size + slash.size + u.size + low.size,
            .is_point = true};
  }

  Read after_percent(int level, std::size_t at) const {
    const Read first = read(level, at);
    if (first.size == 0) return {};
    if (first.code == 'u') return after(first.size, number(level, at + first.size, 4, 16, true));
    return number(level, at, 2, 16, false);
  }

  // NAME; #DIGITS; or #xDIGITS;
  Read after_ampersand(int level, std::size_t at) const {
    std::string name;
    std::size_t to = at;
    while (true) {
      const Read c = read(level, to);
      if (c.size == 0) return {};
      to += c.size;
      if (c.code == ';') break;
      const bool fits = c.code < 0x80 && (is_letter_or_digit(static_cast<char>(c.code)) ||
                                          (c.code == '#' && name.empty()));
      if (!fits || name.size() > k_longest_entity) return k_none;
      name += static_cast<char>(c.code);
    }
    for (const Entity& entity : k_entities)
      if (name == entity.name)
        return {.code = static_cast<unsigned char>(entity.character), .size = to - at};
    if (name.size() < 2 || name[0] != '#') return k_none;
    const bool hex = name[1] == 'x' || name[1] == 'X';
    if (hex && name.size() < 3) return k_none;
    std::uint32_t code = 0;
    for (std::size_t i = hex ? 2 : 1; i < name.size(); ++i) {
      const int digit = digit_of(static_cast<unsigned char>(name[i]), hex ? 16 : 10);
      if (digit < 0) return k_none;
      code = code * (hex ? 16 : 10) + static_cast<std::uint32_t>(digit);
    }
    return {.code = code, .size = to - at, .is_point = true};
  }

  std::string_view text_;
};

Unit unit_of(const Read& read) {
  Unit unit{.size = read.size};
  const auto add = [&](std::uint32_t byte) {
    unit.bytes[unit.count++] = static_cast<char>(static_cast<unsigned char>(byte));
  };
  const std::uint32_t code = read.code;
  if (!read.is_point || code < 0x80) {
    add(code & 0xff);
  } else if (code < 0x800) {
    add(0xc0 | code >> 6);
    add(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3f));
    add(0x80 | (code & 0x3f));
  } else {
    add(0xf0 | (code >> 18 & 7));
    add(0x80 | (code >> 12 & 0x3f));
    add(0x80 | (code >> 6 & 0x3f));
    add(0x80 | (code & 0x3f));
  }
  return unit;
}

// The ways in which shells write a single quote inside single quotes.
constexpr std::string_view k_shell_quotes[] = {"'\\''", "'\"'\"'"};

// How many bytes from AT on read as QUOTE at LEVEL; 0 if they do not.
std::size_t quote_at(const Reader& reader, int level, std::size_t at, std::string_view quote,
                     bool& undecided) {
  std::size_t to = at;
  for (const char expected : quote) {
    const Read c = reader.read(level, to);
    if (c.size == 0) undecided = true;
    if (c.size == 0 || c.code != static_cast<unsigned char>(expected)) return 0;
    to += c.size;
  }
  return to - at;
}

// Adds a single quote if one of k_shell_quotes, which may be escaped itself, begins at AT.
void add_shell_quote(const Reader& reader, std::size_t at, Units& units) {
  for (const std::string_view quote : k_shell_quotes)
    for (int level = 0; level <= k_levels; ++level)
      if (const std::size_t size = quote_at(reader, level, at, quote, units.undecided)) {
        units.all[units.count++] = {.bytes = {'\''}, .count = 1, .size = size};
        return;
      }
}

bool is_blank(std::uint32_t code) { return code == ' ' || code == '\t'; }
bool is_line_end(std::uint32_t code) { return code == '\n' || code == '\r'; }

// The gap from AT on: a line break, which ends at END, and the following indentation.
Gap line_end(std::string_view text, std::size_t at, std::size_t end) {
  const std::size_t most = std::min(text.size(), end + k_longest_indentation);
  std::size_t to = end;
  while (to < most && is_blank(static_cast<unsigned char>(text[to]))) ++to;
  return {.size = to - at, .undecided = to == text.size()};
}

// The gap from AT on: a control sequence whose ESC ends at END: ESC [ PARAMETERS LETTER, or
// ESC ( LETTER.
Gap sequence(std::string_view text, std::size_t at, std::size_t end) {
  const std::size_t most = std::min(text.size(), end + k_longest_sequence);
  for (std::size_t to = end; to < most; ++to) {
    const char c = text[to];
    if (to == end && c == '[') continue;
    if (c >= 0x20 && c <= 0x3f) continue;
    return c >= 0x40 && c <= 0x7e ? Gap{.size = to + 1 - at} : Gap{};
  }
  return {.undecided = most == text.size()};
}

// The gap from AT on: the end of one string and the beginning of the next, as in "," "\n" ' + '.
Gap junction(const Reader& reader, int level, std::size_t at, const Read& quote) {
  std::size_t to = at + quote.size;
  while (to - at < k_longest_junction) {
    const Read c = reader.read(level, to);
    if (c.size == 0) return {.undecided = true};
    to += c.size;
    if (c.code == quote.code) return {.size = to - at};
    if (!is_blank(c.code) && !is_line_end(c.code) && c.code != ',' && c.code != '+') return {};
  }
  return {};
}

constexpr std::string_view k_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t k_coded_begin = 4;  // characters
constexpr std::size_t k_least_rest = 8;

// The base64 characters that depend only on SECRET if it starts BEFORE bytes into a group of three.
std::string base64_core(std::string_view secret, std::size_t before, std::string_view last_two) {
  const std::size_t first = (8 * before + 5) / 6;
  const std::size_t end = 8 * (before + secret.size()) / 6;
  std::string core;
  for (std::size_t digit = first; digit < end; ++digit) {
    const std::size_t bit = 6 * digit - 8 * before;  // of the secret
    const auto byte = [&](std::size_t i) {
      return i < secret.size() ? static_cast<unsigned char>(secret[i]) : 0u;
    };
    const unsigned value = (byte(bit / 8) << 8 | byte(bit / 8 + 1)) >> (10 - bit % 8) & 63u;
    core += value < 62 ? k_digits[value] : last_two[value - 62];
  }
  return core;
}

using Forms = std::set<std::string>;

void add_base64(std::string_view text, Forms& forms) {
  for (const std::string_view last_two : {"+/", "-_"})
    for (std::size_t before = 0; before < 3; ++before)
      forms.insert(base64_core(text, before, last_two));
}

std::string hex(std::string_view text, std::string_view prefix, std::string_view separator,
                bool upper) {
  const std::string_view digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    if (!out.empty()) out += separator;
    out += prefix;
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

void add_hex(std::string_view text, Forms& forms) {
  for (const bool upper : {false, true})
    for (const std::string_view prefix : {"", "0x"})
      for (const std::string_view separator : {"", " ", ":", "-", ",", ", "})
        forms.insert(hex(text, prefix, separator, upper));
}

template <class Escape> std::string escaped(std::string_view text, Escape escape) {
  std::string out;
  for (const char c : text) out += escape(c);
  return out;
}

std::string percent_encoded(std::string_view text, std::string_view kept) {
  return escaped(text, [&](char c) -> std::string {
    if (is_letter_or_digit(c) || kept.find(c) != std::string_view::npos) return std::string(1, c);
    return fmt::format("%{:02X}", static_cast<unsigned char>(c));
  });
}

// The texts that programs encode as a whole: the secret, plain and escaped.
Forms texts_of(const std::string& secret) {
  const std::string quoted = json_quote(secret);
  return {secret, percent_encoded(secret, "-._~"), percent_encoded(secret, "-._~/"),
          quoted.substr(1, quoted.size() - 2)};
}

// Adds long forms without their first characters. A line may be wrapped within those, where no gap
// is looked for, because so few characters also occur by chance.
void add_rests(Forms& forms) {
  Forms rests;
  for (const std::string& form : forms)
    if (form.size() >= k_coded_begin + k_least_rest) rests.insert(form.substr(k_coded_begin));
  forms.merge(rests);
}

}  // namespace

Units units_at(std::string_view text, std::size_t at) {
  const Reader reader(text);
  Units units;
  Read last = reader.read(0, at);
  units.all[units.count++] = unit_of(last);
  if (text[at] == '+') units.all[units.count++] = {.bytes = {' '}, .count = 1, .size = 1};
  if (text[at] == '\'') add_shell_quote(reader, at, units);
  for (int level = 1; level <= k_levels; ++level) {
    const Read now = reader.read(level, at);
    if (now.size == 0) {
      units.undecided = true;
      break;
    }
    if (now.size == last.size) break;  // not an escape: deeper levels read the same
    units.all[units.count++] = unit_of(last = now);
  }
  return units;
}

Gap gap_at(std::string_view text, std::size_t at) {
  const Reader reader(text);
  Gap none;
  std::size_t last = 0;
  for (int level = 0; level <= k_levels; ++level) {
    const Read c = reader.read(level, at);
    if (c.size == 0) none.undecided = true;
    if (c.size == 0 || c.size == last) break;
    last = c.size;
    Gap gap;
    if (is_line_end(c.code)) gap = line_end(text, at, at + c.size);
    else if (c.code == k_escape) gap = sequence(text, at, at + c.size);
    else if (c.code == '"' || c.code == '\'') gap = junction(reader, level, at, c);
    if (gap.size > 0) return gap;
    none.undecided = none.undecided || gap.undecided;
  }
  return none;
}

bool begins_gap(char c) {
  return c == '\n' || c == '\r' || c == '\x1b' || c == '"' || c == '\'' || c == '\\' || c == '%' ||
         c == '&';
}

bool begins_escape(char c) { return c == '\\' || c == '%' || c == '&' || c == '+' || c == '\''; }

bool may_be_escape(std::string_view text, std::size_t at) {
  if (at + 1 == text.size()) return true;
  const char next = text[at + 1];
  switch (text[at]) {
    case '%':
      return next == 'u' || next == '%' || digit_of(static_cast<unsigned char>(next), 16) >= 0;
    case '&': return next == '#' || is_letter(next);
    case '\'': return next == '\\' || next == '"';
    default: return true;
  }
}

std::vector<std::string> coded_forms(const std::string& secret) {
  if (secret.size() < k_shortest_secret) return {};
  Forms once, forms;
  add_base64(secret, once);
  for (const bool upper : {false, true}) once.insert(hex(secret, "", "", upper));
  for (const std::string& form : once) {
    add_base64(form, forms);
    for (const bool upper : {false, true}) forms.insert(hex(form, "", "", upper));
  }
  for (const std::string& text : texts_of(secret)) add_base64(text, forms);
  add_hex(secret, forms);
  add_rests(forms);
  std::erase_if(forms, [](const std::string& form) { return form.size() < k_shortest_secret; });
  return {forms.begin(), forms.end()};
}

bool names_a_secret(std::string_view variable) {
  std::string name = lower(variable);
  for (const std::string_view word :
       {"secret", "passwd", "password", "api_key", "apikey", "credential"})
    if (name.find(word) != std::string::npos) return true;
  static constexpr std::string_view k_token = "token";
  for (std::size_t at = name.find(k_token); at != std::string::npos;
       at = name.find(k_token, at + 1))
    if (at + k_token.size() == name.size() || !is_letter(name[at + k_token.size()])) return true;
  return false;
}

}  // namespace orch::secret
