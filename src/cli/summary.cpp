#include "cli/summary.hpp"

#include "base/text.hpp"
#include "cli/plan_text.hpp"
#include "cli/say.hpp"
#include "report/query.hpp"

namespace orch::cli {

namespace {

void print_reasons(const plan::Plan& plan, plan::Status status, std::string_view what) {
  for (const auto& [reason, count] : reasons_of(plan, status)) say(stderr, "{} {} of {} points: {}\n", what, count, plan.points.size(), reason);
}

// A statistic of METRIC that n is too small for is marked, as everywhere.
std::string p99_of(std::string_view metric) {
  return fmt::format("round({0}_p99, 2) || CASE WHEN instr(' ' || unsupported || ' ', ' {0}_p99 ') THEN '*' ELSE '' END AS {0}_p99", metric);
}

// The parameters that axes and includes set, in the order in which the matrix names them.
std::vector<std::string> varied(const matrix::Matrix& matrix) {
  std::vector<std::string> names;
  auto add = [&](const matrix::Settings& sets) {
    for (const auto& [name, scalar] : sets)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const matrix::Axis& axis : matrix.axes)
    for (const matrix::AxisValue& value : axis.values) add(value.sets);
  for (const matrix::Include& include : matrix.include) add(include.sets);
  return names;
}

}  // namespace

void print_summary(const plan::Plan& plan, const schedule::Outcome& outcome, double seconds) {
  say(stderr, "\n{}: {} done, {} reused, {} failed, {} skipped{} in {}\n", plan.matrix_name, outcome.done, outcome.reused, outcome.failed, outcome.skipped,
             outcome.cancelled ? fmt::format(", {} stopped", outcome.cancelled) : "", human_duration(seconds));
  print_reasons(plan, plan::Status::reject, "rejected");
  print_reasons(plan, plan::Status::undecided, "undecided");
  print_reasons(plan, plan::Status::failed, "failed before:");
  if (outcome.cancelled) say(stderr, "The same command goes on from here.\n");
  for (const auto& [klass, count] : outcome.failures_by_class) say(stderr, "  {} failed: {}\n", count, klass);
  if (!outcome.failures_by_class.empty()) say(stderr, "See `orchestrate query failures` and `orchestrate logs STAGE`.\n");
}

void print_results(store::Store& store, const matrix::Matrix& matrix, std::int64_t run_id) {
  std::vector<std::string> columns;
  for (const std::string& name : varied(matrix)) columns.push_back(sql::quote_name(name));
  columns.push_back("round(output_tps, 1) AS output_tps");
  const std::string sql = fmt::format(
      "SELECT {}, round(ttft_ms, 2) AS ttft_ms, {}, round(itl_ms, 3) AS itl_ms, "
      "round(request_latency_ms, 1) AS request_latency_ms, round(requests_per_s, 2) AS requests_per_s FROM results WHERE run = {} ORDER BY output_tps DESC",
      join(columns, ", "), p99_of("ttft_ms"), run_id);
  const auto table = report::run_query(store.database(), sql, report::Format::table);
  if (!table || table->find('\n') + 1 == table->size()) return;  // no rows
  say(stdout, "{}", *table);
  if (table->find('*') != std::string::npos) say(stderr, "* n is too small for this percentile: p99 needs 100 requests\n");
}

}  // namespace orch::cli
