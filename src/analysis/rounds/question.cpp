#include "analysis/rounds/question.hpp"

#include "core/base/text.hpp"
#include "core/sql/database.hpp"

#include <algorithm>
#include <cmath>

namespace orch::rounds {

namespace {

constexpr double k_usual_size = 0.03;
constexpr std::string_view k_against = " against ";

std::string label_of(const matrix::Settings& sets) {
  if (sets.size() == 1) return sets.front().second.text;
  std::vector<std::string> parts;
  for (const auto& [name, value] : sets) parts.push_back(name + " " + value.text);
  return join(parts, ", ");
}

Side side_of(const matrix::Settings& sets) { return {label_of(sets), sql_of(sets)}; }

// An axis of the matrix, or a parameter that one sets, with two of its values.
struct Found {
  std::string axis;
  std::vector<Side> sides;
};

// Every axis that has the values A and B.
std::vector<Found> axes_with(const matrix::Matrix& matrix, std::string_view a, std::string_view b) {
  std::vector<std::string> names = matrix::varied_parameters(matrix);
  for (const matrix::Axis& axis : matrix.axes)
    if (std::ranges::find(names, axis.name) == names.end()) names.push_back(axis.name);
  std::vector<Found> found;
  for (const std::string& name : names) {
    const auto values = matrix::alternatives_of(matrix, name);
    const auto labelled = [&](std::string_view label) {
      return std::ranges::find_if(values, [&](const matrix::Settings& sets) {
        return !sets.empty() && label_of(sets) == label;
      });
    };
    const auto first = labelled(a), second = labelled(b);
    if (first != values.end() && second != values.end())
      found.push_back({name, {side_of(*first), side_of(*second)}});
  }
  return found;
}

Result<std::vector<Side>> sides_of(const matrix::Matrix& matrix, std::string_view resolve) {
  const auto at = resolve.find(k_against);
  const std::string_view a = trim(resolve.substr(0, at));
  const std::string_view b =
      at == std::string_view::npos ? "" : trim(resolve.substr(at + k_against.size()));
  if (a.empty() || b.empty() || b.find(k_against) != std::string_view::npos)
    return invalid(
        fmt::format("--resolve is {}; write two sides, such as \"f16 against q8_0\" or "
                    "\"tp = 1 against tp = 2\"",
                    quoted(resolve)));
  if (a == b) return invalid(fmt::format("--resolve has {} on both sides", quoted(a)));
  std::vector<Found> found = axes_with(matrix, a, b);
  if (found.size() == 1) return std::move(found.front().sides);
  if (found.empty())
    return std::vector<Side>{{std::string(a), std::string(a)}, {std::string(b), std::string(b)}};
  std::vector<std::string> axes;
  for (const Found& one : found) axes.push_back(one.axis);
  return invalid(
      fmt::format("--resolve: {} and {} are values of {}; write \"{} = {} against {} = "
                  "{}\"",
                  quoted(a), quoted(b), join(axes, " and "), axes.front(), a, axes.front(), b));
}

}  // namespace

std::string sql_of(const matrix::Settings& sets) {
  std::vector<std::string> all;
  for (const auto& [name, value] : sets) {
    const std::string column = sql::quote_name(name);
    std::string any = column + " = " + sql::quote_text(value.text);
    // A column of numbers or truth values does not equal their text.
    if (const auto number = to_real(value.text); number && std::isfinite(*number))
      any += " OR " + column + " = " + value.text;
    else if (value.text == "true" || value.text == "false")
      any += " OR " + column + " = " + value.text;
    all.push_back("(" + any + ")");
  }
  return join(all, " AND ");
}

std::optional<double> seconds_of(std::string_view text) {
  double seconds = 0;
  while (!(text = trim(text)).empty()) {
    const auto digits = text.find_first_not_of("0123456789.");
    if (digits == 0 || digits == std::string_view::npos) return {};
    const auto number = to_real(text.substr(0, digits));
    static constexpr std::pair<char, double> k_units[] = {
        {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    const auto* unit =
        std::ranges::find_if(k_units, [&](const auto& one) { return one.first == text[digits]; });
    if (!number || unit == std::end(k_units)) return {};
    seconds += *number * unit->second;
    text.remove_prefix(digits + 1);
  }
  if (seconds > 0) return seconds;
  return {};
}

Result<std::optional<Question>> question_of(const matrix::Matrix& matrix, const Asked& asked) {
  const auto& until = matrix.measure.until_difference;
  if (asked.resolve.empty() && !until) {
    if (asked.budget_s || asked.most || !asked.size.empty() || !asked.metric.empty())
      return invalid(
          "--budget, --size, --of and --most-sessions belong to a comparison; add --resolve \"A "
          "against B\", or measure.until_difference to the matrix");
    return std::optional<Question>();
  }
  Question question;
  question.metric = !asked.metric.empty() ? asked.metric : until ? until->metric : "output_tps";
  question.most =
      asked.most.value_or(until ? until->most_sessions : matrix::UntilDifference().most_sessions);
  question.size = until ? until->size : k_usual_size;
  if (!asked.size.empty()) {
    const auto share = matrix::share_of_percent(asked.size);
    if (!share)
      return invalid(fmt::format("--size is {}; write a share above 0 and below 100 %, such as 3%",
                                 quoted(asked.size)));
    question.size = *share;
  }
  if (!asked.resolve.empty()) {
    ORCH_ASSIGN(question.sides, sides_of(matrix, asked.resolve));
  } else {
    for (const matrix::Settings& sets : matrix::alternatives_of(matrix, until->between))
      question.sides.push_back(side_of(sets));
  }
  return std::optional<Question>(std::move(question));
}

}  // namespace orch::rounds
