// A gate: SQL that every row of a comparison must meet. A row that does not count as evidence fails
// it, unless that is allowed.
#pragma once

#include "core/base/result.hpp"
#include "analysis/compare/two_sides.hpp"

#include <set>
#include <string>
#include <vector>

namespace orch::compare {

// What a row may be without failing the gate.
enum class Allowed { invalid, unsupported, disturbed, unpaired, missing, no_claim, unknown };
inline constexpr std::string_view k_allowed_names[] = {
    "invalid", "unsupported", "disturbed", "unpaired", "missing", "no-claim", "unknown"};
std::optional<Allowed> allowed_from(std::string_view name);

struct GateResult {
  std::vector<std::string> failures;  // a line for each row that fails, and why
  std::vector<std::string> allowed;   // a line for each that would fail if it were not allowed
  std::size_t rows = 0;               // that the SQL was asked about
  bool passed() const { return failures.empty(); }
};

// Why SQL cannot be asked about a row, as check_gate() would say.
Status check_gate_sql(const std::string& sql);

// SQL is an expression over the columns of comparison_table(). A row for which it is false or NULL
// fails, and so does one about which nothing is claimed, whatever the SQL says. A row and a metric
// without a value on a side fail as if they had no partner. A comparison without a row fails. An
// error is one line: SQLite's message and the closest column.
Result<GateResult> check_gate(const Comparison& comparison, const std::string& sql,
                              const std::set<Allowed>& allowed);

}  // namespace orch::compare
