#include "analysis/report/describe.hpp"
#include "analysis/report/digits.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "results/query/table.hpp"
#include "results/tables/statements.hpp"

namespace orch::report {

namespace {

constexpr std::size_t k_short_digest = 12;

// One row, with values by column name.
using Row = std::map<std::string, sql::Cell>;

template <class... Args>
Result<std::vector<Row>> rows_of(tables::Statements& statements, std::string_view sql,
                                 const Args&... args) {
  std::vector<Row> rows;
  ORCH_TRY(statements.rows(sql, args..., [&](sql::Statement& row) {
    Row& out = rows.emplace_back();
    for (int i = 0; i < row.column_count(); ++i) out[row.column_name(i)] = row.cell(i);
  }));
  return rows;
}

const sql::Cell& cell(const Row& row, const std::string& name) {
  static const sql::Cell k_null;
  const auto found = row.find(name);
  return found == row.end() ? k_null : found->second;
}

std::optional<double> number(const Row& row, const std::string& name) {
  return real_of(cell(row, name));
}

std::string text(const Row& row, const std::string& name) {
  const sql::Cell& value = cell(row, name);
  if (const auto* string = std::get_if<std::string>(&value)) return printable_line(*string);
  const auto plain = number(row, name);
  return plain ? figure(*plain) : "";
}

constexpr std::string_view k_page_point = R"(
SELECT r.experiment AS experiment, p.run_id AS run, p.status AS planned, p.why AS why, p.id AS id,
  r.matrix_text AS matrix, h.facts AS machine
FROM point p JOIN run r ON r.id = p.run_id LEFT JOIN machine h ON h.id = r.machine_id
WHERE p.name = ?1 AND p.id = (SELECT max(id) FROM point WHERE name = ?1))";

constexpr std::string_view k_page_requested_by =
    "SELECT r.experiment AS experiment, max(p.run_id) AS run FROM point p JOIN run r ON r.id = "
    "p.run_id WHERE p.name = ? GROUP BY r.experiment ORDER BY 2 DESC";

constexpr std::string_view k_parameters =
    "SELECT e.key AS name, e.type AS type, e.value AS value FROM point p, json_each(p.parameters) "
    "e WHERE p.id = ? ORDER BY e.key";

// The point's measurements that are not superseded, which are the newest of each repeat, in order.
constexpr std::string_view k_page_measurements = R"(
SELECT m.id AS measurement, a.run_id AS run, a.number AS attempt, m.tool AS tool,
  m.definition AS definition, m.valid AS valid, m.reasons AS reasons, m.warnings AS warnings,
  m.notes AS notes, strftime('%Y-%m-%d %H:%M:%S', m.measured_at, 'unixepoch') AS measured_at,
  m.window_s AS window_s, m.session_id AS session, m.path AS record,
  json_extract(m.client, '$.scheduling') AS scheduling, json_extract(m.client, '$.cpus') AS cpus,
  json_extract(m.client, '$.cpus_why') AS cpus_why
FROM measurement m JOIN attempt a ON a.id = m.attempt_id
WHERE m.superseded = 0 AND m.stage_id IN (SELECT stage_id FROM point_stage WHERE point_id = ?)
ORDER BY m.id)";

constexpr std::string_view k_metric =
    "SELECT mean FROM metric WHERE measurement_id = ? AND name = ?";

constexpr std::string_view k_stages = R"(
SELECT pr.stage AS stage, pr.kind AS kind, rs.state AS state, rs.state_why AS why,
  pr.digest AS digest, pr.made_by_run AS run, pr.wall_s AS wall_s, pr.started_at AS started_at,
  pr.tool_version AS version, pr.artifact AS artifact, pr.artifact_bytes AS bytes,
  pr.artifact_digest AS artifact_digest, pr.orchestrate_version AS orchestrate,
  pr.machine AS machine, pr.command AS command
FROM provenance pr JOIN run_stage rs ON rs.run_id = pr.run AND rs.plan_id = pr.stage
WHERE pr.point = ? AND pr.run = ?)";

std::string heading(std::string_view name) { return fmt::format("\n{}\n", name); }

std::string indented(const std::string& lines) {
  std::string out;
  for (const std::string& line : split(lines, '\n'))
    if (!line.empty()) out += "  " + line + "\n";
  return out;
}

// Whether the text MATRIX sets NAME, that is, has it as a key.
bool is_set_in(std::string_view matrix, std::string_view name) {
  const auto part_of_name = [](char c) { return is_letter_or_digit(c) || c == '_'; };
  for (std::size_t at = matrix.find(name); at != std::string_view::npos;
       at = matrix.find(name, at + 1)) {
    if (at > 0 && part_of_name(matrix[at - 1])) continue;
    std::string_view rest = matrix.substr(at + name.size());
    if (!rest.empty() && (rest[0] == '"' || rest[0] == '\'')) rest.remove_prefix(1);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (rest.starts_with(':')) return true;
  }
  return false;
}

class Page {
 public:
  Page(sql::Database& database, std::string point, const PageOptions& options)
      : database_(database), statements_(database), point_(std::move(point)), options_(options) {}

  Result<std::string> text_of_page() {
    ORCH_ASSIGN(const auto found, rows_of(statements_, k_page_point, point_));
    if (found.empty()) return not_found(fmt::format("no point {}", quoted(point_)));
    planned_ = found.front();
    ORCH_TRY(requests());
    ORCH_ASSIGN(measurements_, rows_of(statements_, k_page_measurements,
                                       std::get<std::int64_t>(cell(planned_, "id"))));
    ORCH_TRY(results());
    ORCH_TRY(repeats());
    remarks();
    ORCH_TRY(parameters());
    ORCH_ASSIGN(const auto stages, rows_of(statements_, k_stages, point_,
                                           std::get<std::int64_t>(cell(planned_, "run"))));
    ORCH_TRY(provenance(stages));
    return commands(stages);
  }

 private:
  // --- the runs that requested it

  Status requests() {
    out_ = printable_line(point_) + "\n";
    ORCH_ASSIGN(const auto experiments, rows_of(statements_, k_page_requested_by, point_));
    for (const Row& one : experiments)
      out_ += fmt::format("  experiment {}, newest run {}\n", text(one, "experiment"),
                          text(one, "run"));
    out_ += fmt::format("  in run {}: {}{}\n", text(planned_, "run"), text(planned_, "planned"),
                        text(planned_, "why").empty() ? "" : " (" + text(planned_, "why") + ")");
    return {};
  }

  // --- the mean over repeats

  Status results() {
    ORCH_ASSIGN(const auto rows,
                rows_of(statements_,
                        "SELECT * FROM results_by_tool WHERE point = ? ORDER BY run DESC", point_));
    std::set<std::string> shown;
    for (const Row& row : rows)
      if (shown.insert(text(row, "tool")).second) ORCH_TRY(result(row));
    if (rows.empty()) out_ += "\nno valid measurement yet\n";
    return {};
  }

  Status result(const Row& row) {
    const auto repeats = static_cast<std::size_t>(number(row, "repeats").value_or(1));
    const auto sessions = static_cast<std::size_t>(number(row, "serve_repeats").value_or(0));
    out_ += heading(fmt::format(
        "figures{}: {}{}, measured {} in run {}",
        text(row, "tool") == "native" ? "" : " of " + text(row, "tool"),
        repeats == 1 ? "one measurement" : fmt::format("mean of {} measurements", repeats),
        sessions > 1 ? fmt::format(" on {} servers", sessions) : "", text(row, "measured_at"),
        text(row, "measured_run")));
    const std::string unsupported = text(row, "unsupported");
    TextTable table({"metric", "mean", "95 % interval", "sd", "p50", "p90", "p99", "n"});
    bool is_marked = false;
    // First the metrics of bench's table, in the order of the table after a run.
    std::string first = " ";
    for (const measure::MetricRow* one : measure::metrics_in(&measure::Lists::summary))
      if (one->shown.in.bench.place > 0) first += fmt::format("{} ", one->name);
    ORCH_TRY(statements_.rows(
        fmt::format(
            "SELECT metric FROM wide_column WHERE parameter = 0 AND statistic = '' ORDER "
            "BY instr('{0}', ' ' || metric || ' ') = 0, instr('{0}', ' ' || metric || ' '), "
            "rowid",
            first),
        [&](sql::Statement& column) {
          const std::string metric = column.column_text(0);
          const auto mean = number(row, metric);
          if (!mean) return;
          std::vector<std::string> cells = {metric};
          const Limits limits = limits_of(row, metric);
          cells.push_back(figure(*mean, limits));
          cells.push_back(interval(*mean, limits));
          for (const char* statistic : {"sd", "p50", "p90", "p99", "n"})
            cells.push_back(statistic_text(row, metric, statistic, unsupported, is_marked));
          table.add(std::move(cells));
        }));
    out_ += indented(table.text());
    if (is_marked) out_ += "  * n is too small for this percentile\n";
    return {};
  }

  static Limits limits_of(const Row& row, const std::string& column) {
    return {number(row, column + "_interval_low"), number(row, column + "_interval_high")};
  }

  static std::string statistic_text(const Row& row, const std::string& metric,
                                    const std::string& statistic, const std::string& unsupported,
                                    bool& is_marked) {
    const std::string column = metric + "_" + statistic;
    const auto value = number(row, column);
    if (!value) return "";
    const bool marked = lists(unsupported, column);
    is_marked = is_marked || marked;
    return figure(*value, statistic == "sd" ? Limits{} : limits_of(row, column)) +
           (marked ? "*" : "");
  }

  // --- each measurement

  Status repeats() {
    if (measurements_.empty()) return {};
    std::vector<std::string> names;
    for (const measure::MetricRow* shown : measure::metrics_in(&measure::Lists::point)) {
      ORCH_ASSIGN(const bool any, has_metric(shown->name));
      if (any) names.emplace_back(shown->name);
    }
    std::vector<std::string> header = {"measurement", "measured at", "run", "attempt", "valid"};
    header.insert(header.end(), names.begin(), names.end());
    TextTable table(header);
    for (const Row& one : measurements_) {
      std::vector<std::string> cells = {text(one, "measurement"), text(one, "measured_at"),
                                        text(one, "run"), text(one, "attempt"),
                                        number(one, "valid") == 1 ? "yes" : "NO"};
      if (const std::string tool = text(one, "tool"); tool != "native")
        cells[0] +=
            fmt::format(" ({}{})", tool, text(one, "definition") == tool ? "" : ", by ours");
      for (const std::string& name : names) {
        ORCH_ASSIGN(
            const auto value,
            statements_.real(k_metric, std::get<std::int64_t>(cell(one, "measurement")), name));
        cells.push_back(value ? figure(*value) : "");
      }
      table.add(std::move(cells));
    }
    out_ += heading("measurements") + indented(table.text());
    for (const Row& one : measurements_) ORCH_TRY(goodput(one));
    return {};
  }

  // One line for each expression that a run requested.
  Status goodput(const Row& measurement) {
    return statements_.rows(
        "SELECT expression, requests_per_s, good, of FROM goodput WHERE measurement_id = ? AND "
        "good IS NOT NULL ORDER BY expression",
        std::get<std::int64_t>(cell(measurement, "measurement")), [&](sql::Statement& row) {
          out_ +=
              fmt::format("  measurement {}: goodput {} requests/s, {} of {} good: {}\n",
                          text(measurement, "measurement"), figure(row.column_real(1)),
                          row.column_int(2), row.column_int(3), printable_line(row.column_text(0)));
        });
  }

  Result<bool> has_metric(std::string_view name) {
    for (const Row& one : measurements_) {
      ORCH_ASSIGN(
          const auto value,
          statements_.real(k_metric, std::get<std::int64_t>(cell(one, "measurement")), name));
      if (value) return true;
    }
    return false;
  }

  // --- remarks

  void remarks() {
    std::string lines =
        remarks_of("reasons", "not valid: ") + remarks_of("warnings", "") + remarks_of("notes", "");
    std::set<std::string> clients;
    for (const Row& one : measurements_) {
      if (text(one, "cpus").empty()) continue;
      const std::string why = text(one, "cpus_why");
      clients.insert(fmt::format("client: CPUs {} ({}){}", text(one, "cpus"),
                                 text(one, "scheduling"), why.empty() ? "" : ": " + why));
    }
    for (const std::string& client : clients) lines += "  - " + client + "\n";
    if (!lines.empty()) out_ += heading("remarks") + lines;
  }

  // The sentences in COLUMN, each once, with the measurements that have the sentence.
  std::string remarks_of(const std::string& column, std::string_view before) const {
    std::vector<std::pair<std::string, std::vector<std::string>>> sentences;
    for (const Row& one : measurements_) {
      const std::string all = text(one, column);
      for (std::string_view rest = all; !rest.empty();) {
        const std::size_t end = std::min(rest.find("; "), rest.size());
        const std::string sentence(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 2, rest.size()));
        auto known = std::ranges::find_if(
            sentences, [&](const auto& other) { return other.first == sentence; });
        if (known == sentences.end()) known = sentences.insert(known, {sentence, {}});
        known->second.push_back(text(one, "measurement"));
      }
    }
    std::string lines;
    for (const auto& [sentence, ids] : sentences)
      lines += fmt::format("  - {}{}{}\n", before, sentence,
                           ids.size() == measurements_.size() && ids.size() > 1
                               ? ""
                               : fmt::format(" (measurement {})", fmt::join(ids, ", ")));
    return lines;
  }

  // --- parameters

  Status parameters() {
    const std::string matrix = matrix_text();
    std::string lines;
    std::size_t folded = 0;
    ORCH_ASSIGN(const auto all,
                rows_of(statements_, k_parameters, std::get<std::int64_t>(cell(planned_, "id"))));
    TextTable table({"parameter", "value"});
    for (const Row& one : all) {
      const std::string name = text(one, "name");
      if (!options_.all && !matrix.empty() && !is_set_in(matrix, name)) {
        ++folded;
        continue;
      }
      table.add({name, parameter_text(one)});
    }
    if (!table.empty() || folded > 0) out_ += heading("parameters");
    if (!table.empty()) out_ += indented(table.text());
    if (folded > 0)
      out_ +=
          fmt::format("  + {} at {}, which the matrix does not set; --all shows {}\n",
                      plural(folded, "parameter"), folded == 1 ? "its default" : "their defaults",
                      folded == 1 ? "it" : "them");
    return {};
  }

  std::string matrix_text() const {
    const auto* matrix = std::get_if<std::string>(&cell(planned_, "matrix"));
    return matrix ? *matrix : "";
  }

  static std::string parameter_text(const Row& one) {
    const std::string type = text(one, "type");
    if (type == "true" || type == "false") return type;
    if (type == "null") return "-";
    const sql::Cell& value = cell(one, "value");
    if (const auto* real = std::get_if<double>(&value)) return rounded(*real);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
    return text(one, "value");
  }

  // --- provenance

  std::string digest(const Row& row, const std::string& name) const {
    const std::string whole = text(row, name);
    return options_.all ? whole : whole.substr(0, k_short_digest);
  }

  Status provenance(const std::vector<Row>& stages) {
    if (stages.empty()) return {};
    out_ += heading("where the figures come from");
    TextTable table({"stage", "state", "run", "took", "version", "output", "digest"});
    std::string reasons;
    for (const Row& one : stages) {
      const auto wall = number(one, "wall_s");
      const auto bytes = number(one, "bytes");
      table.add({text(one, "stage"), text(one, "state"), text(one, "run"),
                 wall ? human_duration(*wall) : "", text(one, "version"),
                 bytes ? human_bytes(static_cast<std::uint64_t>(*bytes)) : "",
                 digest(one, "digest")});
      if (!text(one, "why").empty())
        reasons += fmt::format("  {}: {}\n", text(one, "stage"), text(one, "why"));
      if (options_.all && !text(one, "artifact").empty())
        reasons += fmt::format("  {}: {}, digest {}\n", text(one, "stage"), text(one, "artifact"),
                               text(one, "artifact_digest"));
    }
    out_ += indented(table.text()) + reasons;
    return machine(stages.back());
  }

  // The machine of the run that made the last stage, which is a measurement.
  Status machine(const Row& stage) {
    const std::string& facts = is_null(cell(stage, "machine"))
                                   ? std::get<std::string>(cell(planned_, "machine"))
                                   : std::get<std::string>(cell(stage, "machine"));
    std::string line;
    ORCH_TRY(statements_.rows("SELECT key, value FROM json_each(?) WHERE value <> '' ORDER BY key",
                              facts, [&](sql::Statement& row) {
                                line += fmt::format("{}{} {}", line.empty() ? "" : ", ",
                                                    printable_line(row.column_text(0)),
                                                    printable_line(row.column_text(1)));
                              }));
    if (!line.empty()) out_ += fmt::format("  machine: {}\n", line);
    if (!text(stage, "orchestrate").empty())
      out_ += fmt::format("  orchestrate {}\n", text(stage, "orchestrate"));
    return {};
  }

  // --- commands

  Result<std::string> commands(const std::vector<Row>& stages) {
    std::string lines;
    for (const Row& one : stages) {
      ORCH_ASSIGN(const auto words,
                  statements_.texts("SELECT value FROM json_each(?)", cell(one, "command")));
      if (!words.empty())
        lines +=
            fmt::format("  {}:\n    {}\n", text(one, "stage"), printable_line(shell_quote(words)));
    }
    if (!lines.empty()) out_ += heading("commands") + lines;
    return std::move(out_);
  }

  sql::Database& database_;
  tables::Statements statements_;
  std::string point_;
  PageOptions options_;
  Row planned_;
  std::vector<Row> measurements_;
  std::string out_;
};

}  // namespace

Result<std::string> point_page(sql::Database& database, const std::string& point,
                               const PageOptions& options) {
  return Page(database, point, options).text_of_page();
}

}  // namespace orch::report
