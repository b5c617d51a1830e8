#include "results/query/query.hpp"

#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "results/tables/views.hpp"

#include <cerrno>

namespace orch::report {

namespace {

bool is_word_character(char c) { return is_letter_or_digit(c) || c == '_'; }

std::string_view first_word(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_word_character(text[end])) ++end;
  return text.substr(0, end);
}

std::string_view without_comments(std::string_view text) {
  while (true) {
    text = trim(text);
    std::size_t end = std::string_view::npos;
    if (text.starts_with("--")) end = text.find('\n');
    else if (text.starts_with("/*")) end = text.find("*/", 2);
    else return text;
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (text[0] == '/' ? 2 : 1));
  }
}

std::optional<std::string> bare_name(std::string_view query) {
  query = without_comments(query);
  while (query.ends_with(';')) query = trim(query.substr(0, query.size() - 1));
  if (query.empty() || first_word(query).size() != query.size()) return std::nullopt;
  return std::string(query);
}

// Rejects statements that may write. A read-only connection is not enough: VACUUM INTO writes a
// file even there, and SQLite reports ATTACH as read-only.
Status require_reading_statement(std::string_view query) {
  static constexpr std::string_view k_reading[] = {"select", "with", "values", "explain", "pragma"};
  const std::string word = lower(first_word(without_comments(query)));
  if (std::ranges::find(k_reading, word) != std::end(k_reading)) return {};
  return invalid(
      fmt::format("queries are read-only: start with SELECT or WITH, or give the name of a view "
                  "('{}' is neither)",
                  printable_line(query.substr(0, 40))));
}

// Removes the statement from SQLite's message, because the user has just written it, and adds the
// closest known name.
Error with_suggestion(sql::Database& database, std::string_view query, Error error) {
  if (const auto at = error.message.find(", in: "); at != std::string::npos)
    error.message.erase(at);
  error.message += suggested_name(database, query, error.message);
  error.message = printable_line(error.message);
  if (error.kind == ErrorKind::not_found) error.kind = ErrorKind::invalid;
  return error;
}

// The memory that a cell needs until it is printed: as a value, as text and in the output.
std::uint64_t memory_of(const Cell& cell) {
  static constexpr std::uint64_t k_times = 3;
  const auto* text = std::get_if<std::string>(&cell);
  const auto* blob = std::get_if<Blob>(&cell);
  const std::size_t size = text ? text->size() : blob ? blob->bytes.size() : 0;
  return k_times * (sizeof(Cell) + size);
}

Error too_much_memory(const sql::QueryLimits& limits) {
  return Error{.kind = ErrorKind::invalid,
               .message = fmt::format("the query needs more than {} MiB of memory; ask for fewer "
                                      "rows or columns, or raise the limit with --max-memory MIB",
                                      limits.bytes >> 20),
               .number = ENOMEM};
}

Error too_much_time(const sql::QueryLimits& limits) {
  return Error{ErrorKind::timeout,
               fmt::format("the query took longer than {} s; narrow it, or raise the "
                           "limit with --timeout SECONDS",
                           limits.seconds)};
}

// LIMITS: nullopt stands for the usual limits, under which the number of rows is not limited.
Result<Table> read_rows(sql::Database& database, std::string_view query, sql::QueryGuard& guard,
                        const std::optional<sql::QueryLimits>& limits) {
  const std::uint64_t most_rows = limits ? limits->rows : 0;
  ORCH_ASSIGN(sql::Statement statement, database.prepare(query));
  if (!statement.read_only())
    return invalid("queries are read-only; this one would change the database");
  Table table;
  for (int column = 0; column < statement.column_count(); ++column)
    table.columns.push_back(statement.column_name(column));
  while (true) {
    ORCH_ASSIGN(const bool row, statement.step());
    if (!row) return table;
    table.is_cut = most_rows > 0 && table.rows.size() == most_rows;
    if (table.is_cut) return table;
    auto& cells = table.rows.emplace_back();
    std::uint64_t bytes = 0;
    for (int column = 0; column < statement.column_count(); ++column)
      bytes += memory_of(cells.emplace_back(statement.cell(column)));
    if (limits && !guard.keep(bytes)) return Error{ErrorKind::invalid, "out of memory", {}, ENOMEM};
  }
}

// Runs SQL that changes only temporary objects of this connection, which would count as a write on
// a read-only connection.
Status change_temporary(sql::Database& database, std::string_view sql) {
  ORCH_ASSIGN(const std::int64_t only, database.query_int("PRAGMA query_only"));
  ORCH_TRY(database.execute("PRAGMA query_only = OFF"));
  const Status changed = database.execute(sql);
  const Status again = database.execute(fmt::format("PRAGMA query_only = {}", only));
  return changed ? again : changed;
}

// `results` has the rows of our own load generator, so that figures of different definitions are
// not averaged by accident. For a statement that names the column `tool` of `results`, creates a
// temporary view with the rows of every tool, which only this connection has and which the views of
// the file do not read.
Status show_every_tool_asked_for(sql::Database& database, std::string_view query) {
  ORCH_TRY(change_temporary(database, "DROP VIEW IF EXISTS temp.results"));
  if (!sql::names_identifier(query, "tool") ||
      !sql::reads_column(database, query, "results", "tool"))
    return {};
  return change_temporary(database,
                          "CREATE TEMP VIEW results AS SELECT * FROM main.results_by_tool");
}

Result<Table> read_all(sql::Database& database, std::string_view query,
                       const std::optional<sql::QueryLimits>& limits) {
  sql::QueryGuard guard(database, limits ? *limits : sql::usual_limits());
  auto table = read_rows(database, query, guard, limits);
  if (table) return table;
  if (!limits) return guard.explained(std::move(table).error());
  if (guard.is_out_of_time(table.error())) return too_much_time(*limits);
  if (limits->bytes > 0 && sql::QueryGuard::is_out_of_memory(table.error()))
    return too_much_memory(*limits);
  return table;
}

std::string select_all(const std::string& name) { return "SELECT * FROM " + sql::quote_name(name); }

// The columns of wide views that hold figures.
std::set<std::string> figure_columns(sql::Database& database) {
  const std::vector<std::string> list =
      first_column(database, "SELECT name FROM wide_column WHERE parameter = 0");
  return {list.begin(), list.end()};
}

// The columns of `results` with a statistic other than the mean, such as ttft_ms_sd.
std::set<std::string> statistic_columns(sql::Database& database) {
  const std::vector<std::string> list = first_column(
      database, "SELECT name FROM wide_column WHERE parameter = 0 AND statistic <> ''");
  return {list.begin(), list.end()};
}

// Marks unsupported percentiles (see the column `unsupported`) with an asterisk.
void mark_unsupported(Table& table) {
  const auto at = std::ranges::find(table.columns, "unsupported");
  if (at == table.columns.end()) return;
  const auto list = static_cast<std::size_t>(at - table.columns.begin());
  for (auto& row : table.rows) {
    const auto* unsupported = std::get_if<std::string>(&row[list]);
    if (unsupported == nullptr || unsupported->empty()) continue;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (const auto* value = std::get_if<double>(&row[i]);
          value && lists(*unsupported, table.columns[i]))
        row[i] = rounded(*value) + "*";
  }
}

// Replaces warnings, which are sentences, by "!".
void mark_warnings(Table& table) {
  const auto at = std::ranges::find(table.columns, "warnings");
  if (at == table.columns.end()) return;
  *at = "marks";
  for (auto& row : table.rows) {
    sql::Cell& cell = row[static_cast<std::size_t>(at - table.columns.begin())];
    const auto* text = std::get_if<std::string>(&cell);
    cell = text && !text->empty() ? sql::Cell("!") : sql::Cell();
  }
}

// Whether tables for people show the figure NAME, as the table after a run does.
bool is_main_figure(std::string_view name) {
  const bool is_score = name.starts_with("score_") && !name.ends_with("_p99");
  return is_score || std::ranges::count(measure::columns_in(&measure::Lists::summary), name,
                                        &measure::Column::name) > 0;
}

bool is_empty(const Table& table, std::size_t column) {
  return !table.rows.empty() && std::ranges::all_of(table.rows, [column](const auto& row) {
    return std::holds_alternative<std::monostate>(row[column]);
  });
}

void keep_columns(Table& table, const std::vector<std::size_t>& kept) {
  auto keep = [&kept](auto& from) {
    std::remove_reference_t<decltype(from)> out;
    for (const std::size_t i : kept) out.push_back(std::move(from[i]));
    from = std::move(out);
  };
  keep(table.columns);
  for (auto& row : table.rows) keep(row);
}

// Of the figures of a wide view, keeps only the main ones, or means and p99 if it has none of
// these. Also removes `unsupported`, `measured_at`, and columns that are NULL in every row. Returns
// the number of removed columns.
std::size_t narrow(sql::Database& database, Table& table) {
  const std::set<std::string> figures = figure_columns(database),
                              statistics = statistic_columns(database);
  bool has_main = false;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    has_main = has_main || (is_main_figure(table.columns[i]) && !is_empty(table, i));
  const auto is_shown = [&](const std::string& name) {
    if (name == "unsupported" || name == "measured_at") return false;
    if (!figures.contains(name)) return true;
    return has_main ? is_main_figure(name) : name.ends_with("_p99") || !statistics.contains(name);
  };
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (!is_empty(table, i) && is_shown(table.columns[i])) kept.push_back(i);
  const std::size_t gone = table.columns.size() - kept.size();
  keep_columns(table, kept);
  return gone;
}

// Removes columns, except figures, `point` and `marks`, whose value is equal in all rows. Returns
// their names and values: "experiment quick".
std::vector<std::string> take_equal(sql::Database& database, Table& table) {
  if (table.rows.empty()) return {};
  const std::set<std::string> figures = figure_columns(database);
  std::vector<std::size_t> kept;
  std::vector<std::string> equal;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string& name = table.columns[i];
    const bool is_equal = name != "point" && name != "marks" && !figures.contains(name) &&
                          std::ranges::all_of(table.rows, [&](const auto& row) {
                            return row[i] == table.rows.front()[i];
                          });
    if (!is_equal) kept.push_back(i);
    else if (const std::string value = cell_text(table.rows.front()[i]); !value.empty())
      equal.push_back(name + " " + value);
  }
  keep_columns(table, kept);
  return equal;
}

// A wide view for people: its main figures, below a line of the values equal in all rows.
QueryOutput wide_output(sql::Database& database, Table& table, Format format) {
  QueryOutput out;
  mark_unsupported(table);
  mark_warnings(table);
  const std::size_t gone = narrow(database, table);
  const std::vector<std::string> equal = take_equal(database, table);
  if (!equal.empty()) {
    const std::string line = "In all rows: " + join(equal, ", ");
    const bool is_fitted = format == Format::table && TextTable::columns() > 0;
    out.text = (is_fitted ? wrapped(line, TextTable::columns()) : line) + "\n\n";
  }
  out.text += to_text(table, format);
  if (gone > 0)
    out.note = fmt::format(
        "{} columns are not shown (further figures and statistics, and columns without a value): "
        "--format csv or json has them, or name them in SQL",
        gone);
  return out;
}

// A note about the rows of other tools, which `results` lacks; "" if there are none.
std::string where_imported(sql::Database& database) {
  const auto rows = read_all(database, "SELECT count(*) FROM results_by_tool", sql::QueryLimits());
  if (!rows || rows->rows.empty() || cell_text(rows->rows[0][0]) == "0") return "";
  return fmt::format(
      "rows with figures of other tools: {}; see `orchestrate query results_by_tool`",
      cell_text(rows->rows[0][0]));
}

}  // namespace

Result<Table> select(sql::Database& database, std::string_view query,
                     const std::optional<sql::QueryLimits>& limits) {
  const auto name = bare_name(query);
  if (!name) {
    ORCH_TRY(require_reading_statement(query));
    ORCH_TRY(show_every_tool_asked_for(database, query));
  }
  auto table = read_all(database, name ? select_all(*name) : std::string(query), limits);
  if (!table.ok()) return with_suggestion(database, query, table.error());
  return table;
}

Result<QueryOutput> query_output(sql::Database& database, std::string_view query, Format format,
                                 const sql::QueryLimits& limits) {
  ORCH_ASSIGN(Table table, select(database, query, limits));
  const auto name = bare_name(query);
  const bool is_for_people = format == Format::table || format == Format::markdown;
  const bool is_wide = is_for_people && name && name->starts_with("results");
  QueryOutput out =
      is_wide ? wide_output(database, table, format) : QueryOutput{.text = to_text(table, format)};
  if (is_wide && *name == "results" && table.rows.empty())
    if (const std::string where = where_imported(database); !where.empty()) out.note = where;
  if (table.is_cut)
    out.note += fmt::format(
        "{}only the first {} rows are shown: --rows 0 shows all of them, --rows N that many",
        out.note.empty() ? "" : "; ", limits.rows);
  return out;
}

Result<std::string> run_query(sql::Database& database, std::string_view query, Format format) {
  ORCH_ASSIGN(QueryOutput out, query_output(database, query, format));
  return std::move(out.text);
}

Result<std::string> list_views(sql::Database& database, Format format) {
  if (format != Format::table) {
    Table table{.columns = {"view", "what", "columns"}};
    for (const tables::View& view : tables::public_views())
      table.rows.push_back({std::string(view.name), std::string(view.what),
                            join(column_names(database, view.name), " ")});
    return to_text(table, format);
  }
  const std::set<std::string> statistics = statistic_columns(database);
  std::string out;
  for (const tables::View& view : tables::public_views()) {
    out += fmt::format("{}\n  {}\n", view.name, view.what);
    std::string line = "  columns:";
    bool has_statistics = false;
    for (const std::string& column : column_names(database, view.name)) {
      if (statistics.contains(column)) {
        has_statistics = true;
        continue;
      }
      if (line.size() + column.size() > 110) {
        out += line + "\n";
        line = "   ";
      }
      line += " " + column;
    }
    out += line + "\n";
    if (has_statistics)
      out += fmt::format("  and for metrics with a distribution: NAME_{}\n",
                         fmt::join(k_suffixed_statistics, " NAME_"));
  }
  return out;
}

}  // namespace orch::report
