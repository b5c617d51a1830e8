// Plans from text: a manifest in YAML and points as maps of parameters.
#pragma once

#include "core/base/text.hpp"
#include "plan/graph/plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace orch::fakes {

// Files by name; a missing one is an error. Everything else has a fixed identity unless a test sets
// it.
class FakeFacts final : public plan::Facts {
 public:
  std::map<std::string, std::string> runner_files, templates, executables, versions;
  std::map<std::string, std::string> sources;
  std::map<std::string, std::string> resolved;  // source -> its resolved revision
  std::map<std::string, std::string> paths;     // value of a parameter -> path
  std::set<std::string> missing;                // executables and sources with unknown identity
  std::set<std::string> unreadable;             // datasets
  std::map<std::string, std::string> server_answers;      // by question
  std::map<std::string, std::string> images;              // by "ENGINE NAME"
  std::map<std::string, std::string> equivalents;         // SHA-256 -> SHA-256
  std::map<std::string, std::vector<std::string>> locks;  // by "PROGRAM FILE"
  std::string machine = "Test CPU x 2";
  std::optional<std::string> gpu;
  std::vector<std::string> lookups;  // what make_plan() asked for, in order

  Result<Digest> runner_file(const std::string&, const std::string& relative) override {
    lookups.push_back(relative);
    const auto file = runner_files.find(relative);
    if (file == runner_files.end()) return io_error("open", relative, ENOENT);
    return sha256(file->second);
  }
  std::string in_digests(const std::string&, const std::string& content) override {
    const auto found = equivalents.find(content);
    return found == equivalents.end() ? content : found->second;
  }
  std::vector<std::string> files_read(const std::string&, const std::string& relative,
                                      const std::string& program) override {
    const auto found = locks.find(program + " " + relative);
    return found == locks.end() ? std::vector<std::string>{relative} : found->second;
  }
  std::string runner_path(const std::string&, const std::string& relative) override {
    return "/project/runners/toy/" + relative;
  }
  std::string project_path(const std::string&, const std::string& relative) override {
    return "/project/" + relative;
  }
  Result<std::string> template_text(const std::string&, const std::string& relative) override {
    lookups.push_back(relative);
    const auto file = templates.find(relative);
    if (file == templates.end()) return io_error("open", relative, ENOENT);
    return file->second;
  }
  Result<std::optional<std::string>> executable(const std::string& path) override {
    lookups.push_back(path);
    if (missing.contains(path)) return std::optional<std::string>();
    return std::optional(executables.contains(path) ? executables.at(path) : path + " sha256:0");
  }
  Result<std::optional<std::string>> version(const plan::Spec& spec) override {
    const std::string command = join(spec.version->argv, " ");
    lookups.push_back(command);
    if (!versions.contains(command)) return std::optional<std::string>();
    return std::optional(versions.at(command));
  }
  Result<std::optional<std::string>> image(container::Engine engine,
                                           const std::string& reference) override {
    const std::string name = std::string(to_string(engine)) + " " + reference;
    lookups.push_back(name);
    const auto found = images.find(name);
    if (found == images.end()) return std::optional<std::string>();
    return std::optional(found->second);
  }
  Result<std::optional<std::string>> model_source(const std::string& source,
                                                  const std::string& revision) override {
    lookups.push_back(source);
    if (missing.contains(source)) return std::optional<std::string>();
    return std::optional((sources.contains(source) ? sources.at(source) : source) +
                         (revision.empty() ? "" : "@" + revision));
  }
  std::optional<std::string> revision_to_get(const std::string& source,
                                             const std::string& revision) override {
    if (resolved.contains(source)) return resolved.at(source);
    return missing.contains(source) ? std::nullopt : std::optional(revision);
  }
  Result<std::string> dataset_source(const std::string& source) override {
    lookups.push_back(source);
    if (unreadable.contains(source))
      return Error{ErrorKind::not_found, source + " cannot be read", {}};
    return sources.contains(source) ? sources.at(source) : source;
  }
  std::string local_path(const std::string& text) override {
    return paths.contains(text) ? paths.at(text) : "";
  }
  Result<Digest> provided(const std::string& path) override {
    lookups.push_back(path);
    return sha256(sources.contains(path) ? sources.at(path) : path);
  }
  // Among the templates, as PATH/FILE.
  Result<std::string> provided_text(const std::string& path, const std::string& file) override {
    return template_text("", path + "/" + file);
  }
  std::optional<std::string> server_says(const std::string& question) override {
    const auto known = server_answers.find(question);
    return known == server_answers.end() ? std::nullopt : std::optional(known->second);
  }
  std::string machine_class() override { return machine; }
  std::optional<std::string> gpu_model() override { return gpu; }
};

inline plan::Made made_by(std::int64_t run) {
  return {.run = run, .provenance = std::make_shared<plan::Provenance>()};
}

using Parameters = std::map<std::string, std::string>;

inline matrix::Point point_of(const Parameters& parameters) {
  matrix::Point point;
  for (const auto& [name, text] : parameters) {
    if (name == "source") {
      point.model_source = text;
      continue;
    }
    if (name == "model") point.model = text;
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

// The inputs of a plan. A test may change each of them before it makes the plan.
struct PlanBuilder {
  FakeFacts facts;
  runner::Manifest manifest;
  matrix::Matrix matrix;
  plan::ChosenPoints expansion;
  plan::Done done;
  plan::Options options;
  Errors errors;

  PlanBuilder(const std::string& manifest_yaml, const std::vector<Parameters>& points)
      : manifest(manifest_of(manifest_yaml)) {
    matrix.name = "test";
    matrix.file = "matrix.yaml";
    for (const Parameters& parameters : points) expansion.points.push_back(point_of(parameters));
  }

  runner::StageKind& kind(const std::string& name) {
    return *std::find_if(manifest.stages.begin(), manifest.stages.end(),
                         [&](const runner::StageKind& kind) { return kind.name == name; });
  }
  // A question with one answer per point.
  std::size_t add_question(const std::string& name, const std::string& sql,
                           const std::vector<double>& answers) {
    manifest.questions.push_back({.what = name, .sql = sql});
    for (std::size_t p = 0; p < expansion.points.size(); ++p) {
      auto& answers_of_point = expansion.points[p].answers;
      answers_of_point.resize(manifest.questions.size(), matrix::k_no_answer);
      answers_of_point.back() = answers.at(p);
    }
    return manifest.questions.size() - 1;
  }
  // Makes the plan and appends its problems to `errors`.
  plan::Plan try_plan() {
    return plan::make_plan({.matrix = matrix,
                            .chosen = expansion,
                            .manifest = manifest,
                            .facts = facts,
                            .done = done,
                            .options = options},
                           errors);
  }
  plan::Plan plan() {
    plan::Plan plan = try_plan();
    for (const Error& error : errors) ADD_FAILURE() << error.text();
    return plan;
  }
  std::vector<std::string> plan_errors() {
    (void)try_plan();
    std::vector<std::string> texts;
    for (const Error& error : errors) texts.push_back(error.text());
    return texts;
  }
  // From now on the store has every output of PLAN except those of services.
  void make_all(const plan::Plan& plan, std::int64_t run = 1) {
    const auto made = std::make_shared<plan::Provenance>(done.provenance);
    for (const plan::Stage& stage : plan.stages)
      if (stage.spec.kind != runner::Kind::service && stage.unknown.empty())
        done.made[stage.digest] = {.run = run, .provenance = made};
  }
};

struct PlanInput {
  std::vector<Parameters> points;
  std::int64_t repeats = 1;
  plan::Done done = {};
};

inline plan::Plan plan_of(const std::string& manifest_yaml, const PlanInput& input,
                          FakeFacts& facts) {
  matrix::Matrix matrix;
  matrix.name = "test";
  matrix.measure.repeats = input.repeats;
  plan::ChosenPoints expansion;
  for (const Parameters& parameters : input.points)
    expansion.points.push_back(point_of(parameters));
  Errors errors;
  plan::Plan plan = plan::make_plan({.matrix = matrix,
                                     .chosen = expansion,
                                     .manifest = manifest_of(manifest_yaml),
                                     .facts = facts,
                                     .done = input.done},
                                    errors);
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  return plan;
}

}  // namespace orch::fakes
