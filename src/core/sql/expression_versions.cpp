// Finds versions that an expression compares with numbers, by a scan of its tokens without a
// grammar.
#include "core/base/text.hpp"
#include "core/sql/expression_scan.hpp"
#include "core/sql/expression_table.hpp"

namespace orch::sql {

namespace {

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
        return Fault{.offset = tokens_[i].begin,
                     .message = fmt::format(
                         "the version '{0}' compares as text here, because of a function, CASE, || "
                         "or COLLATE; compare {0} directly, for NULL with '{0} IS NULL OR ...'",
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
  // A '(' here opens the arguments of a function.
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

  // Functions whose result is not a version, and those that keep the order of versions.
  bool keeps_order(std::size_t function) const {
    static constexpr std::string_view k_harmless[] = {"length", "typeof", "instr", "like",
                                                      "glob",   "max",    "min"};
    const std::string name = lower(tokens_[function].written);
    return std::ranges::find(k_harmless, name) != std::end(k_harmless);
  }

  // The value at INDEX passes through an operation that loses the order of versions.
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

  // The call that opens at INDEX contains no complete comparison: its result is compared outside.
  bool compares_outside(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; at(i); ++i) {
      depth += is_mark(i, "(") - is_mark(i, ")");
      if (depth == 0) return true;
      if (compares(i) || is_word(i, "BETWEEN") || is_word(i, "IN")) return false;
    }
    return true;
  }

  // The number that begins at INDEX, behind signs and parentheses.
  const Token* number_from(std::size_t index) const {
    while (is_mark(index, "(") || is_mark(index, "+") || is_mark(index, "-")) ++index;
    return at(index) && at(index)->kind == Token::Kind::number ? at(index) : nullptr;
  }

  // The number that ends at INDEX.
  const Token* number_to(std::size_t index) const {
    while (is_mark(index, ")") && at(index - 1) && is_mark(index - 2, "(") &&
           !is_function(index - 3))
      --index;
    return at(index) && at(index)->kind == Token::Kind::number ? at(index) : nullptr;
  }

  const Token* compared_with(std::size_t index) const {
    std::size_t before = index - 1;  // wraps to beyond every token at 0
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

std::optional<Fault> find_version_as_number(std::span<const Token> tokens,
                                            std::span<const std::string> versions) {
  if (versions.empty()) return std::nullopt;
  return Walk(tokens, versions).fault();
}

}  // namespace orch::sql
