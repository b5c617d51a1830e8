#include "app/cli/explain/explain_tool.hpp"

#include "bench/measure/statistic_names.hpp"
#include "core/base/text.hpp"
#include "bench/measure/metrics.hpp"
#include "results/tools/tool_figures.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace orch::cli {
namespace {

struct Name {
  const measure::Tool* tool = nullptr;
  std::string figure;
};

Name parts_of(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return {};
  return {measure::find_tool(lower(name.substr(0, dot))), lower(name.substr(dot + 1))};
}

// "ttft_ms_p99" -> "ttft_ms".
std::string_view without_statistic(std::string_view figure) {
  for (const std::string_view statistic : k_suffixed_statistics)
    if (figure.size() > statistic.size() + 1 && figure.ends_with(statistic) &&
        figure[figure.size() - statistic.size() - 1] == '_')
      return figure.substr(0, figure.size() - statistic.size() - 1);
  return figure;
}

std::string explain_one(const measure::Tool& tool, std::string_view figure) {
  const measure::Definition definition = measure::definition_of(tool, figure);
  if (definition.formula.empty()) return "";
  const measure::MetricRow* ours = measure::find_metric(figure);
  std::string out = fmt::format("figure {} of {} ({})\n\nis\n  {}\n", figure, tool.name, tool.what,
                                definition.formula);
  if (ours)
    return out + fmt::format("\ndiffers from ours\n  {}\n\nours\n  {} ({})\n",
                             definition.difference, ours->formula, ours->unit);
  return out + "\nours\n  none\n";
}

}  // namespace

bool names_tool(std::string_view name) { return parts_of(name).tool != nullptr; }

std::string explain_tool(std::string_view name) {
  const Name parts = parts_of(name);
  if (!parts.tool) return "";
  for (const std::string_view figure :
       {std::string_view(parts.figure), without_statistic(parts.figure)})
    if (std::string text = explain_one(*parts.tool, figure); !text.empty()) return text;
  std::string texts;
  for (const std::string_view figure : measure::figures_of(*parts.tool)) {
    const bool begins = figure.starts_with(parts.figure + "_");
    const bool has = figure.find("_" + parts.figure + "_") != std::string_view::npos;
    if (!parts.figure.empty() && (begins || has))
      texts += (texts.empty() ? "" : "\n") + explain_one(*parts.tool, figure);
  }
  return texts;
}

std::string figures_of_tool(std::string_view name) {
  const Name parts = parts_of(name);
  if (!parts.tool) return "";
  return fmt::format("{} has: {}", parts.tool->name,
                     fmt::join(measure::figures_of(*parts.tool), ", "));
}

}  // namespace orch::cli
