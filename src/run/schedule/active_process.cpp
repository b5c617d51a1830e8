#include "run/schedule/active_process.hpp"

#include <algorithm>

namespace orch::schedule {

ActiveProcess& ActiveProcesses::add(ActiveProcess process) {
  std::string token = process.token;
  return by_token_.emplace(std::move(token), std::move(process)).first->second;
}

ActiveProcess ActiveProcesses::take(const std::string& token) {
  auto node = by_token_.extract(token);
  return std::move(node.mapped());
}

ActiveProcess* ActiveProcesses::find(const std::string& token) {
  const auto found = by_token_.find(token);
  return found == by_token_.end() ? nullptr : &found->second;
}

std::size_t ActiveProcesses::count(runner::Kind kind) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      by_token_, [&](const auto& entry) { return entry.second.kind == kind; }));
}

}  // namespace orch::schedule
