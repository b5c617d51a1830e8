#include "sql/expression_scan.hpp"

#include "base/text.hpp"

namespace orch::sql {

namespace {

// What SQLite takes as the end of a quote that C opens; 0 when C opens none.
char closing_quote(char c) {
  switch (c) {
    case '\'':
    case '"':
    case '`': return c;
    case '[': return ']';
    default: return 0;
  }
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<std::string> refusal() {
    while (at_ < text_.size()) {
      if (auto why = take_one()) return why;
    }
    if (depth_ > 0) return "a '(' is never closed (in a YAML flow map or list, an expression with a comma needs quotes)";
    return std::nullopt;
  }

 private:
  // A doubled quote inside a quote ends one and opens the next at once, which comes to the same.
  std::optional<std::string> take_one() {
    const char c = text_[at_];
    if (const char closing = closing_quote(c)) {
      const std::size_t end = text_.find(closing, at_ + 1);
      if (end == std::string_view::npos) return fmt::format("a {} is never closed", c);
      at_ = end + 1;
      return std::nullopt;
    }
    switch (c) {
      case '(': ++depth_; break;
      case ')':
        if (depth_-- == 0) return "a ')' closes nothing";
        break;
      case ';': return "';' is not possible in an expression; write one expression";
      case '-':
      case '/':
        if (opens_comment()) return "a comment is not possible inside an expression; write it as a YAML comment, and 'a - -b' with a space";
        break;
      case '?':
      case ':':
      case '@':
      case '$':
      case '#': return fmt::format("'{}' has no meaning in an expression; write names as they are", c);
      case '\0': return "a NUL byte is not possible in an expression";
      default: break;
    }
    ++at_;
    return std::nullopt;
  }

  bool opens_comment() const {
    const std::string_view two = text_.substr(at_, 2);
    return two == "--" || two == "/*";
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

std::optional<std::string> refuse_expression(std::string_view expression) {
  if (expression.size() > k_expression_bytes)
    return fmt::format("the expression has {} bytes; at most {} are read", expression.size(), k_expression_bytes);
  if (trim(expression).empty()) return "the expression is empty";
  return Scanner(expression).refusal();
}

}  // namespace orch::sql
