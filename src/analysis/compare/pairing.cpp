#include "analysis/compare/pairing.hpp"

#include "core/base/text.hpp"
#include "results/tables/statements.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace orch::compare {

namespace {

using Texts = std::set<std::string>;
using Json = nlohmann::json;

std::string value_of(const Selected& selected, const Measured& row, const std::string& parameter) {
  const auto at = std::ranges::find(selected.parameters, parameter);
  if (at == selected.parameters.end()) return "";
  return row.parameters[static_cast<std::size_t>(at - selected.parameters.begin())];
}

Texts values_of(const Selected& selected, const std::string& parameter) {
  Texts values;
  for (const Measured& row : selected.rows) values.insert(value_of(selected, row, parameter));
  return values;
}

// Numbers by size, before texts.
std::vector<std::string> in_order(const Texts& values) {
  std::vector<std::string> out(values.begin(), values.end());
  std::ranges::stable_sort(out, [](const std::string& a, const std::string& b) {
    const auto left = to_real(a), right = to_real(b);
    if (left && right) return *left < *right;
    return left.has_value() && !right.has_value();
  });
  return out;
}

// Numbers within names by size: "isl 32" before "isl 128".
bool is_before(std::string_view a, std::string_view b) {
  const auto number = [](std::string_view& text) {
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto value = to_real(text.substr(0, end)).value_or(0);
    text.remove_prefix(end);
    return value;
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const double left = number(a), right = number(b);
      if (left != right) return left < right;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

// The rows of both sides in classes that agree in all parameters so far.
class Classes {
 public:
  Classes(const Selected& a, const Selected& b)
      : a_(a), b_(b), of_(a.rows.size() + b.rows.size()) {}

  // Splits each class by the values of PARAMETER. False: none is split, because PARAMETER follows
  // from the others.
  bool split(const std::string& parameter) {
    std::map<std::pair<std::size_t, std::string>, std::size_t> known;
    std::vector<std::size_t> split(of_.size());
    std::size_t at = 0;
    for (const Selected* side : {&a_, &b_})
      for (const Measured& row : side->rows) {
        const auto key = std::pair(of_[at], value_of(*side, row, parameter));
        split[at++] = known.emplace(key, known.size()).first->second;
      }
    if (known.size() == count_) return false;
    count_ = known.size();
    of_ = std::move(split);
    return true;
  }

 private:
  const Selected& a_;
  const Selected& b_;
  std::vector<std::size_t> of_;
  std::size_t count_ = 1;
};

Texts pairs_on(const Pairing& pairing, const Selected& selected) {
  Texts pairs;
  for (const Measured& row : selected.rows) pairs.insert(pairing.pair_of(selected, row));
  return pairs;
}

constexpr std::size_t k_most_lenders = 200;

// The machine without what changes when it is started again.
std::string lender_machine(const std::string& facts) {
  Json parsed = Json::parse(facts, nullptr, false);
  if (!parsed.is_object()) return facts;
  parsed.erase("boot_id");
  return parsed.dump();
}

Result<std::vector<std::string>> lender_texts(tables::Statements& statements,
                                              const std::string& sql) {
  std::vector<std::string> out;
  ORCH_TRY(statements.rows(sql, [&](sql::Statement& row) { out.push_back(row.column_text(0)); }));
  return out;
}

// Numbers of runs by their machine.
Result<std::map<std::string, std::vector<std::int64_t>>> runs_by_machine(
    tables::Statements& statements) {
  std::map<std::string, std::vector<std::int64_t>> out;
  ORCH_TRY(statements.rows("SELECT r.id, h.facts FROM run r JOIN machine h ON h.id = r.machine_id",
                           [&](sql::Statement& row) {
                             out[lender_machine(row.column_text(1))].push_back(row.column_int(0));
                           }));
  return out;
}

// The runs of the one machine on which the servers of SESSIONS ran; empty if there are several.
Result<std::vector<std::int64_t>> runs_of_machine(tables::Statements& statements,
                                                  const std::string& sessions) {
  ORCH_ASSIGN(const auto runs,
              lender_texts(statements,
                           "SELECT DISTINCT a.run_id FROM service_session ss JOIN attempt "
                           "a ON a.id = ss.attempt_id WHERE ss.id IN (" +
                               sessions + ")"));
  ORCH_ASSIGN(const auto machines, runs_by_machine(statements));
  const std::vector<std::int64_t>* found = nullptr;
  for (const auto& [machine, of_machine] : machines) {
    const bool measured = std::ranges::any_of(of_machine, [&](std::int64_t run) {
      return std::ranges::find(runs, std::to_string(run)) != runs.end();
    });
    if (measured && found) return std::vector<std::int64_t>();
    if (measured) found = &of_machine;
  }
  return found ? *found : std::vector<std::int64_t>();
}

// The configuration of each measurement: the first measure stage that its point was asked with.
// Repeats of a configuration are further stages beside it.
Result<std::map<std::int64_t, std::int64_t>> configurations(tables::Statements& statements,
                                                            const std::string& sessions) {
  std::map<std::int64_t, std::int64_t> out;
  ORCH_TRY(statements.rows(
      fmt::format("SELECT m.id, min(ps.stage_id) FROM measurement m JOIN measurement_point mp ON "
                  "mp.measurement = m.id JOIN point_stage ps ON ps.point_id = mp.newest_point_id "
                  "JOIN stage s ON s.id = ps.stage_id AND s.kind = 'measure' WHERE m.session_id IN "
                  "({}) GROUP BY m.id",
                  sessions),
      [&](sql::Statement& row) { out[row.column_int(0)] = row.column_int(1); }));
  return out;
}

// Sessions with the same points of the same configuration.
std::vector<statistics::Sessions> groups_of(const std::vector<ObservedSession>& sessions) {
  std::map<std::set<std::string>, statistics::Sessions> groups;
  for (const ObservedSession& session : sessions) {
    std::set<std::string> points;
    for (const statistics::Observation& one : session.observations) points.insert(one.pair);
    groups[points].push_back(session.observations);
  }
  std::vector<statistics::Sessions> out;
  for (auto& [points, group] : groups) out.push_back(std::move(group));
  return out;
}

std::string list_of(std::span<const std::int64_t> numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// In ascending order; empty if a measurement has no server of ours.
Result<std::vector<std::string>> sessions_of_sides(tables::Statements& statements,
                                                   const std::string& measurements) {
  ORCH_ASSIGN(auto out, lender_texts(statements,
                                     "SELECT DISTINCT coalesce(session_id, 0) FROM measurement "
                                     "WHERE id IN (" +
                                         measurements + ") ORDER BY 1"));
  if (!out.empty() && out.front() == "0") out.clear();
  return out;
}

std::string of_sessions(const std::string& sessions) {
  return "measurement IN (SELECT id FROM measurement WHERE session_id IN (" + sessions + "))";
}

}  // namespace

std::string Pairing::pair_of(const Selected& selected, const Measured& row) const {
  std::vector<std::string> parts;
  for (const std::string& parameter : paired_by)
    if (const std::string value = value_of(selected, row, parameter); !value.empty())
      parts.push_back(parameter + " " + value);
  return parts.empty() ? "all" : join(parts, ", ");
}

Pairing pairing_of(const Selected& a, const Selected& b) {
  Pairing out;
  std::vector<std::string> parameters = a.parameters;
  for (const std::string& parameter : b.parameters)
    if (std::ranges::find(parameters, parameter) == parameters.end())
      parameters.push_back(parameter);
  Classes classes(a, b);
  for (const std::string& parameter : parameters) {
    const Texts in_a = values_of(a, parameter), in_b = values_of(b, parameter);
    Texts both = in_a;
    both.insert(in_b.begin(), in_b.end());
    if (both.size() < 2) continue;
    const bool shared =
        std::ranges::any_of(in_a, [&](const std::string& value) { return in_b.contains(value); });
    if (shared && classes.split(parameter)) out.paired_by.push_back(parameter);
    else if (!shared && !in_a.empty() && !in_b.empty())
      out.differing.push_back({parameter, in_order(in_a), in_order(in_b)});
  }
  const Texts on_a = pairs_on(out, a), on_b = pairs_on(out, b);
  for (const std::string& pair : on_a)
    (on_b.contains(pair) ? out.pairs : out.only_a).push_back(pair);
  for (const std::string& pair : on_b)
    if (!on_a.contains(pair)) out.only_b.push_back(pair);
  for (auto* names : {&out.pairs, &out.only_a, &out.only_b})
    std::ranges::stable_sort(*names, is_before);
  return out;
}

Result<Lenders> Lenders::read(sql::Database& database, std::span<const std::int64_t> measurements,
                              std::span<const std::string> metrics) {
  Lenders out;
  tables::Statements statements(database);
  ORCH_ASSIGN(const auto sides, sessions_of_sides(statements, list_of(measurements)));
  if (sides.empty()) return out;
  const std::string compared = join(sides, ", ");
  ORCH_ASSIGN(const auto runners,
              lender_texts(statements, "SELECT DISTINCT runner FROM results_all WHERE " +
                                           of_sessions(compared)));
  ORCH_ASSIGN(const auto runs, runs_of_machine(statements, compared));
  if (runners.size() != 1 || runs.empty()) return out;
  ORCH_ASSIGN(const auto lenders,
              lender_texts(statements,
                           fmt::format("SELECT ss.id FROM service_session ss JOIN attempt a ON "
                                       "a.id = ss.attempt_id WHERE a.run_id IN ({}) AND ss.id NOT "
                                       "IN ({}) ORDER BY ss.id DESC LIMIT {}",
                                       list_of(runs), compared, k_most_lenders)));
  if (lenders.empty()) return out;
  const std::string sessions = join(lenders, ", ");
  ORCH_ASSIGN(out.selected_,
              select_measured(database,
                              fmt::format("runner = {} AND {}", sql::quote_text(runners.front()),
                                          of_sessions(sessions)),
                              metrics));
  ORCH_ASSIGN(out.configuration_, configurations(statements, sessions));
  return out;
}

std::vector<statistics::Sessions> Lenders::groups(std::size_t metric) const {
  if (selected_.rows.empty()) return {};
  const Observations observed =
      observations_of(selected_, metric, [&](const Measured& row) -> std::optional<std::string> {
        const auto at = configuration_.find(row.measurement);
        if (at == configuration_.end()) return {};
        return std::to_string(at->second);
      });
  return groups_of(observed.sessions);
}

std::optional<double> Lenders::largest(std::size_t metric) const {
  return statistics::largest_difference(groups(metric));
}

std::optional<statistics::LentSpread> Lenders::spread(std::size_t metric, double concentration,
                                                      statistics::Scale scale) const {
  auto lent = statistics::lent_spread(groups(metric), scale);
  if (lent) lent->sd *= std::sqrt(concentration);
  return lent;
}

}  // namespace orch::compare
