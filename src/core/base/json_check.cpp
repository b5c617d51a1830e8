#include "core/base/json_check.hpp"

#include "core/base/text.hpp"

namespace orch {
namespace {

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Every step returns false and stays where it is when the text is not what it expects.
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
    const bool unit = rest.size() == 5 && rest[0] == 'u' && is_hex(rest[1]) && is_hex(rest[2]) &&
                      is_hex(rest[3]) && is_hex(rest[4]);
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

  // A leading zero ends the integer: digits after it fail later, as a missing comma.
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

std::optional<JsonFault> find_json_fault(std::string_view text, int deepest) {
  return Check(text, deepest).run();
}

}  // namespace orch
