// The program that measured, and whose formulas the figures follow. It knows no program but ours.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/fields.hpp"
#include "bench/record/named_metric.hpp"

namespace orch::record {

// The name of orchestrate's own load generator and of its formulas.
inline constexpr char k_native[] = "native";

struct MeasuredBy {
  std::string tool = k_native;
  std::optional<std::string> version;
  std::string definition = k_native;  // the tool whose formulas the figures follow
  std::optional<std::string> origin;  // the file that the figures were read from
  std::optional<std::string> origin_sha256;
  Texts missing;  // figures that such a file may hold and this one lacks, as names of columns

  // Of another tool: its figures, by its own formulas, and what its files say of the load.
  std::vector<NamedMetric> figures;
  std::vector<std::pair<std::string, Value>> load;

  bool is_native() const { return tool == k_native; }
};

// Whether NAME may be that of a tool: [a-z0-9][a-z0-9._-]*, at most 64 characters.
bool is_tool_name(std::string_view name);

}  // namespace orch::record
