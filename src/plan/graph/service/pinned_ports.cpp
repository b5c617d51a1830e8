#include "plan/graph/service/pinned_ports.hpp"

#include "core/base/text.hpp"

namespace orch::plan {

namespace {

// The name and the index of PORT: "http" 0, "http.2" 1.
std::pair<std::string_view, std::size_t> parts_of(std::string_view port) {
  const std::size_t dot = port.find('.');
  if (dot == std::string_view::npos) return {port, 0};
  const auto number = to_integer(port.substr(dot + 1)).value_or(1);
  return {port.substr(0, dot), static_cast<std::size_t>(number - 1)};
}

std::set<std::string> ports_of(const runner::Manifest& manifest) {
  std::set<std::string> names;
  for (const runner::StageKind& stage : manifest.stages)
    names.insert(stage.ports.begin(), stage.ports.end());
  return names;
}

// How many ports of NAME SPEC has.
std::size_t count_of(const Spec& spec, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      spec.ports, [&](const std::string& port) { return parts_of(port).first == name; }));
}

void refuse_too_many(const Plan& plan, const std::string& name, const matrix::PinnedPorts& pinned,
                     Errors& errors) {
  for (const Stage& stage : plan.stages) {
    const std::size_t count = count_of(stage.spec, name);
    if (count <= pinned.numbers.size()) continue;
    std::vector<int> numbers = pinned.numbers;
    while (numbers.size() < count) numbers.push_back(numbers.back() + 10);
    errors.push_back(invalid(
        fmt::format("port '{}' is pinned to {}, and point {} has {} servers; pin a port for each, "
                    "such as {}: [{}], or remove it",
                    name, fmt::join(pinned.numbers, ", "),
                    plan.points[stage.points.front()].point.name, count, name,
                    fmt::join(numbers, ", ")),
        pinned.where));
    return;
  }
}

}  // namespace

PinnedPorts pinned_ports(const matrix::Matrix& matrix) {
  PinnedPorts ports;
  for (const auto& [name, pinned] : matrix.ports) ports.emplace(name, pinned.numbers);
  return ports;
}

std::optional<int> pinned_port(const Plan& plan, std::string_view port) {
  const auto [name, index] = parts_of(port);
  const auto pinned = plan.ports.find(name);
  if (pinned == plan.ports.end() || index >= pinned->second.size()) return std::nullopt;
  return pinned->second[index];
}

void check_pinned_ports(const Plan& plan, std::span<const Inputs> all, Errors& errors) {
  std::set<std::string> known;
  for (const Inputs& inputs : all) known.merge(ports_of(inputs.manifest));
  for (const auto& [name, pinned] : all.front().matrix.ports) {
    if (known.contains(name)) {
      refuse_too_many(plan, name, pinned, errors);
      continue;
    }
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string near = did_you_mean(name, names);
    errors.push_back(invalid(
        fmt::format("'ports' has {}, and no server of runner '{}' has a port of this name{}",
                    quoted(name), join(plan.runners, "' or '"),
                    near.empty() ? "; its ports are: " + join(names, ", ") : near),
        pinned.where));
  }
}

}  // namespace orch::plan
