// A small runner with one stage of each kind of work, four points for it, and summaries of its
// plans as text.
#pragma once

#include "fakes/plans.hpp"

namespace orch::plan::toy {

using fakes::FakeFacts;
using fakes::PlanBuilder;

inline constexpr const char* k_runner = R"(
runner: toy
parameters:
  model: {type: text}
  precision: {type: text}
  batch_size: {type: integer}
  isl: {type: integer}
stages:
  environment:
    kind: task
    executables: [/usr/bin/python3]
    argv: [/usr/bin/python3, "{file:make.py}", "{out}"]
    outputs: [bin]
  download:
    kind: task
    needs: [environment]
    argv: ["{stage:environment}/bin", "--source={model.source}"]
    outputs: [model]
  build:
    kind: task
    needs: [environment, download]
    reads: [precision]
    argv: ["{stage:environment}/bin", "--model={stage:download}", "--precision={precision}", "--out={out}"]
    outputs: [engine]
  repository:
    kind: task
    needs: [build]
    reads: [batch_size]
    render: [{from: templates/c.pbtxt, to: m/config.pbtxt, values: {max: "{batch_size}", engine: "{stage:build}/engine"}}]
    outputs: [m]
  serve:
    kind: service
    needs: [repository]
    ports: [http]
    argv: [/bin/server, "{stage:repository}", "{port:http}"]
    ready: {port: http, get: [/ready]}
  bench:
    kind: measure
    needs: [serve]
    reads: [isl]
    argv: ["{orchestrate}", bench, "{port:serve.http}", "{isl}", "--warmup={measure.warmup}"]
    outputs: [measurement.json]
)";

inline FakeFacts good_facts() {
  FakeFacts facts;
  facts.runner_files["make.py"] = "print()";
  facts.templates["templates/c.pbtxt"] = "max: ${max} dir: \"${engine}\"";
  return facts;
}

inline std::vector<fakes::Parameters> four_points() {
  std::vector<fakes::Parameters> points;
  for (const char* precision : {"f16", "q8"})
    for (const char* isl : {"32", "128"})
      points.push_back({{"source", "generate:nano"},
                        {"precision", precision},
                        {"batch_size", "4"},
                        {"isl", isl}});
  return points;
}

inline std::map<std::string, std::string> counts(const Plan& plan) {
  std::map<std::string, std::map<std::string, int>> by_name;
  for (const Stage& stage : plan.stages)
    ++by_name[stage.spec.name][std::string(to_string(stage.status))];
  std::map<std::string, std::string> text;
  for (const auto& [name, statuses] : by_name)
    for (const auto& [status, count] : statuses)
      text[name] += fmt::format("{}{} {}", text[name].empty() ? "" : ", ", count, status);
  return text;
}

inline const Stage& stage_named(const Plan& plan, const std::string& name, std::size_t nth = 0) {
  for (const Stage& stage : plan.stages)
    if (stage.spec.name == name && nth-- == 0) return stage;
  throw std::runtime_error("no stage " + name);
}

// The inputs of a plan for the four points.
inline PlanBuilder toy_builder() {
  PlanBuilder builder(k_runner, four_points());
  builder.facts = good_facts();
  return builder;
}

// "build run", ... in the order of the plan.
inline std::vector<std::string> states(const Plan& plan) {
  std::vector<std::string> words;
  for (const Stage& stage : plan.stages)
    words.push_back(fmt::format("{} {}", stage.spec.name, to_string(stage.status)));
  return words;
}

// The name of each stage and the values that it reads, in the order of the plan.
inline std::vector<std::string> labels(const Plan& plan) {
  std::vector<std::string> words;
  for (const Stage& stage : plan.stages) {
    std::string word = stage.spec.name;
    for (const auto& [name, value] : stage.parameters) word += " " + value.text;
    if (stage.repeat > 0) word += fmt::format(" repeat {}", stage.repeat);
    words.push_back(word);
  }
  return words;
}

inline Earlier earlier(const Stage& stage, double seconds, std::uint64_t bytes = 10) {
  Earlier one{.stage = stage.spec.name,
              .digest = stage.digest,
              .parameters = {},
              .seconds = seconds,
              .bytes = bytes};
  for (const auto& [name, value] : stage.parameters) one.parameters[name] = value.text;
  return one;
}

// Earlier attempts of PLAN's stages; SECONDS has the time by the name of the stage.
inline std::vector<Earlier> history(const Plan& plan,
                                    const std::map<std::string, double>& seconds) {
  std::vector<Earlier> all;
  for (const Stage& stage : plan.stages)
    if (seconds.contains(stage.spec.name))
      all.push_back(earlier(stage, seconds.at(stage.spec.name)));
  return all;
}

}  // namespace orch::plan::toy
