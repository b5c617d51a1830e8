#include "plan/graph/unknown.hpp"

#include "core/base/text.hpp"
#include "plan/graph/making.hpp"

namespace orch::plan {

namespace {

constexpr std::string_view k_model = "model_";
constexpr std::string_view k_host = "host_";

bool is_fact(std::string_view name) {
  return name.starts_with(k_model) || name.starts_with(k_host);
}

// At most so many names of a kind fit into the line of a table.
constexpr std::size_t k_names = 3;

std::string some_of(const std::vector<std::string>& names) {
  return names.size() <= k_names ? join(names, ", ")
                                 : fmt::format("{} and {} more", names.front(), names.size() - 1);
}

// OF is their model, or "".
std::string some_facts(const std::vector<std::string>& facts, const std::string& of) {
  if (facts.size() <= k_names) return join(facts, ", ") + (of.empty() ? "" : " of " + of);
  return fmt::format("{} facts of {}", facts.size(),
                     !of.empty()                          ? of
                     : facts.front().starts_with(k_model) ? "the model"
                                                          : "the machine");
}

// When FACTS, all of one model or all of the machine, will be known, or how to state them.
std::string remedy(const runner::Manifest& manifest, const std::vector<std::string>& facts) {
  const bool of_model = facts.front().starts_with(k_model);
  if (of_model && manifest.fact_source) return "known after " + manifest.fact_source->stage;
  std::vector<std::string> names;
  for (const std::string& fact : facts)
    names.push_back(fact.substr(of_model                   ? k_model.size()
                                : fact.starts_with(k_host) ? k_host.size()
                                                           : 0));
  return fmt::format("state {} under {}", join(names, ", "),
                     of_model ? "the model's `facts:`" : "`machine:`");
}

struct Waits {
  std::vector<std::string> readers, facts;
};

std::string missing(const runner::Manifest& manifest, const std::string& name) {
  if (name.starts_with(k_executable))
    return name.substr(k_executable.size()) + " is not installed here";
  if (name.starts_with(k_version))
    return fmt::format("waits for what `{}` prints: `run` asks it", name.substr(k_version.size()));
  if (name.starts_with(k_image))
    return fmt::format("waits for the digest of image {}: `run` asks {}",
                       name.substr(name.find(' ') + 1),
                       name.substr(k_image.size(), name.find(' ') - k_image.size()));
  if (name.starts_with(k_server_question))
    return fmt::format(
        "waits for what {} says it is: `run` asks it",
        name.substr(k_server_question.size(), name.find(' ') - k_server_question.size()));
  if (is_fact(name)) return fmt::format("waits for {}: {}", name, remedy(manifest, {name}));
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
  return std::ranges::any_of(point.waiting,
                             [](const auto& waiting) { return waiting.fact.starts_with(k_model); });
}

std::string undecided_why(const runner::Manifest& manifest, const matrix::Point& point,
                          const std::vector<std::string>& unknown) {
  // Readers that wait for facts of the model, and those that wait for facts of the machine.
  std::vector<Waits> groups;
  std::set<std::string> reported;
  auto add = [](std::vector<std::string>& to, const std::string& name) {
    if (std::ranges::find(to, name) == to.end()) to.push_back(name);
  };
  for (const auto& [reader, fact] : point.waiting) {
    reported.insert(fact);
    const bool of_model = fact.starts_with(k_model);
    auto group = std::ranges::find_if(groups, [&](const Waits& one) {
      return one.facts.front().starts_with(k_model) == of_model;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), Waits{});
    add(group->readers, reader);
    add(group->facts, fact);
  }
  std::vector<std::string> parts;
  for (const Waits& group : groups) {
    const std::string of = group.facts.front().starts_with(k_model) ? point.model : "";
    parts.push_back(fmt::format("{} {} for {}: {}", some_of(group.readers),
                                group.readers.size() == 1 ? "waits" : "wait",
                                some_facts(group.facts, of), remedy(manifest, group.facts)));
  }
  for (const std::string& name : unknown)
    if (reported.insert(name).second) add(parts, missing(manifest, name));
  return join(parts, "; ");
}

std::string waits_of(const PlannedPoint& point) {
  constexpr std::string_view k_before = "stages to do; ";
  const std::size_t at = point.why.find(k_before);
  return point.status == Status::run && at != std::string::npos
             ? point.why.substr(at + k_before.size())
             : "";
}

std::string unknown_why(const runner::Manifest& manifest, const Stage& stage) {
  if (stage.unknown.empty()) return "the points that need it wait for facts";
  std::vector<std::string> parts;
  for (const std::string& name : stage.unknown) parts.push_back(missing(manifest, name));
  return join(parts, "; ");
}

}  // namespace orch::plan
