#include "analysis/compare/side.hpp"

#include "core/base/text.hpp"
#include "results/query/catalog.hpp"

#include <algorithm>

namespace orch::compare {

namespace {

struct KindOfName {
  std::string_view kind, sql, column, all;
};

// SQL that finds TEXT as its only parameter would need a statement each; names are quoted instead.
constexpr KindOfName k_kinds_of_names[] = {
    {"experiment", "SELECT 1 FROM run WHERE experiment = {} LIMIT 1", "experiment",
     "SELECT DISTINCT experiment FROM run"},
    {"point", "SELECT 1 FROM point WHERE name = {} LIMIT 1", "point",
     "SELECT DISTINCT name FROM point"},
    {"tool", "SELECT 1 FROM point_result WHERE tool = {} LIMIT 1", "tool",
     "SELECT DISTINCT tool FROM point_result"},
};

Result<Side> run_side(sql::Database& database, std::int64_t run) {
  ORCH_ASSIGN(const std::int64_t there,
              database.query_int(fmt::format("SELECT count(*) FROM run WHERE id = {}", run)));
  if (there == 0)
    return Error{ErrorKind::not_found,
                 fmt::format("there is no run {}; `orchestrate status` lists the runs", run),
                 {}};
  return Side{fmt::format("run {}", run), fmt::format("run = {}", run)};
}

// "runner = 'vllm'" for a TEXT that some measurement has as a parameter; "" for another.
std::string as_value(sql::Database& database, std::string_view text) {
  std::vector<std::string> columns =
      report::first_column(database, "SELECT name FROM wide_column WHERE parameter = 1");
  columns.insert(columns.begin(), "runner");
  for (const std::string& column : columns) {
    const std::string where = fmt::format("{} = {}", column, sql::quote_text(text));
    if (!report::first_column(database, "SELECT 1 FROM results_all WHERE " + where + " LIMIT 1")
             .empty())
      return where;
  }
  return "";
}

}  // namespace

Result<Side> side_of(sql::Database& database, std::string_view text) {
  const std::string_view trimmed = trim(text);
  if (trimmed.empty())
    return invalid("a side is empty; name a run, an experiment, a point, a tool, or write SQL");
  const std::string_view number = trimmed.starts_with("run ") ? trim(trimmed.substr(4)) : trimmed;
  if (const auto run = to_integer(number)) return run_side(database, *run);
  std::vector<Side> found;
  std::vector<std::string> ways;
  for (const KindOfName& kind : k_kinds_of_names) {
    const std::string name = sql::quote_text(trimmed);
    if (report::first_column(database, fmt::format(fmt::runtime(kind.sql), name)).empty()) continue;
    found.push_back({.label = fmt::format("{} {}", kind.kind, trimmed),
                     .where = fmt::format("{} = {}", kind.column, name),
                     .is_present = true});
    ways.push_back(found.back().where);
  }
  if (found.size() == 1) return std::move(found.front());
  if (found.empty()) return Side{std::string(trimmed), std::string(trimmed)};
  return invalid(fmt::format("{} is the name of several things; write \"{}\"", quoted(trimmed),
                             join(ways, "\" or \"")));
}

std::string other_meanings(sql::Database& database, std::string_view text) {
  if (text.find_first_of("=<>'\"() ") != std::string_view::npos) return "";
  std::vector<std::string> names;
  for (const KindOfName& kind : k_kinds_of_names)
    for (std::string& name : report::first_column(database, std::string(kind.all)))
      names.push_back(std::move(name));
  std::string meant;
  if (const auto near = nearest(text, names)) meant = quoted(*near);
  else if (const std::string value = as_value(database, text); !value.empty())
    meant = "\"" + value + "\"";
  return fmt::format("no experiment, point, tool or folder of a store has this name{} As SQL: ",
                     meant.empty() ? "." : "; did you mean " + meant + "?");
}

}  // namespace orch::compare
