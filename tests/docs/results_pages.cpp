#include "bench/measure/metric_names.hpp"
#include "bench/measure/metrics.hpp"
#include "docs/pages.hpp"
#include "fakes/temp_folder.hpp"
#include "results/query/query.hpp"
#include "results/store/sample.hpp"
#include "results/tables/views.hpp"
#include "results/tools/tool_figures.hpp"

#include <fmt/format.h>

namespace orch::docs {

namespace {

std::string unit_of(const measure::MetricRow& row) {
  return row.unit == "1" ? "share" : std::string(row.unit);
}

std::string origin_of(const measure::MetricRow& row) { return prose(row.source); }

std::string population_of(const measure::MetricRow& row) {
  if (row.each == nullptr) return "";
  return row.failed_too ? "It counts all measured requests, failed ones included.\n"
                        : "It counts the measured requests that succeeded with at least one "
                          "token.\n";
}

std::string peers_of(std::string_view metric) {
  std::string rows;
  for (const measure::PeerFormula& one : measure::peer_formulas())
    if (one.metric == metric && one.formula != "none")
      rows += row({prose(one.peer), prose(one.formula)});
  return rows.empty() ? "\nNo other tool that was examined has it.\n"
                      : "\n" + head({"other tool", "its definition"}) + rows;
}

std::vector<std::vector<std::string>> rows_of(sql::Database& database, const std::string& query) {
  const auto table = report::select(database, query);
  std::vector<std::vector<std::string>> rows;
  if (!table) return {{table.error().message}};
  for (const auto& cells : table->rows) {
    auto& out = rows.emplace_back();
    for (const sql::Cell& cell : cells) {
      const auto* text = std::get_if<std::string>(&cell);
      out.push_back(text ? *text : "");
    }
  }
  return rows;
}

// Names and declared types of the columns of a table or a view.
std::vector<std::vector<std::string>> columns_of(sql::Database& database, std::string_view name) {
  return rows_of(database, fmt::format("SELECT name, type FROM pragma_table_info('{}')", name));
}

// What COLUMN of VIEW means.
std::string meaning_of(const std::string& column, std::string_view view) {
  for (const tables::ViewColumn& one : tables::view_columns())
    if (one.name == column && one.is_of(view)) return prose(one.what);
  if (const measure::MetricRow* metric = measure::find_metric(column))
    return fmt::format("[metric](metrics.md#{}), in {}", column, unit_of(*metric));
  return "";
}

std::string columns_table(sql::Database& database, std::string_view view) {
  std::string text = head({"column", "meaning"});
  for (const auto& column : columns_of(database, view))
    text += row({code(column.front()), meaning_of(column.front(), view)});
  return text;
}

std::string statistics() {
  std::string out;
  for (const std::string_view one : k_suffixed_statistics)
    out += (out.empty() ? "" : ", ") + code("NAME_" + std::string(one));
  return out;
}

}  // namespace

std::string metrics_page() {
  std::string text =
      title("Metrics") +
      "\nEvery figure that `orchestrate bench` and `orchestrate run` report, with its formula. "
      "`orchestrate explain NAME` prints the same. Times are taken with the monotonic clock: an "
      "event is stamped once, right after the read that returned it.\n\n";
  text += head({"metric", "unit", "formula", "definition from"});
  for (const measure::MetricRow& one : measure::metric_table())
    text += row(
        {fmt::format("[`{0}`](#{0})", one.name), unit_of(one), prose(one.formula), origin_of(one)});
  text += fmt::format(
      "\nA metric with a value per request has the statistics {} beside its mean, which has the "
      "name of the metric itself. A percentile is interpolated linearly between the two nearest "
      "ranks, and is marked as unsupported where there are too few values for it.\n",
      statistics());
  std::vector<std::string> derived;
  for (const measure::MetricRow& one : measure::derived_metrics()) derived.emplace_back(one.name);
  text += fmt::format("\nMetrics of the stages before a measurement: {}.\n", codes(derived));
  for (const measure::MetricRow& one : measure::metric_table()) {
    text += fmt::format("\n## {}\n\n{} ({}). Definition from: {}.\n", one.name, prose(one.formula),
                        unit_of(one), origin_of(one));
    text += population_of(one) + peers_of(one.name);
  }
  text += "\n## The other tools\n\n" + head({"tool", "release and remarks"});
  for (const measure::Peer& peer : measure::peers())
    text += row({prose(peer.name), prose(peer.release)});
  return text;
}

std::string results_page() {
  const fakes::TempFolder folder;
  store::Store store = sample::open_store(folder.path());
  sql::Database& database = store.database();
  std::string text =
      title("Results") +
      "\n`results.db` in the results folder is an SQLite database. Its views are stable: "
      "`orchestrate query 'SELECT ...'` and any other program may read them. Its tables are "
      "internal and may change with a release.\n\n## Views\n\n";
  text += head({"view", "has"});
  for (const tables::View& view : tables::public_views())
    text += row({fmt::format("[`{0}`](#{0})", view.name), prose(view.what)});
  text += fmt::format(
      "\nViews of measurements have further columns: one for each parameter of the points (as it "
      "is named in the matrix), and one for each [metric](metrics.md), with {} for its "
      "statistics. A column appears with the first value.\n",
      statistics());
  for (const tables::View& view : tables::public_views())
    text += fmt::format("\n### {}\n\n{}.\n\n", view.name, prose(view.what)) +
            columns_table(database, view.name);
  text += "\n## Tables\n";
  for (const auto& name :
       rows_of(database,
               "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
               "ORDER BY name")) {
    text += fmt::format("\n### {}\n\n", name.front()) + head({"column", "type"});
    for (const auto& column : columns_of(database, name.front()))
      text += row({code(column[0]), prose(column[1])});
  }
  return text;
}

}  // namespace orch::docs
