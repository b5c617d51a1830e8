// A table of a tool's names for figures and parameters, and functions that read a CSV row or a JSON
// object with it.
#pragma once

#include "core/base/result.hpp"
#include "results/imports/csv.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/json_node.hpp"
#include "results/imports/tool_reading.hpp"
#include "spec/matrix/parameter.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace orch::imports {

// A `figure` that begins with '_' gets the tool's name as a prefix. Such a figure is never reported
// as missing, and neither is one whose `as_a_rule` is false.
struct FigureKey {
  std::string_view theirs, figure;
  std::string_view statistic = "";
  double factor = 1;  // to our unit
  bool as_a_rule = true;
};
struct ParameterKey {
  std::string_view theirs, parameter;
  matrix::Type type = matrix::Type::text;
};

// A figure with its statistics: "mean_ttft_ms", "median_ttft_ms", "std_ttft_ms", "p99_ttft_ms", ...
// all have `theirs` "ttft_ms".
struct SeriesKey {
  std::string_view theirs, figure;
  double factor = 1;
};

// A number in a file that the sheet does not list becomes a figure with the tool's name as a
// prefix; other unlisted values are named in one warning.
struct Sheet {
  std::string_view tool;
  std::span<const FigureKey> figures;
  std::span<const ParameterKey> parameters;
  std::span<const SeriesKey> series = {};
  std::span<const std::string_view> own_parameters =
      {};  // kept under their own names, typed by the value
  std::span<const std::string_view> passed_over = {};
};

// One reading of TOOL per row of the CSV file SOURCE, filled in by READ.
Result<std::vector<Reading>> read_rows(
    const Source& source, std::string_view tool,
    const std::function<Status(const CsvTable& table, std::size_t row, Reading& reading)>& read);

// Errors name the line or field, the value and the remedy.
Status read_row(const Sheet& sheet, const CsvTable& table, std::size_t row, Reading& reading);
void read_object(const Sheet& sheet, const Node& object, Reading& reading);

}  // namespace orch::imports
