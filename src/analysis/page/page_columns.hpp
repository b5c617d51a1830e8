// Which columns of `results` a report shows, and as what. Runs no query.
#pragma once

#include "analysis/page/report.hpp"
#include "results/query/table.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::report {

// The most telling first, then by name.
std::vector<std::string> parameters_in_order(const std::set<std::string>& names);

// The cells of TABLE by the name of their column. A missing column reads as NULL.
class Columns {
 public:
  explicit Columns(const Table& table);

  bool has(std::string_view column) const { return index_of(column) < table_.columns.size(); }
  std::optional<double> real(std::size_t row, std::string_view column) const;
  // "" for NULL.
  std::string text(std::size_t row, std::string_view column) const;
  std::size_t rows() const { return table_.rows.size(); }
  const std::vector<std::string>& names() const { return table_.columns; }

 private:
  std::size_t index_of(std::string_view column) const;

  const Table& table_;
  std::vector<std::pair<std::string, std::size_t>> sorted_;
};

// Fills constants, implied and parameters of REPORT and the parameters of its rows, which exist.
// NAMES are the columns that are parameters.
void add_parameters(page::Report& report, const Columns& columns,
                    const std::set<std::string>& names);

// Fills metrics, x and y of REPORT and the figures of its rows.
void add_metrics(page::Report& report, const Columns& columns);

}  // namespace orch::report
