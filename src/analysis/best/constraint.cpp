#include "analysis/best/constraint.hpp"

#include "core/base/text.hpp"
#include "analysis/report/digits.hpp"
#include "core/sql/expression_scan.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace orch::best {

namespace {

using sql::Token;
using Tokens = std::span<const Token>;

constexpr std::string_view k_operations[] = {"<", "<=", ">", ">=", "=", "==", "<>", "!="};

// "50 < x" is "x > 50".
std::string turned(const std::string& operation) {
  if (operation.starts_with('<') && operation != "<>") return ">" + operation.substr(1);
  if (operation.starts_with('>')) return "<" + operation.substr(1);
  return operation;
}

std::string usual_form(std::string_view operation) {
  if (operation == "==") return "=";
  if (operation == "!=") return "<>";
  return std::string(operation);
}

std::string column_name(const Token& token) {
  std::string written(token.written);
  if (token.kind == Token::Kind::word) return written;
  return written.substr(1, written.size() - 2);  // without its quotes
}

bool is_name(const Token& token) {
  return token.kind == Token::Kind::word || token.kind == Token::Kind::quoted_name;
}

// A number with an optional sign at the begin of TOKENS, and how many tokens it has.
std::optional<std::pair<double, std::size_t>> number_at(Tokens tokens) {
  const bool is_signed = !tokens.empty() && (tokens[0].is("-") || tokens[0].is("+"));
  const std::size_t at = is_signed ? 1 : 0;
  if (tokens.size() <= at || tokens[at].kind != Token::Kind::number) return {};
  const auto number = to_real(tokens[at].written);
  if (!number) return {};
  return std::pair(is_signed && tokens[0].is("-") ? -*number : *number, at + 1);
}

bool is_operation(const Token& token) {
  return token.kind == Token::Kind::mark &&
         std::ranges::find(k_operations, token.written) != std::end(k_operations);
}

std::optional<Comparison> comparison_of(Tokens tokens, std::string written) {
  if (tokens.size() < 3) return {};
  if (is_name(tokens[0]) && is_operation(tokens[1])) {
    const auto number = number_at(tokens.subspan(2));
    if (!number || number->second + 2 != tokens.size()) return {};
    return Comparison{column_name(tokens[0]), usual_form(tokens[1].written), number->first,
                      std::move(written)};
  }
  const auto number = number_at(tokens);
  if (!number || tokens.size() != number->second + 2) return {};
  if (!is_operation(tokens[number->second]) || !is_name(tokens.back())) return {};
  return Comparison{column_name(tokens.back()), turned(usual_form(tokens[number->second].written)),
                    number->first, std::move(written)};
}

// Where AND joins whole conditions: not within parentheses, BETWEEN or CASE, and not beside OR.
std::vector<std::size_t> joints_of(Tokens tokens) {
  std::vector<std::size_t> joints;
  int depth = 0, cases = 0;
  bool in_between = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
    if (depth > 0) continue;
    if (token.is_word("OR")) return {};
    cases += token.is_word("CASE");
    cases -= token.is_word("END");
    if (token.is_word("BETWEEN")) in_between = true;
    if (!token.is_word("AND") || cases > 0) continue;
    if (!std::exchange(in_between, false)) joints.push_back(i);
  }
  return joints;
}

}  // namespace

Result<Condition> read_condition(const std::string& sql) {
  Condition out;
  if (sql.empty()) return out;
  const sql::Scan scan = sql::scan_expression(sql);
  if (scan.fault)
    return invalid(fmt::format("--subject-to: {} (at character {})", scan.fault->message,
                               scan.fault->offset + 1));
  const Tokens tokens = scan.tokens;
  std::vector<std::size_t> joints = joints_of(tokens);
  joints.push_back(tokens.size());
  std::size_t from = 0;
  for (const std::size_t to : joints) {
    const Tokens part = tokens.subspan(from, to - from);
    from = to + 1;
    if (part.empty()) continue;
    const std::size_t end = part.back().begin + part.back().written.size();
    std::string written = sql.substr(part.front().begin, end - part.front().begin);
    if (auto comparison = comparison_of(part, written))
      out.comparisons.push_back(std::move(*comparison));
    else out.others.push_back(std::move(written));
  }
  return out;
}

Kept judge(const Comparison& comparison, const Figure& figure) {
  constexpr double k_infinite = std::numeric_limits<double>::infinity();
  const double low = figure.limits.low.value_or(-k_infinite);
  const double high = figure.limits.high.value_or(k_infinite);
  const double number = comparison.number;
  const auto from = [](bool all, bool some) {
    return all ? Kept::surely : some ? Kept::open : Kept::broken;
  };
  if (comparison.operation == "<") return from(high < number, low < number);
  if (comparison.operation == "<=") return from(high <= number, low <= number);
  if (comparison.operation == ">") return from(low > number, high > number);
  if (comparison.operation == ">=") return from(low >= number, high >= number);
  const bool includes = low <= number && number <= high;
  if (comparison.operation == "=") return from(low == number && high == number, includes);
  return from(!includes, low != high);
}

std::string figure_text(const Figure& figure) {
  const report::Limits limits{figure.limits.low, figure.limits.high};
  const std::string between = report::interval(figure.value, limits);
  const std::string value = report::figure(figure.value, limits);
  return between.empty() ? value : fmt::format("{} ({})", value, between);
}

}  // namespace orch::best
