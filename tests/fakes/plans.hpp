// Plans from text: a manifest in YAML and points as maps of parameters.
#pragma once

#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace orch::fakes {

// Files by name; what is not there is an error. Everything else has a fixed identity unless a test sets it.
class FakeFacts final : public plan::Facts {
 public:
  std::map<std::string, std::string> runner_files, templates, executables;
  std::map<std::string, std::string> sources;
  std::string machine = "Test CPU x 2";

  Result<Digest> runner_file(const std::string& relative) override {
    const auto file = runner_files.find(relative);
    if (file == runner_files.end()) return io_error("open", relative, ENOENT);
    return sha256(file->second);
  }
  Result<std::string> template_text(const std::string& relative) override {
    const auto file = templates.find(relative);
    if (file == templates.end()) return io_error("open", relative, ENOENT);
    return file->second;
  }
  Result<std::string> executable(const std::string& path) override { return executables.contains(path) ? executables.at(path) : path + " sha256:0"; }
  Result<std::string> model_source(const std::string& source, const std::string&) override { return sources.contains(source) ? sources.at(source) : source; }
  std::string machine_class() override { return machine; }
};

using Parameters = std::map<std::string, std::string>;

inline matrix::Point point_of(const Parameters& parameters) {
  matrix::Point point;
  for (const auto& [name, text] : parameters) {
    if (name == "source") {
      point.model_source = text;
      continue;
    }
    point.parameters[name] = {matrix::Type::text, text};
    point.name += (point.name.empty() ? "" : "_") + name + text;
  }
  return point;
}

inline runner::Manifest manifest_of(const std::string& yaml) {
  Errors errors;
  runner::Manifest manifest = runner::parse_manifest(yaml, "runner.yaml", errors);
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  return manifest;
}

struct PlanInput {
  std::vector<Parameters> points;
  std::int64_t repeats = 1;
  plan::Done done = {};
};

inline plan::Plan plan_of(const std::string& manifest_yaml, const PlanInput& input, FakeFacts& facts) {
  matrix::Matrix matrix;
  matrix.name = "test";
  matrix.measure.repeats = input.repeats;
  matrix::Expansion expansion;
  for (const Parameters& parameters : input.points) expansion.points.push_back(point_of(parameters));
  Errors errors;
  plan::Plan plan = plan::make_plan(matrix, expansion, manifest_of(manifest_yaml), facts, input.done, {}, errors);
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  return plan;
}

}  // namespace orch::fakes
