// Plans from text: a manifest in YAML and points as maps of parameters.
#pragma once

#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::fakes {

// Files by name; what is not there is an error. Everything else has a fixed identity unless a test sets it.
class FakeFacts final : public plan::Facts {
 public:
  std::map<std::string, std::string> runner_files, templates, executables;
  std::map<std::string, std::string> sources;
  std::set<std::string> missing;  // executables and sources of which nobody knows the identity
  std::string machine = "Test CPU x 2";
  std::optional<std::string> gpu;

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
  Result<std::optional<std::string>> executable(const std::string& path) override {
    if (missing.contains(path)) return std::optional<std::string>();
    return std::optional(executables.contains(path) ? executables.at(path) : path + " sha256:0");
  }
  Result<std::optional<std::string>> model_source(const std::string& source, const std::string& revision) override {
    if (missing.contains(source)) return std::optional<std::string>();
    return std::optional((sources.contains(source) ? sources.at(source) : source) + (revision.empty() ? "" : "@" + revision));
  }
  Result<std::string> dataset_source(const std::string& source) override { return sources.contains(source) ? sources.at(source) : source; }
  Result<Digest> provided(const std::string& path) override { return sha256(path); }
  Result<std::string> provided_text(const std::string& path, const std::string& file) override { return template_text(path + "/" + file); }
  std::string machine_class() override { return machine; }
  std::optional<std::string> gpu_model() override { return gpu; }
};

inline plan::Made made_by(std::int64_t run) { return {.run = run, .provenance = std::make_shared<plan::Provenance>()}; }

using Parameters = std::map<std::string, std::string>;

inline matrix::Point point_of(const Parameters& parameters) {
  matrix::Point point;
  for (const auto& [name, text] : parameters) {
    if (name == "source") {
      point.model_source = text;
      continue;
    }
    point.parameters.set(name, {matrix::Type::text, text});
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
