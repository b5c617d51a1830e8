#include "results/query/catalog.hpp"

namespace orch::report {

std::vector<std::string> first_column(sql::Database& database, const std::string& sql) {
  std::vector<std::string> names;
  auto statement = database.prepare(sql);
  while (statement.ok()) {
    const auto row = statement->step();
    if (!row.ok() || !*row) break;
    names.push_back(statement->column_text(0));
  }
  return names;
}

std::vector<std::string> column_names(sql::Database& database, std::string_view table_or_view) {
  return first_column(
      database, "SELECT name FROM pragma_table_xinfo(" + sql::quote_text(table_or_view) + ")");
}

}  // namespace orch::report
