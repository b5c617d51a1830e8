#include "plan/unknown.hpp"

#include "base/text.hpp"

namespace orch::plan {

namespace {

constexpr std::string_view k_model = "model_";
constexpr std::string_view k_host = "host_";
constexpr std::string_view k_executable = "executable:";

bool is_fact(std::string_view name) { return name.starts_with(k_model) || name.starts_with(k_host); }

// When FACT will be known, or what makes it known.
std::string remedy(const runner::Manifest& manifest, std::string_view fact) {
  if (fact.starts_with(k_model) && manifest.fact_source) return "known after " + manifest.fact_source->stage;
  if (fact.starts_with(k_model)) return fmt::format("state {} under the model's `facts:`", fact.substr(k_model.size()));
  return fmt::format("state {} under `machine:`", fact.starts_with(k_host) ? fact.substr(k_host.size()) : fact);
}

std::string missing(const runner::Manifest& manifest, const std::string& name) {
  if (name.starts_with(k_executable)) return name.substr(k_executable.size()) + " is not installed here";
  if (is_fact(name)) return fmt::format("waits for {}: {}", name, remedy(manifest, name));
  return name.find(':') == std::string::npos ? "waits for " + name : name + " is not resolved yet";
}

}  // namespace

std::set<std::string> fact_stages(const runner::Manifest& manifest) {
  std::set<std::string> names;
  if (!manifest.fact_source) return names;
  names.insert(manifest.fact_source->stage);
  for (auto kind = manifest.stages.rbegin(); kind != manifest.stages.rend(); ++kind)
    if (names.contains(kind->name)) names.insert(kind->needs.begin(), kind->needs.end());
  return names;
}

bool waits_for_model(const matrix::Point& point) {
  return std::any_of(point.waiting.begin(), point.waiting.end(), [](const auto& waiting) { return waiting.fact.starts_with(k_model); });
}

std::string undecided_why(const runner::Manifest& manifest, const matrix::Point& point, const std::vector<std::string>& unknown) {
  std::vector<std::string> parts;
  std::set<std::string> told;
  auto tell = [&](std::string part) {
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
  };
  for (const auto& [who, fact] : point.waiting) {
    told.insert(fact);
    const std::string of = fact.starts_with(k_model) && !point.model.empty() ? " of " + point.model : "";
    tell(fmt::format("{} waits for {}{}: {}", who, fact, of, remedy(manifest, fact)));
  }
  for (const std::string& name : unknown)
    if (told.insert(name).second) tell(missing(manifest, name));
  return join(parts, "; ");
}

std::string unknown_why(const runner::Manifest& manifest, const Stage& stage) {
  if (stage.unknown.empty()) return "the points that want it wait for facts";
  std::vector<std::string> parts;
  for (const std::string& name : stage.unknown) parts.push_back(missing(manifest, name));
  return join(parts, "; ");
}

}  // namespace orch::plan
