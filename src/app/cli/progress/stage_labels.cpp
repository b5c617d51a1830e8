#include "app/cli/progress/stage_labels.hpp"

#include "core/base/text.hpp"

namespace orch::cli {

namespace {

struct Spoken {
  std::string_view name;
  std::string_view before, after;  // the value
};

constexpr Spoken k_spoken[] = {
    {"model", "", ""},        {"precision", "", ""},
    {"tp", "tp", ""},         {"pp", "pp", ""},
    {"cp", "cp", ""},         {"isl", "isl", ""},
    {"osl", "osl", ""},       {"batch_size", "bs", ""},
    {"concurrency", "c", ""}, {"request_rate", "", " req/s"},
    {"arrival", "", ""},      {"trtllm_version", "", ""},
    {"frontend", "", ""},     {"llm_backend", "", ""},
};

// Those of NAMES that differ among the points, and the model.
std::vector<std::string> telling_names(const plan::Plan& plan,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> telling;
  for (const std::string& name : names) {
    std::set<std::string> seen;
    for (const plan::PlannedPoint& point : plan.points)
      if (const matrix::Value* value = point.point.parameters.find(name)) seen.insert(value->text);
      else seen.insert("");
    if (seen.size() > 1 || name == "model") telling.push_back(name);
  }
  return telling;
}

// The value of NAME in every point of STAGE; "" when they differ or have none.
std::string common_value(const plan::Plan& plan, const plan::Stage& stage,
                         const std::string& name) {
  std::set<std::string> seen;
  for (const std::size_t point : stage.points) {
    const matrix::Value* value = plan.points[point].point.parameters.find(name);
    seen.insert(value ? value->text : "");
    if (seen.size() > 1) return "";
  }
  return seen.empty() ? "" : *seen.begin();
}

}  // namespace

std::string short_value(const std::string& name, const std::string& value) {
  for (const Spoken& spoken : k_spoken)
    if (spoken.name == name) return fmt::format("{}{}{}", spoken.before, value, spoken.after);
  return fmt::format("{}={}", name, value);
}

StageLabels::StageLabels(const plan::Plan& plan, const std::vector<std::string>& names) {
  const std::vector<std::string> telling = telling_names(plan, names);
  for (const plan::Stage& stage : plan.stages) {
    std::vector<std::string> words = {stage.spec.name};
    for (const std::string& name : telling)
      if (const std::string value = common_value(plan, stage, name); !value.empty())
        words.push_back(short_value(name, value));
    if (stage.repeat > 0) words.push_back(fmt::format("repeat {}", stage.repeat));
    labels_[stage.id] = join(words, " ");
  }
}

const std::string& StageLabels::of(const plan::StageId& stage) const {
  const auto label = labels_.find(stage);
  return label == labels_.end() ? stage : label->second;
}

std::string StageLabels::with_id(const plan::StageId& stage) const {
  const std::string& label = of(stage);
  return label == stage ? stage : fmt::format("{} ({})", label, stage);
}

}  // namespace orch::cli
