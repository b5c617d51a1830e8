// A report as one HTML file: it needs no network, is complete without scripts, and executes only
// the script that its policy names. Reads nothing.
#pragma once

#include "analysis/page/report.hpp"
#include "analysis/plot/canvas.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orch::page {

std::string html(const Report& report);

// The policy in the page's <meta>, for a server that also sends it as a header.
std::string content_policy(bool live);

// A report as tables for a pull request or an issue. Reads nothing.

// The best of each group, what is marked, and at most MOST_ROWS points. Texts are escaped, so that
// no name becomes a link, markup or the end of a cell.
std::string markdown(const Report& report, std::size_t most_rows = 100);

// The script and the style sheet of the page, as texts whose digests its policy names.

// At most k_most_script bytes. It sorts, filters, groups and copies the table, opens panels, and
// shows what is under the pointer; the page is complete without it.
inline constexpr std::size_t k_most_script = 12 * 1024;
std::string_view script_text();

const std::string& style_text();

// A source of a content security policy that allows exactly TEXT: 'sha256-...'.
std::string policy_source(std::string_view text);

// The parts of the page below the plots, as HTML: the table of points, a panel for each point, and
// the provenance of stages. Knows neither style nor script.

// One row for each point. The first cell links to the point's panel.
std::string points_table(const Report& report);

// Details for which a row of the table has no room: percentiles, warnings, reasons and stages.
std::string point_panels(const Report& report);

// Every stage once. Arguments shared by the commands of similar stages are written once; if the
// differing ones exceed MOST_BYTES, the rest is left out, and the page says so.
std::string provenance(const Report& report, std::size_t most_bytes);

// A table of texts with the first column as row headings.
std::string text_table(const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows);

// The plots of a report, drawn. Knows no markup around them.

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
