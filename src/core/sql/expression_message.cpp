#include "core/sql/expression_message.hpp"

#include "core/base/text.hpp"
#include "core/sql/expression_guard.hpp"

namespace orch::sql {

namespace {

constexpr std::size_t k_names_shown = 40;

// The rest of TEXT after PREFIX; empty when TEXT does not begin with PREFIX.
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
