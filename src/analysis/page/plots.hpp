// Which plots a report has, drawn. Knows no markup around them.
#pragma once

#include "analysis/page/report.hpp"
#include "analysis/plot/canvas.hpp"

namespace orch::page {

struct PlotSection {
  std::string title;
  std::string note;  // one or two sentences on how to read it, or ""
  std::vector<plot::Drawing> drawings;
  bool wide = false;  // a drawing takes the whole width
};

// In the order of the page. A plot without data is left out.
std::vector<PlotSection> plots_of(const Report& report);

// The plot of the report's metrics for one group.
plot::Drawing front_of_group(const Report& report, const Group& group, const std::string& id);

}  // namespace orch::page
