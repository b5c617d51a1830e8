#include "plan/graph/estimate.hpp"
#include "core/base/text.hpp"

#include <cmath>
#include <unordered_map>

namespace orch::plan {

namespace {

using Index = std::size_t;
using Setting = std::uint32_t;  // a parameter with its value

// So many different sets of parameters of one stage are looked at, the newest: enough to find one
// alike, however long a store's history is.
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
  // Attempts of stages of other runners than OF count where their digests are the same.
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

}  // namespace

void estimate(Plan& plan, const std::vector<Earlier>& earlier,
              const std::vector<StageTime>& times) {
  const bool several = plan.runners.size() > 1;
  for (const std::string& runner : plan.runners) {
    History history(earlier, several ? &runner : nullptr);
    for (Stage& stage : plan.stages) {
      if (!stage.provided.empty() || stage.spec.runner != runner) continue;
      // An estimate of an earlier pass is made again.
      if (stage.estimate.to_seconds > 0) stage.estimate.seconds.reset();
      history.tell(stage);
      complete(plan, stage, times);
    }
  }
}

}  // namespace orch::plan
