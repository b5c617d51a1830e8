#include "core/base/text.hpp"
#include "plan/graph/decide.hpp"
#include "plan/graph/stage_draft.hpp"

#include <cmath>
#include <unordered_map>

namespace orch::plan {

namespace {

using Index = std::size_t;

using Setting = std::uint32_t;  // the number of a parameter with its value

// How many different sets of parameters of one stage are examined, newest first: enough to find a
// similar one, however long a store's history is.
constexpr std::size_t k_sets = 200;

template <class T> std::optional<T> median(std::vector<T> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2) return *middle;
  return *middle / 2 + *std::max_element(values.begin(), middle) / 2;
}

struct Attempts {
  std::vector<double> seconds;
  std::vector<std::uint64_t> bytes;

  void add(const Earlier& one) {
    if (one.seconds) seconds.push_back(*one.seconds);
    if (one.bytes) bytes.push_back(*one.bytes);
  }
};

// Attempts of stages that read the same values.
struct Alike {
  std::vector<Setting> settings;  // sorted
  Attempts attempts;
};

class History {
 public:
  // Attempts of runners other than OF (null: any runner) count only for stages with the same
  // digest.
  History(const std::vector<Earlier>& earlier, const std::string* of) {
    for (auto one = earlier.rbegin(); one != earlier.rend(); ++one) {
      by_digest_[one->digest].add(*one);
      if (of && one->runner != *of) continue;
      std::vector<Alike>& sets = by_stage_[one->stage];
      const std::vector<Setting> settings = settings_of(one->parameters);
      auto same =
          std::ranges::find_if(sets, [&](const Alike& set) { return set.settings == settings; });
      if (same == sets.end() && sets.size() >= k_sets) continue;
      if (same == sets.end()) same = sets.insert(sets.end(), Alike{settings, {}});
      same->attempts.add(*one);
    }
  }

  void tell(Stage& stage) {
    if (const auto same = by_digest_.find(stage.digest);
        stage.unknown.empty() && same != by_digest_.end()) {
      stage.estimate.measured = same->second.seconds.size() > 0;
      take(stage, same->second);
      if (!same->second.bytes.empty()) stage.estimate.needed_bytes = *stage.estimate.bytes;
      return;
    }
    const auto sets = by_stage_.find(stage.spec.name);
    if (sets != by_stage_.end()) take(stage, most_alike(stage, sets->second));
  }

 private:
  static void take(Stage& stage, const Attempts& attempts) {
    if (const auto seconds = median(attempts.seconds)) stage.estimate.seconds = seconds;
    if (const auto bytes = median(attempts.bytes)) stage.estimate.bytes = bytes;
  }

  Attempts most_alike(const Stage& stage, const std::vector<Alike>& sets) {
    std::map<std::string, std::string> parameters;
    for (const auto& [name, value] : stage.parameters) parameters[name] = value.text;
    const std::vector<Setting> settings = settings_of(parameters);
    std::size_t most = 0;
    Attempts found;
    for (const Alike& set : sets) {
      const std::size_t common = in_common(settings, set.settings);
      if (common < most) continue;
      if (common > most) found = {};
      most = common;
      found.seconds.insert(found.seconds.end(), set.attempts.seconds.begin(),
                           set.attempts.seconds.end());
      found.bytes.insert(found.bytes.end(), set.attempts.bytes.begin(), set.attempts.bytes.end());
    }
    return found;
  }

  static std::size_t in_common(const std::vector<Setting>& a, const std::vector<Setting>& b) {
    std::size_t common = 0;
    for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
      if (*x == *y) {
        ++common;
        ++x;
        ++y;
      } else if (*x < *y) ++x;
      else ++y;
    }
    return common;
  }

  std::vector<Setting> settings_of(const std::map<std::string, std::string>& parameters) {
    std::vector<Setting> settings;
    for (const auto& [name, text] : parameters)
      settings.push_back(
          numbers_.try_emplace(name + '\0' + text, static_cast<Setting>(numbers_.size()))
              .first->second);
    std::ranges::sort(settings);
    return settings;
  }

  std::map<Digest, Attempts> by_digest_;
  std::unordered_map<std::string, std::vector<Alike>> by_stage_;
  std::unordered_map<std::string, Setting> numbers_;
};

std::optional<double> stated(const Plan& plan, const Stage& stage,
                             const std::vector<StageTime>& times) {
  if (times.empty()) return std::nullopt;
  const matrix::Point& point = plan.points[stage.points.front()].point;
  const auto agrees = [&](const auto& wanted) {
    const matrix::Value* value = point.parameters.find(wanted.first);
    return value && value->text == wanted.second;
  };
  for (const StageTime& time : times)
    if (time.stage == stage.spec.name && std::ranges::all_of(time.parameters, agrees))
      return time.seconds;
  return std::nullopt;
}

// The geometric mean: ranges may span an order of magnitude.
double middle(const Estimate& estimate) {
  return estimate.from_seconds > 0 ? std::sqrt(estimate.from_seconds * estimate.to_seconds)
                                   : estimate.to_seconds / 2;
}

void complete(const Plan& plan, Stage& stage, const std::vector<StageTime>& times) {
  Estimate& own = stage.estimate;
  if (!own.seconds) own.seconds = stated(plan, stage, times);
  if (own.seconds) own.from_seconds = own.to_seconds = 0;
  else if (own.to_seconds > 0) own.seconds = middle(own);
  if (own.least_seconds > 0 && !own.measured)
    own.seconds = std::max(own.seconds.value_or(0), own.least_seconds);
}

constexpr std::string_view k_model = "model_";
constexpr std::string_view k_host = "host_";

bool is_fact(std::string_view name) {
  return name.starts_with(k_model) || name.starts_with(k_host);
}

// How many names of a kind fit into a line of a table.
constexpr std::size_t k_names = 3;

std::string some_of(const std::vector<std::string>& names) {
  return names.size() <= k_names ? join(names, ", ")
                                 : fmt::format("{} and {} more", names.front(), names.size() - 1);
}

// OF: their model, or "".
std::string some_facts(const std::vector<std::string>& facts, const std::string& of) {
  if (facts.size() <= k_names) return join(facts, ", ") + (of.empty() ? "" : " of " + of);
  return fmt::format("{} facts of {}", facts.size(),
                     !of.empty()                          ? of
                     : facts.front().starts_with(k_model) ? "the model"
                                                          : "the machine");
}

// When FACTS, all about one model or all about the machine, will be known, or how to state them.
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

void estimate(Plan& plan, const std::vector<Earlier>& earlier,
              const std::vector<StageTime>& times) {
  const bool several = plan.runners.size() > 1;
  for (const std::string& runner : plan.runners) {
    History history(earlier, several ? &runner : nullptr);
    for (Stage& stage : plan.stages) {
      if (!stage.provided.empty() || stage.spec.runner != runner) continue;
      // An earlier call took these seconds from the manifest's range.
      if (stage.estimate.to_seconds > 0) stage.estimate.seconds.reset();
      history.tell(stage);
      complete(plan, stage, times);
    }
  }
}

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
  // Readers that wait for facts about the model, and those that wait for facts about the machine.
  std::vector<Waits> groups;
  std::set<std::string> reported;
  auto add = [](std::vector<std::string>& to, const std::string& name) {
    if (!contains(to, name)) to.push_back(name);
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

std::string unknown_why(const runner::Manifest& manifest, const Stage& stage) {
  if (stage.unknown.empty()) return "the points that need it wait for facts";
  std::vector<std::string> parts;
  for (const std::string& name : stage.unknown) parts.push_back(missing(manifest, name));
  return join(parts, "; ");
}

}  // namespace orch::plan
