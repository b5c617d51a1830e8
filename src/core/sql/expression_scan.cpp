#include "core/sql/expression_scan.hpp"

#include "core/base/text.hpp"
#include "core/sql/generated_columns.hpp"

namespace orch::sql {

namespace {

constexpr std::size_t k_names_shown = 40;

// The rest of TEXT after PREFIX; nullopt if TEXT does not begin with PREFIX.
std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

std::string list_of(std::span<const std::string> names) {
  const auto shown = names.first(std::min(names.size(), k_names_shown));
  return join(shown, ", ") + (shown.size() < names.size() ? ", ..." : "");
}

std::string unknown_name(std::string_view name, const Refusal& refusal,
                         std::span<const std::string> names) {
  if (!name.empty() && lower(name) == refusal.own_name) return "it refers to itself";
  const std::string near = did_you_mean(name, names);
  if (!near.empty()) return fmt::format("unknown name {}{}", quoted(name), near);
  return fmt::format("unknown name {}; write text in single quotes; the names here are: {}",
                     quoted(name), names.empty() ? "none" : list_of(names));
}

std::string unknown_function(std::string_view name) {
  const auto known = expression_functions();
  const std::string near = did_you_mean(name, known);
  if (!near.empty()) return fmt::format("unknown function {}{}", quoted(name), near);
  return fmt::format("the function {} is not offered in expressions; these are: {}", quoted(name),
                     list_of(known));
}

// SQLite's own quotes around a piece of the expression.
std::string_view trim_quotes(std::string_view text) {
  return text.size() >= 2 && text.starts_with('"') && text.ends_with('"')
             ? text.substr(1, text.size() - 2)
             : text;
}

std::string misuse(std::string_view call) {
  return fmt::format(
      "{} over one value is an aggregate over points; an expression sees one point (give it two "
      "values or more)",
      call);
}

}  // namespace

bool Token::is_word(std::string_view upper_case) const {
  return kind == Kind::word && written.size() == upper_case.size() &&
         lower(written) == lower(upper_case);
}

namespace {

// The character that closes a quote opened by C; 0 if C opens none.
char closing_quote(char c) {
  switch (c) {
    case '\'':
    case '"':
    case '`': return c;
    case '[': return ']';
    default: return 0;
  }
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool begins_word(char c) {
  return is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Scan scan() {
    while (at_ < text_.size() && !out_.fault) take_one();
    if (!out_.fault && !open_.empty())
      refuse(open_.back(),
             "a '(' is never closed (in a YAML flow map or list, an expression with a comma needs "
             "quotes)");
    return std::move(out_);
  }

 private:
  void refuse(std::size_t at, std::string message) {
    out_.fault = Fault{.offset = at, .message = std::move(message)};
  }

  void take(Token::Kind kind, std::size_t size) {
    out_.tokens.push_back({.kind = kind, .begin = at_, .written = text_.substr(at_, size)});
    at_ += size;
  }

  template <class Belongs> std::size_t run(Belongs belongs) const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && belongs(text_[end])) ++end;
    return end - at_;
  }

  void take_one() {
    const char c = text_[at_];
    if (is_space(c)) ++at_;
    else if (closing_quote(c)) take_quote(c);
    else if (begins_word(c))
      take(Token::Kind::word, run([](char next) { return begins_word(next) || is_digit(next); }));
    else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))
      take_number();
    else take_mark(c);
  }

  // A doubled quote inside a quote stands for itself.
  void take_quote(char c) {
    const char closing = closing_quote(c);
    std::size_t end = text_.find(closing, at_ + 1);
    const auto doubled = [&] {
      return c == closing && end != std::string_view::npos && end + 1 < text_.size() &&
             text_[end + 1] == closing;
    };
    while (doubled()) end = text_.find(closing, end + 2);
    if (end == std::string_view::npos) return refuse(at_, fmt::format("a {} is never closed", c));
    take(c == '\'' ? Token::Kind::text : Token::Kind::quoted_name, end + 1 - at_);
  }

  void take_number() {
    // 0xe-1 is two numbers: a hexadecimal one has no exponent.
    const bool hexadecimal = text_.size() - at_ > 1 && text_[at_] == '0' &&
                             (text_[at_ + 1] == 'x' || text_[at_ + 1] == 'X');
    const std::size_t size = run([&, last = text_[at_]](char next) mutable {
      const bool sign =
          !hexadecimal && (next == '+' || next == '-') && (last == 'e' || last == 'E');
      last = next;
      return sign || next == '.' || is_letter_or_digit(next) || next == '_';
    });
    take(Token::Kind::number, size);
  }

  void take_mark(char c) {
    static constexpr std::string_view k_doubled[] = {
        "<=", ">=", "<>", "!=", "==", "<<", ">>", "||", "->"};
    const std::string_view two = text_.substr(at_, 2);
    if (two == "--" || two == "/*")
      return refuse(at_,
                    "a comment is not possible inside an expression; write it as a YAML comment, "
                    "and 'a - -b' with a space");
    switch (c) {
      case ';': return refuse(at_, "';' is not possible in an expression; write one expression");
      case '?':
      case ':':
      case '@':
      case '$':
      case '#':
        return refuse(
            at_, fmt::format("'{}' has no meaning in an expression; write names as they are", c));
      case '\0': return refuse(at_, "a NUL byte is not possible in an expression");
      case '(': open_.push_back(at_); break;
      case ')':
        if (open_.empty()) return refuse(at_, "a ')' closes nothing");
        open_.pop_back();
        break;
      default: break;
    }
    take(Token::Kind::mark, std::ranges::find(k_doubled, two) != std::end(k_doubled) ? 2 : 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::size_t> open_;
  Scan out_;
};

}  // namespace

Scan scan_expression(std::string_view expression) {
  auto refused = [](std::string message) {
    return Scan{.tokens = {}, .fault = Fault{.offset = 0, .message = std::move(message)}};
  };
  if (expression.size() > k_expression_bytes)
    return refused(fmt::format("the expression has {} bytes; at most {} are read",
                               expression.size(), k_expression_bytes));
  if (trim(expression).empty()) return refused("the expression is empty");
  return Scanner(expression).scan();
}

std::optional<RealDivision> with_real_division(std::string_view expression,
                                               std::span<const Token> tokens) {
  RealDivision out{.sql = {}, .offset = 0};
  std::size_t copied = 0;
  for (const Token& token : tokens) {
    if (!token.is("/")) continue;
    if (copied == 0) out.offset = token.begin;
    out.sql.append(expression.substr(copied, token.begin - copied)).append(" * 1.0 /");
    copied = token.begin + 1;
  }
  if (copied == 0) return std::nullopt;
  out.sql.append(expression.substr(copied));
  return out;
}

std::string explain_refusal(const Refusal& refusal, std::span<const std::string> names) {
  const std::string_view message = refusal.message;
  if (!refusal.refused_function.empty()) return unknown_function(refusal.refused_function);
  if (const auto name = after(message, "no such column: "))
    return unknown_name(*name, refusal, names);
  if (const auto name = after(message, "no such function: ")) return unknown_function(lower(*name));
  if (const auto call = after(message, "misuse of aggregate function ")) return misuse(*call);
  if (message.find("window function") != std::string_view::npos)
    return "a window function is not possible; an expression sees one point";
  if (message.starts_with("subqueries prohibited"))
    return "a subquery is not possible; an expression sees one point";
  if (message == "row value misused")
    return "a list of values in parentheses is not a value; write one value";
  if (message.starts_with("RAISE()")) return "RAISE is not possible in an expression";
  if (message.starts_with("the \".\" operator"))
    return "a name cannot contain '.'; write the column's name alone";
  if (message.find("parser stack overflow") != std::string_view::npos ||
      message.find("too large (maximum depth") != std::string_view::npos)
    return "nested too deep; compute a part of it under 'let'";
  if (refusal.at_end || message == "incomplete input") return "the expression ends too early";
  if (const auto near = after(message, "near "))
    return fmt::format("not an SQL expression, at {}",
                       quoted(trim_quotes(near->substr(0, near->rfind(':')))));
  return fmt::format("SQLite refuses it: {}", printable(message));
}

}  // namespace orch::sql
