// Two sides of a comparison made of numbers, without a store.
#pragma once

#include "analysis/compare/two_sides.hpp"

#include <string>
#include <vector>

namespace orch::compare {

// Sides with the parameters precision and concurrency, and the metrics output_tps and ttft_ms.
struct SideOf {
  Selected selected{
      .parameters = {"precision", "concurrency"}, .metrics = {"output_tps", "ttft_ms"}, .rows = {}};

  // A measurement of server SESSION. TTFT is 1000 ms / TPS.
  SideOf& add(std::int64_t session, const std::string& precision, int concurrency, double tps) {
    Measured row;
    row.measurement = static_cast<std::int64_t>(selected.rows.size()) + 1000 * session;
    row.session = session;
    row.experiment = "quick";
    row.point = precision + std::to_string(concurrency);
    row.valid = row.current = row.shown = true;
    row.begun_at = 100.0 * static_cast<double>(session);
    row.ended_at = row.begun_at + 60;
    row.parameters = {precision, std::to_string(concurrency)};
    row.values = {tps, 1000 / tps};
    selected.rows.push_back(row);
    return *this;
  }
};

// Sessions FIRST, FIRST + 2, ... with the values TPS at concurrency 1 and four times that at 4.
inline Selected side_of(const std::string& precision, std::int64_t first,
                        const std::vector<double>& tps) {
  SideOf side;
  for (std::size_t i = 0; i < tps.size(); ++i) {
    const std::int64_t session = first + 2 * static_cast<std::int64_t>(i);
    side.add(session, precision, 1, tps[i]).add(session, precision, 4, 4 * tps[i]);
  }
  return side.selected;
}

}  // namespace orch::compare
