#include "analysis/rounds/points.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <set>

namespace orch::rounds {

namespace {

using matrix::Point;

std::string text_of(const Point& point, const std::string& parameter) {
  const matrix::Value* value = point.parameters.find(parameter);
  return value ? value->text : "";
}

std::vector<const Point*> chosen_of(const matrix::Expansion& expansion) {
  std::vector<const Point*> chosen;
  for (const Point& point : expansion.points)
    if (point.again && !point.is_rejected()) chosen.push_back(&point);
  return chosen;
}

// No two sides share a value of PARAMETER.
bool differs(const std::vector<std::vector<const Point*>>& sides, const std::string& parameter) {
  std::set<std::string> seen;
  for (const auto& side : sides) {
    std::set<std::string> own;
    for (const Point* point : side) own.insert(text_of(*point, parameter));
    for (const std::string& value : own)
      if (!seen.insert(value).second) return false;
  }
  return true;
}

}  // namespace

Result<Points> points_of(const Question& question, const matrix::Matrix& matrix,
                         std::span<const matrix::Expansion> expansions) {
  std::vector<std::vector<const Point*>> sides;
  std::map<std::string, std::size_t> side_of;
  for (std::size_t side = 0; side < question.sides.size(); ++side) {
    const std::string& label = question.sides[side].label;
    sides.push_back(chosen_of(expansions[side]));
    if (sides.back().empty())
      return invalid(
          fmt::format("no point of the matrix that can run is {}; `orchestrate plan` "
                      "lists the points",
                      quoted(label)));
    for (const Point* point : sides.back())
      if (const auto [at, is_new] = side_of.emplace(point->name, side); !is_new)
        return invalid(
            fmt::format("point {} is {} as well as {}; a side may have no point of "
                        "another",
                        point->name, quoted(question.sides[at->second].label), quoted(label)));
  }
  Points points;
  for (const std::string& parameter : matrix::varied_parameters(matrix))
    if (!differs(sides, parameter)) points.paired_by.push_back(parameter);
  for (const auto& side : sides) {
    PairOfPoint& pairs = points.sides.emplace_back();
    for (const Point* point : side) {
      std::vector<std::string> values;
      for (const std::string& parameter : points.paired_by)
        values.push_back(parameter + "=" + text_of(*point, parameter));
      pairs.emplace(point->name, join(values, " "));
    }
  }
  return points;
}

}  // namespace orch::rounds
