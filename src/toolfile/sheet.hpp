// A table of the names that a tool gives its figures and parameters, and the reading of a row of a
// CSV file, or of a JSON object, by it.
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "matrix/parameter.hpp"
#include "toolfile/csv.hpp"
#include "toolfile/figures.hpp"
#include "toolfile/json_node.hpp"
#include "toolfile/tool_reading.hpp"

namespace orch::toolfile {

struct FigureKey {
  std::string_view theirs, figure;
  std::string_view statistic = "";
  double factor = 1;  // to our unit
};
struct ParameterKey {
  std::string_view theirs, parameter;
  matrix::Type type = matrix::Type::text;
};

struct Sheet {
  std::string_view tool;
  std::span<const FigureKey> figures;
  std::span<const ParameterKey> parameters;
  // Of a CSV file: every other column is a parameter of its own name.
  bool others_are_parameters = false;
  std::span<const std::string_view> passed_over = {};
};

// Errors name line or field, value and remedy.
Status read_row(const Sheet& sheet, const CsvTable& table, std::size_t row, Reading& reading);
void read_object(const Sheet& sheet, const Node& object, Reading& reading);

}  // namespace orch::toolfile
