#include "analysis/plot/heat_map.hpp"

#include <algorithm>

namespace orch::plot {

namespace {

constexpr double k_row = 34, k_least_column = 52;
constexpr Margins k_map_margins{.left = 64, .right = 12, .top = 26, .bottom = 40};

std::size_t step_of(double value, Range range) {
  if (range.high <= range.low) return k_heat_steps / 2;
  const double share = (value - range.low) / (range.high - range.low);
  return std::min(static_cast<std::size_t>(share * k_heat_steps), k_heat_steps - 1);
}

Size size_of(const HeatMap& map) {
  const auto columns = static_cast<double>(std::max<std::size_t>(map.columns.size(), 1));
  return {
      .width = std::max(500.0, k_map_margins.left + k_map_margins.right + columns * k_least_column),
      .height =
          k_map_margins.top + k_map_margins.bottom + k_row * static_cast<double>(map.rows.size())};
}

}  // namespace

Drawing draw(const HeatMap& map) {
  Canvas canvas(map.heading, size_of(map), k_map_margins);
  const Range wide = canvas.columns(), tall = canvas.rows();
  std::vector<double> values;
  for (const auto& row : map.cells)
    for (const auto& cell : row)
      if (cell) values.push_back(*cell);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const Range range = values.empty() ? Range{} : Range{*least, *most};
  const double width =
      (wide.high - wide.low) / static_cast<double>(std::max<std::size_t>(map.columns.size(), 1));
  const Attributes middle{{"text-anchor", "middle"}};
  Drawing drawing{.svg = "", .columns = {map.y_title}, .rows = {}};
  for (std::size_t j = 0; j < map.columns.size(); ++j) {
    canvas.text(wide.low + width * (static_cast<double>(j) + 0.5), tall.high + 15, map.columns[j],
                fill(k_faint) + middle);
    drawing.columns.push_back(map.columns[j]);
  }
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const double y = tall.low + k_row * static_cast<double>(i);
    canvas.text(wide.low - 6, y + k_row / 2 + 4, map.rows[i],
                fill(k_faint) + Attributes{{"text-anchor", "end"}});
    auto& row = drawing.rows.emplace_back(std::vector<std::string>{map.rows[i]});
    for (std::size_t j = 0; j < map.columns.size(); ++j) {
      const std::optional<double> value = map.cells[i][j];
      row.push_back(value ? number(*value) : "-");
      if (!value) continue;
      const double x = wide.low + width * static_cast<double>(j);
      const std::size_t step = step_of(*value, range);
      canvas.markup().leaf(
          "rect",
          heat_fill(step) +
              Attributes{{"x", x + 1}, {"y", y + 1}, {"width", width - 2}, {"height", k_row - 2}});
      canvas.text(x + width / 2, y + k_row / 2 + 4, number(*value, 3), heat_ink(step) + middle);
    }
  }
  canvas.text(4, 12, map.y_title, fill(k_ink));
  canvas.text(wide.high, tall.high + 33, map.x_title,
              fill(k_ink) + Attributes{{"text-anchor", "end"}});
  drawing.svg = canvas.take();
  return drawing;
}

}  // namespace orch::plot
