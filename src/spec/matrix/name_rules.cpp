#include "spec/matrix/name_rules.hpp"

#include "bench/measure/statistic_names.hpp"
#include "core/base/text.hpp"
#include "bench/measure/metrics.hpp"
#include "core/sql/expression_table.hpp"

namespace orch::matrix {

namespace {

constexpr std::size_t k_longest_name = 64;

// Columns of the view `results` that are not parameters.
constexpr std::string_view k_view_columns[] = {"experiment", "run",   "point",
                                               "runner",     "valid", "reasons"};
// The suffix of a latency that counts from the scheduled send.
constexpr std::string_view k_intended = "intended";

bool is_free_form(std::string_view name) {
  return !name.empty() && name.size() <= k_longest_name && is_letter_or_digit(name[0]) &&
         std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

// "; write 'max_len'" when NAME becomes a possible name by small letters and underscores.
std::string remedy(std::string_view name) {
  std::string mended = lower(name.substr(0, k_longest_name));
  for (char& c : mended)
    if (!is_letter_or_digit(c)) c = '_';
  return is_column_name(mended) ? fmt::format("; write '{}'", mended) : "";
}

bool is_statistic(std::string_view name) {
  return std::ranges::find(k_statistic_names, name) != k_statistic_names.end();
}

bool names_metric(std::string_view name) {
  const auto begins = [&](std::string_view metric) {
    if (!name.starts_with(metric)) return false;
    const std::string_view rest = name.substr(metric.size());
    if (rest.empty()) return true;
    return rest[0] == '_' && (rest.substr(1) == k_intended || is_statistic(rest.substr(1)));
  };
  const auto rows = measure::metric_table();
  return std::ranges::any_of(rows,
                             [&](const measure::MetricRow& row) { return begins(row.name); }) ||
         std::ranges::any_of(measure::k_derived_metrics, begins);
}

}  // namespace

std::optional<std::string> refuse_column_name(std::string_view name) {
  if (!is_column_name(name))
    return fmt::format(
        "a name consists of a-z, 0-9 and _, begins with a letter and has at most {} characters{}",
        k_longest_name, remedy(name));
  if (sql::is_keyword(name)) return "this is a keyword of SQL; choose another name";
  if (names_metric(name)) return "this is the name of a metric; choose another name";
  if (std::ranges::find(k_view_columns, name) != std::end(k_view_columns))
    return "the view of results has a column of this name; choose another name";
  return std::nullopt;
}

std::optional<std::string> refuse_free_name(std::string_view name) {
  if (is_free_form(name)) return std::nullopt;
  return fmt::format(
      "a name consists of letters, digits, '.', '_' and '-', begins with a letter or digit and has "
      "at most "
      "{} characters",
      k_longest_name);
}

}  // namespace orch::matrix
