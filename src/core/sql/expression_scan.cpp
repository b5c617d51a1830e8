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
  return fmt::format("the function {} is unavailable in expressions; available: {}", quoted(name),
                     list_of(known));
}

// TEXT without the quotes that SQLite puts around a piece of the expression.
std::string_view trim_quotes(std::string_view text) {
  return text.size() >= 2 && text.starts_with('"') && text.ends_with('"')
             ? text.substr(1, text.size() - 2)
             : text;
}

std::string misuse(std::string_view call) {
  return fmt::format(
      "{} of one value aggregates over points, but an expression sees one point; give it two "
      "values or more",
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

  // A doubled quote inside a quoted text stands for one quote.
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
                    "a comment is not allowed inside an expression; write it as a YAML comment, "
                    "and 'a--b' as 'a - -b'");
    switch (c) {
      case ';': return refuse(at_, "';' is not allowed in an expression; write one expression");
      case '?':
      case ':':
      case '@':
      case '$':
      case '#':
        return refuse(
            at_, fmt::format("'{}' is not allowed in an expression; write names without it", c));
      case '\0': return refuse(at_, "a NUL byte is not allowed in an expression");
      case '(': open_.push_back(at_); break;
      case ')':
        if (open_.empty()) return refuse(at_, "a ')' closes nothing");
        open_.pop_back();
        break;
      default: break;
    }
    take(Token::Kind::mark, contains(k_doubled, two) ? 2 : 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::size_t> open_;
  Scan out_;
};

// Finds versions that an expression compares with numbers or as text, by scanning its tokens
// without a grammar.

class Walk {
 public:
  Walk(std::span<const Token> tokens, std::span<const std::string> versions)
      : tokens_(tokens), versions_(versions) {}

  std::optional<Fault> fault() const {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string* version = version_at(i);
      if (!version) continue;
      if (const Token* number = compared_with(i))
        return Fault{
            .offset = number->begin,
            .message = fmt::format("it compares the version '{0}' with the number {1}; write '{1}'",
                                   *version, number->written)};
      if (compares_something() && loses_order(i))
        return Fault{
            .offset = tokens_[i].begin,
            .message = fmt::format(
                "the version '{0}' is compared as text here, due to a function, CASE, || "
                "or COLLATE; compare {0} directly, and allow NULL with '{0} IS NULL OR ...'",
                *version)};
    }
    return std::nullopt;
  }

 private:
  const Token* at(std::size_t index) const {
    return index < tokens_.size() ? &tokens_[index] : nullptr;
  }
  bool is_mark(std::size_t index, std::string_view mark) const {
    return at(index) && at(index)->is(mark);
  }
  bool is_word(std::size_t index, std::string_view word) const {
    return at(index) && at(index)->is_word(word);
  }
  // Whether a '(' after INDEX opens the arguments of a function.
  bool is_function(std::size_t index) const {
    return at(index) && at(index)->kind == Token::Kind::word && !is_keyword(at(index)->written);
  }

  const std::string* version_at(std::size_t index) const {
    const Token& token = tokens_[index];
    std::string_view name = token.written;
    if (token.kind == Token::Kind::quoted_name) name = name.substr(1, name.size() - 2);
    else if (token.kind != Token::Kind::word) return nullptr;
    const auto same = [&](const std::string& version) { return lower(version) == lower(name); };
    const auto found = std::ranges::find_if(versions_, same);
    return found == versions_.end() ? nullptr : &*found;
  }

  bool compares(std::size_t index) const {
    static constexpr std::string_view k_marks[] = {"=", "==", "<", "<=", ">", ">=", "<>", "!="};
    const auto stands = [&](std::string_view mark) { return is_mark(index, mark); };
    return std::ranges::any_of(k_marks, stands) || is_word(index, "IS");
  }

  bool compares_something() const {
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if ((compares(i) && !is_word(i, "IS")) || is_word(i, "BETWEEN") || is_word(i, "IN"))
        return true;
    return false;
  }

  // Whether the result of FUNCTION is not a version, or keeps the order of versions.
  bool keeps_order(std::size_t function) const {
    static constexpr std::string_view k_harmless[] = {"length", "typeof", "instr", "like",
                                                      "glob",   "max",    "min"};
    const std::string name = lower(tokens_[function].written);
    return contains(k_harmless, name);
  }

  // Whether the value at INDEX passes through an operation that loses the order of versions.
  bool loses_order(std::size_t index) const {
    if (is_mark(index - 1, "||") || is_mark(index + 1, "||") || is_word(index + 1, "COLLATE"))
      return true;
    if (is_word(index - 1, "THEN") || is_word(index - 1, "ELSE")) return true;
    int depth = 0;
    for (std::size_t i = index; i-- > 0;) {
      depth += is_mark(i, ")") - is_mark(i, "(");
      if (depth < 0 && is_function(i - 1) && !keeps_order(i - 1)) return compares_outside(i);
      if (depth < 0) depth = 0;
    }
    return false;
  }

  // Whether the call at OPEN contains no complete comparison: then its result is compared.
  bool compares_outside(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; at(i); ++i) {
      depth += is_mark(i, "(") - is_mark(i, ")");
      if (depth == 0) return true;
      if (compares(i) || is_word(i, "BETWEEN") || is_word(i, "IN")) return false;
    }
    return true;
  }

  // The number at INDEX, after signs and opening parentheses; null if there is none.
  const Token* number_from(std::size_t index) const {
    while (is_mark(index, "(") || is_mark(index, "+") || is_mark(index, "-")) ++index;
    return at(index) && at(index)->kind == Token::Kind::number ? at(index) : nullptr;
  }

  // The number that ends at INDEX, before closing parentheses; null if there is none.
  const Token* number_to(std::size_t index) const {
    while (is_mark(index, ")") && at(index - 1) && is_mark(index - 2, "(") &&
           !is_function(index - 3))
      --index;
    return at(index) && at(index)->kind == Token::Kind::number ? at(index) : nullptr;
  }

  const Token* compared_with(std::size_t index) const {
    std::size_t before = index - 1;  // for 0, wraps to beyond every token
    std::size_t after = index + 1;
    while (is_mark(before, "(") && is_mark(after, ")") && !is_function(before - 1)) {
      --before;
      ++after;
    }
    if (is_word(before, "CASE")) return in_case(after);
    if (compares(before) || is_word(before, "BETWEEN"))
      if (const Token* number = number_to(before - 1)) return number;
    while (is_word(after, "NOT")) ++after;
    if (is_word(after, "BETWEEN")) return between(after + 1);
    if (is_word(after, "IN")) return in_list(after + 1);
    if (!compares(after)) return nullptr;
    ++after;
    while (is_word(after, "NOT") || is_word(after, "DISTINCT") || is_word(after, "FROM")) ++after;
    return number_from(after);
  }

  const Token* between(std::size_t first) const {
    if (const Token* number = number_from(first)) return number;
    int depth = 0;
    for (std::size_t i = first; at(i); ++i) {
      depth += is_mark(i, "(") - is_mark(i, ")");
      if (depth == 0 && is_word(i, "AND")) return number_from(i + 1);
    }
    return nullptr;
  }

  // CASE version WHEN number THEN ...
  const Token* in_case(std::size_t first) const {
    int depth = 0;
    for (std::size_t i = first; at(i) && depth >= 0; ++i) {
      if (depth == 0 && is_word(i, "WHEN"))
        if (const Token* number = number_from(i + 1)) return number;
      depth += is_word(i, "CASE") - is_word(i, "END");
    }
    return nullptr;
  }

  const Token* in_list(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; at(i); ++i) {
      if ((is_mark(i, "(") || is_mark(i, ",")) && depth <= 1 && at(i + 1) &&
          (depth == 1 || i == open))
        if (const Token* number = number_from(i + 1)) return number;
      depth += is_mark(i, "(") - is_mark(i, ")");
      if (depth == 0) break;
    }
    return nullptr;
  }

  std::span<const Token> tokens_;
  std::span<const std::string> versions_;
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

std::optional<Fault> find_version_as_number(std::span<const Token> tokens,
                                            std::span<const std::string> versions) {
  if (versions.empty()) return std::nullopt;
  return Walk(tokens, versions).fault();
}

std::size_t offset_in(std::string_view message, std::span<const Token> tokens) {
  static constexpr std::size_t k_short = 1;
  for (const Token& token : tokens)
    if (token.written.size() > k_short &&
        lower(message).find(lower(token.written)) != std::string::npos)
      return token.begin;
  return 0;
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
    return "a window function is not allowed; an expression sees one point";
  if (message.starts_with("subqueries prohibited"))
    return "a subquery is not allowed; an expression sees one point";
  if (message == "row value misused")
    return "a list of values in parentheses is not a value; write one value";
  if (message.starts_with("RAISE()")) return "RAISE is not allowed in an expression";
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
