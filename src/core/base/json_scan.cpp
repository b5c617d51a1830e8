#include "core/base/json_scan.hpp"

#include "core/base/text.hpp"

#include <array>

#include <nlohmann/json.hpp>

namespace orch {

namespace {

constexpr std::uint32_t k_replacement = 0xFFFD;

using Bytes = std::array<bool, 256>;

constexpr Bytes bytes_of(std::string_view members) {
  Bytes out{};
  for (const char c : members) out[static_cast<unsigned char>(c)] = true;
  return out;
}

constexpr bool has(const Bytes& bytes, char c) { return bytes[static_cast<unsigned char>(c)]; }

constexpr Bytes k_blanks = bytes_of(" \t\r\n");
constexpr Bytes k_scalar_ends = bytes_of(",]}:\"{[ \t\r\n");
constexpr Bytes k_nesting = bytes_of("{}[]\"");

// Walks JSON text. Every step returns false if the text ends or is not as expected.
class Cursor {
 public:
  explicit Cursor(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  std::size_t position() const { return at_; }
  std::string_view from(std::size_t begin) const { return text_.substr(begin, at_ - begin); }

  bool take(char wanted) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool skip_string() {
    if (!take('"')) return false;
    const std::size_t begin = at_;
    while (true) {
      const std::size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos) return false;
      std::size_t first_backslash = quote;
      while (first_backslash > begin && text_[first_backslash - 1] == '\\') --first_backslash;
      at_ = quote + 1;
      if ((quote - first_backslash) % 2 == 0) return true;
    }
  }

  bool skip_value() {
    skip_blanks();
    if (at_ >= text_.size()) return false;
    const char first = text_[at_];
    if (first == '"') return skip_string();
    if (first == '{' || first == '[') return skip_nested();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !has(k_scalar_ends, text_[at_])) ++at_;
    return at_ > begin;
  }

  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }

  void skip_blanks() {
    while (at_ < text_.size() && has(k_blanks, text_[at_])) ++at_;
  }

 private:
  bool skip_nested() {
    for (int depth = 0; at_ < text_.size();) {
      const char c = text_[at_];
      if (!has(k_nesting, c)) {
        ++at_;
        continue;
      }
      if (c == '"') {
        if (!skip_string()) return false;
        continue;
      }
      ++at_;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return true;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Reads the four digits of \uXXXX at the start of TEXT.
std::optional<std::uint32_t> take_unit(std::string_view& text) {
  if (text.size() < 4) return {};
  std::uint32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return {};
    unit = unit << 4 | static_cast<std::uint32_t>(digit);
  }
  text.remove_prefix(4);
  return unit;
}

bool append_unicode_escape(std::string_view& rest, std::string& out) {
  const std::optional<std::uint32_t> unit = take_unit(rest);
  if (!unit) return false;
  std::uint32_t point = *unit;
  if (point >= 0xD800 && point < 0xDC00 && rest.starts_with("\\u")) {
    std::string_view after = rest.substr(2);
    const std::optional<std::uint32_t> low = take_unit(after);
    if (low && *low >= 0xDC00 && *low < 0xE000) {
      point = 0x10000 + ((point - 0xD800) << 10) + (*low - 0xDC00);
      rest = after;
    }
  }
  out += utf8(point >= 0xD800 && point < 0xE000 ? k_replacement : point);
  return true;
}

bool append_escape(std::string_view& rest, std::string& out) {
  if (rest.empty()) return false;
  const char kind = rest.front();
  rest.remove_prefix(1);
  if (kind == 'u') return append_unicode_escape(rest, out);
  constexpr std::string_view k_kinds = "\"\\/bfnrt";
  constexpr std::string_view k_bytes = "\"\\/\b\f\n\r\t";
  const std::size_t index = k_kinds.find(kind);
  if (index == std::string_view::npos) return false;
  out.push_back(k_bytes[index]);
  return true;
}

// Every step returns false if the text is not as expected, with at_ where it deviates.
class Check {
 public:
  Check(std::string_view text, int deepest) : text_(text), deepest_(deepest) {}

  std::optional<JsonFault> run() {
    if (!value(0)) return fault_;
    skip_blanks();
    if (at_ < text_.size()) fail("text after its end");
    return fault_;
  }

 private:
  bool fail(std::string_view what, bool too_deep = false) {
    fault_ = {.at = at_, .what = what, .too_deep = too_deep};
    return false;
  }

  // NUL at the end of the text: no JSON token begins with it.
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    while (next() == ' ' || next() == '\t' || next() == '\r' || next() == '\n') ++at_;
  }

  bool take(char wanted) {
    skip_blanks();
    return skip(wanted);
  }

  bool skip(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }

  bool value(int depth) {
    skip_blanks();
    switch (next()) {
      case '{':
      case '[': return depth < deepest_ ? nested(depth + 1) : fail("nested too deep", true);
      case '"': return string();
      case 't': return word("true");
      case 'f': return word("false");
      case 'n': return word("null");
      default: return number();
    }
  }

  bool nested(int depth) {
    const char closing = text_[at_++] == '{' ? '}' : ']';
    if (take(closing)) return true;
    do {
      if (closing == '}' && !key()) return false;
      if (!value(depth)) return false;
    } while (take(','));
    return take(closing) || fail("a missing comma or closing bracket");
  }

  bool key() {
    skip_blanks();
    if (next() != '"') return fail("a member without a name");
    return string() && (take(':') || fail("a missing colon"));
  }

  bool string() {
    for (++at_; at_ < text_.size(); ++at_) {
      if (next() == '"') return skip('"');
      if (static_cast<unsigned char>(next()) < 0x20)
        return fail("a control character that is not written as an escape");
      if (next() == '\\' && !escape()) return fail("an unknown escape");
    }
    return fail("a missing closing quote");
  }

  // Moves to the last byte of the escape.
  bool escape() {
    const std::string_view rest = text_.substr(at_ + 1, 5);
    if (rest.empty()) return false;
    const bool unit = rest.size() == 5 && rest[0] == 'u' &&
                      std::ranges::all_of(rest.substr(1), [](char c) { return hex_digit(c) >= 0; });
    if (!unit && std::string_view("\"\\/bfnrt").find(rest[0]) == std::string_view::npos)
      return false;
    at_ += unit ? 5 : 1;
    return true;
  }

  bool word(std::string_view whole) {
    if (!text_.substr(at_).starts_with(whole)) return fail("no value");
    at_ += whole.size();
    return true;
  }

  bool digits() {
    const std::size_t begin = at_;
    while (is_digit(next())) ++at_;
    return at_ > begin;
  }

  // A leading zero ends the integer: digits after it fail later, for example as a missing comma.
  bool number() {
    skip('-');
    if (!skip('0') && !digits()) return fail("no value");
    if (skip('.') && !digits()) return fail("no digit");
    if (!skip('e') && !skip('E')) return true;
    if (!skip('+')) skip('-');
    return digits() || fail("no digit");
  }

  std::string_view text_;
  int deepest_;
  std::size_t at_ = 0;
  std::optional<JsonFault> fault_ = {};
};

}  // namespace

std::optional<std::string_view> json_member(std::string_view object, std::string_view key) {
  JsonWalk members(object);
  while (members.next())
    if (members.key() == key) return members.value();
  return {};
}

bool JsonWalk::next() {
  Cursor cursor(text_, at_);
  const bool first = closing_ == 0;
  if (first) {
    closing_ = cursor.take('{') ? '}' : cursor.take('[') ? ']' : 0;
    if (closing_ == 0) return false;
  }
  if (cursor.take(closing_)) {
    complete_ = cursor.at_end();
    return false;
  }
  if (!first && !cursor.take(',')) return false;
  cursor.skip_blanks();
  if (closing_ == '}') {
    const std::size_t begin = cursor.position();
    if (!cursor.skip_string()) return false;
    key_ = cursor.from(begin).substr(1, cursor.position() - begin - 2);
    if (!cursor.take(':')) return false;
    cursor.skip_blanks();
  }
  const std::size_t begin = cursor.position();
  if (!cursor.skip_value()) return false;
  value_ = cursor.from(begin);
  at_ = cursor.position();
  return true;
}

bool append_json_string(std::string_view raw, std::string& out) {
  if (raw.size() < 2 || raw.front() != '"' || raw.back() != '"') return false;
  const std::size_t before = out.size();
  std::string_view rest = raw.substr(1, raw.size() - 2);
  while (!rest.empty()) {
    const std::size_t plain = std::min(rest.find('\\'), rest.size());
    out.append(rest.substr(0, plain));
    rest.remove_prefix(plain);
    if (rest.empty()) break;
    rest.remove_prefix(1);
    if (!append_escape(rest, out)) {
      out.resize(before);
      return false;
    }
  }
  return true;
}

bool append_compact_json(std::string_view raw, int depth, std::string& out) {
  std::string text;
  if (append_json_string(raw, text)) {
    out.append(json_quote(text));
    return true;
  }
  const bool object = raw.starts_with('{');
  if (!object && !raw.starts_with('[')) {
    out.append(raw);
    return !find_json_fault(raw, 0);
  }
  if (depth == 0) return false;
  JsonWalk parts(raw);
  out.push_back(object ? '{' : '[');
  for (bool first = true; parts.next(); first = false) {
    if (!first) out.push_back(',');
    if (object) {
      if (!append_compact_json(fmt::format("\"{}\"", parts.key()), depth, out)) return false;
      out.push_back(':');
    }
    if (!append_compact_json(parts.value(), depth - 1, out)) return false;
  }
  out.push_back(object ? '}' : ']');
  return parts.complete();
}

std::string json_quote(std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\\'; });
  if (plain) return fmt::format("\"{}\"", text);
  return dump(nlohmann::json(text));
}

std::optional<JsonFault> find_json_fault(std::string_view text, int deepest) {
  return Check(text, deepest).run();
}

}  // namespace orch
