#include "app/preflight/point_findings.hpp"
#include "core/base/text.hpp"

#include <algorithm>

namespace orch::preflight {

void Findings::add(Level level, const Points& points, const std::string& what,
                   const std::string& remedy) {
  auto found = std::ranges::find_if(section_.findings, [&](const doctor::Finding& one) {
    return one.level == level && one.what == what && one.remedy == remedy;
  });
  if (found == section_.findings.end()) {
    section_.add(level, what, remedy);
    found = std::prev(section_.findings.end());
  }
  std::set<std::string> names(found->points.begin(), found->points.end());
  for (const std::size_t point : points) names.insert(plan_.points[point].point.name);
  found->points.assign(names.begin(), names.end());
}

void Findings::add(Level level, const Points& points, const Error& error) {
  constexpr std::string_view k_between = "; ";
  const std::size_t at = error.message.rfind(k_between);
  add(level, points, error.message.substr(0, at),
      at == std::string::npos ? "" : error.message.substr(at + k_between.size()));
}

}  // namespace orch::preflight
