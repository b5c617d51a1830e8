#include "app/session/stage_times.hpp"

#include "core/base/text.hpp"
#include "core/base/yaml.hpp"

namespace orch::session {

namespace {

constexpr double k_most_seconds = 1e7;

class TimesReader {
 public:
  TimesReader(const Experiment& experiment, Errors& errors) : errors_(errors) {
    for (const UsedRunner& runner : experiment.runners) {
      for (const runner::StageKind& kind : runner.manifest.stages) stages_.push_back(kind.name);
      for (const matrix::Parameter& one : runner.manifest.parameters)
        parameters_.push_back(one.name);
    }
    for (const matrix::Expression& let : experiment.matrix.let) parameters_.push_back(let.name);
  }

  std::vector<plan::StageTime> read(const Yaml& root) {
    if (!root.is_map())
      fail(root.where, "the file of --times must be a map such as {{build: 600}}, not {}",
           root.describe());
    for (const auto& [key, value] : root.entries) {
      if (std::ranges::find(stages_, key.text) == stages_.end()) {
        fail(key.where, "no runner of the matrix has a stage {}{}", quoted(key.text),
             did_you_mean(key.text, stages_));
        continue;
      }
      if (!value.is_list()) add({.stage = key.text, .parameters = {}}, value);
      for (const Yaml& item : value.items) read_entry(key.text, item);
    }
    return std::move(times_);
  }

 private:
  template <class... Args>
  void fail(const Location& where, fmt::format_string<Args...> format, Args&&... args) {
    errors_.push_back(invalid(fmt::format(format, std::forward<Args>(args)...), where));
  }

  void add(plan::StageTime time, const Yaml& node) {
    const auto seconds = node.is_scalar() ? to_real(node.text) : std::nullopt;
    if (!seconds || *seconds < 0 || *seconds > k_most_seconds)
      return fail(node.where, "the time of '{}' must be seconds from 0 to {:.0f}, not {}",
                  time.stage, k_most_seconds, node.describe());
    time.seconds = *seconds;
    times_.push_back(std::move(time));
  }

  void read_entry(const std::string& stage, const Yaml& node) {
    const Yaml* seconds = node.is_map() ? node.find("seconds") : nullptr;
    if (!seconds)
      return fail(node.where,
                  "an entry of '{}' must be a map such as {{tp: 2, seconds: 600}}, not {}", stage,
                  node.is_map() ? "one without seconds" : node.describe());
    plan::StageTime time{.stage = stage, .parameters = {}};
    for (const auto& [key, value] : node.entries) {
      if (key.text == "seconds") continue;
      time.parameters[key.text] = value.text;
      if (std::ranges::find(parameters_, key.text) == parameters_.end())
        fail(key.where, "no runner of the matrix has a parameter {}{}", quoted(key.text),
             did_you_mean(key.text, parameters_));
    }
    add(std::move(time), *seconds);
  }

  Errors& errors_;
  std::vector<std::string> stages_, parameters_;
  std::vector<plan::StageTime> times_;
};

}  // namespace

std::vector<plan::StageTime> read_stage_times(system::Files& files, const std::string& file,
                                              const Experiment& experiment, Errors& errors) {
  auto text = files.read_text(file, YamlLimits{}.bytes);
  if (!text) {
    errors.push_back(text.error());
    return std::vector<plan::StageTime>();
  }
  const auto root = parse_yaml(*text, file);
  if (!root) {
    errors.push_back(root.error());
    return std::vector<plan::StageTime>();
  }
  return TimesReader(experiment, errors).read(*root);
}

}  // namespace orch::session
