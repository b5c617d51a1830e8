#include "spec/matrix/matrix.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/source.hpp"

#include <algorithm>

namespace orch::matrix {

std::optional<double> share_of_percent(std::string_view text) {
  if (!text.ends_with('%')) return {};
  text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto percent = to_real(text);
  if (!percent || !(*percent > 0 && *percent < 100)) return {};
  return *percent / 100;
}

std::string Dataset::origin() const {
  return source.starts_with(k_hub_scheme)
             ? std::string(k_hub_datasets) + source.substr(k_hub_scheme.size())
             : source;
}

bool Dataset::is_fetched() const {
  return !source.starts_with(k_local_scheme) || !tokens.empty() || source.ends_with(".gz") ||
         source.ends_with(".zst");
}

std::vector<Settings> alternatives_of(const Matrix& matrix, std::string_view name) {
  std::vector<Settings> found;
  for (const Axis& axis : matrix.axes)
    if (axis.name == name)
      for (const AxisValue& value : axis.values) found.push_back(value.sets);
  if (!found.empty()) return found;
  const auto add = [&](const Settings& sets) {
    for (const auto& [set, value] : sets) {
      const auto same = [&text = value.text](const Settings& known) {
        return known.front().second.text == text;
      };
      if (set == name && std::ranges::none_of(found, same)) found.push_back({{set, value}});
    }
  };
  for (const Axis& axis : matrix.axes)
    for (const AxisValue& value : axis.values) add(value.sets);
  for (const Include& include : matrix.include) add(include.sets);
  return found;
}

std::vector<std::string> varied_parameters(const Matrix& matrix) {
  std::vector<std::string> names;
  auto add = [&](const Settings& sets) {
    for (const auto& [name, scalar] : sets)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const Axis& axis : matrix.axes)
    for (const AxisValue& value : axis.values) add(value.sets);
  for (const Include& include : matrix.include) add(include.sets);
  return names;
}

Location place_of_setting(const Matrix& matrix, std::string_view name, std::string_view text) {
  const auto in = [&](const Settings& sets) -> const Yaml* {
    for (const auto& [set, value] : sets)
      if (set == name && value.text == text) return &value;
    return nullptr;
  };
  for (const Axis& axis : matrix.axes)
    for (const AxisValue& value : axis.values)
      if (const Yaml* found = in(value.sets)) return found->where;
  for (const Include& include : matrix.include)
    if (const Yaml* found = in(include.sets)) return found->where;
  for (const RunnerDefaults& own : matrix.runner_defaults)
    if (const Yaml* found = in(own.sets)) return found->where;
  const Yaml* found = in(matrix.defaults);
  return found ? found->where : matrix.runner_where;
}

}  // namespace orch::matrix
