// A report as one HTML file: it needs no network, is complete without scripts, and executes only
// the script that its policy names.
#pragma once

#include "analysis/page/report.hpp"
#include "analysis/plot/canvas.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orch::page {

std::string html(const Report& report);

// The content security policy in the page's <meta>, for a server that also sends it as a header.
std::string content_policy(bool live);

// A report as tables for a pull request or an issue.

// The best of each group, what is marked, and at most MOST_ROWS points. Texts are escaped, so that
// names cannot become links, markup or the ends of cells.
std::string markdown(const Report& report, std::size_t most_rows = 100);

// The script and the style sheet of the page, as texts whose digests its policy names.

// The script has at most k_most_script bytes. It sorts, filters, groups and copies the table, opens
// panels, and describes what is under the pointer; the page is complete without it.
inline constexpr std::size_t k_most_script = 12 * 1024;
std::string_view script_text();

const std::string& style_text();

// The source that allows exactly TEXT in a content security policy: 'sha256-...'.
std::string policy_source(std::string_view text);

// The parts of the page below the plots, as HTML: the table of points, a panel for each point, and
// the provenance of stages.

// One row for each point. The first cell links to the point's panel.
std::string points_table(const Report& report);

// The details for which the table has no room: percentiles, warnings, reasons and stages.
std::string point_panels(const Report& report);

// Every stage once. Arguments shared by the commands of similar stages are written once; if the
// differing arguments exceed MOST_BYTES, the rest is left out, with a note.
std::string provenance(const Report& report, std::size_t most_bytes);

// A table of texts with the first column as row headings.
std::string text_table(const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows);

// The plots of a report, drawn.

struct PlotSection {
  std::string title;
  std::string note = {};  // one or two sentences on how to read it, or ""
  std::vector<plot::Drawing> drawings = {};
  bool wide = false;  // a drawing takes the whole width
};

// The plots in the order of the page, without those that have no data.
std::vector<PlotSection> plots_of(const Report& report);

// The plot of the report's metrics for one group.
plot::Drawing front_of_group(const Report& report, const Group& group, const std::string& id);

}  // namespace orch::page
