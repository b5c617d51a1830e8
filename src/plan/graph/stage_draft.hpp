// A stage under construction, and the parts that make it: each says what it reads and what it
// fills. No part depends on the class that calls it, or on stages that the draft does not need.
#pragma once

#include "core/base/text.hpp"
#include "plan/graph/instantiate.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace orch::plan {

// The first component of every list. Raised by hand when the meaning of a digest changes.
inline constexpr std::string_view k_schema = "1";

// Prefixes of the names of unknown identities.
inline constexpr std::string_view k_executable = "executable:", k_version = "version:",
                                  k_image = "image:";

// Readers of facts, as in Point::Waiting.
inline constexpr std::string_view k_warmup = "measure.warmup";
inline std::string provided_when(const runner::StageKind& kind) {
  return fmt::format("'when' of provide '{}'", kind.name);
}

inline bool is_waiting(const matrix::Point& point, std::string_view reader) {
  return std::ranges::any_of(point.waiting,
                             [&](const auto& waiting) { return waiting.reader == reader; });
}

inline bool is_unknown(const matrix::Point& point, std::string_view parameter) {
  return contains(point.unknown, parameter);
}

inline double answer(const matrix::Point& point, std::size_t question) {
  return question < point.answers.size() ? point.answers[question] : matrix::k_no_answer;
}

// Calls VISIT with every string of SPEC, a StageKind or a Spec, that may contain symbols, except
// those of `version`, `render`, `tools`, `container` and probes.
template <class SpecType, class Visit> void for_each_text(SpecType& spec, Visit&& visit) {
  for (auto& word : spec.argv) visit(word);
  for (auto& [name, value] : spec.env) visit(value);
  for (auto& [name, value] : spec.job) visit(value);
  for (auto& place : spec.place) visit(place.from);
  visit(spec.shm_prefix);
}

struct StageDraft {
  const Instance& from;
  Stage stage{};
  // Like stage.rendered, with the values that are not in the digest.
  std::map<std::string, std::string> written{};
  // Parameter -> path on this machine, for parameters whose content is hashed instead of the path.
  std::map<std::string, std::string> paths{};
  std::vector<std::string> container_waits{};  // parameters in its container that wait for facts

  void miss(const std::string& fact) {
    if (!contains(stage.unknown, fact)) stage.unknown.push_back(fact);
  }
};

// Gives STAGE, whose components are complete, its key, digest and id.
inline void take_key(Stage& stage) {
  stage.key = stage.components.digest();
  if (stage.unknown.empty()) stage.digest = stage.key;
  stage.id = fmt::format("{}-{}", stage.spec.name, stage.key.prefix(12));
}

// --- symbol_values.cpp

// The values of symbols, by name and by when they are filled in.
struct SymbolValues {
  using Map = std::map<std::string, std::string, std::less<>>;
  Map planned;  // Known::planned, and the parameters that the kind reads
  // Known::hashed: the digest covers the identity of a model, a dataset or a path, not its
  // spelling, and no limits that only judge results.
  Map hashed;
};
// Fills `parameters`, `paths`, `inputs` and `unresolved` of DRAFT, whose needs are known.
SymbolValues symbol_values(RunnerContext& context, StageDraft& draft);
// TEXT with the symbols in VALUES replaced.
std::string filled(const std::string& text, const SymbolValues::Map& values);
// The models named by POINT's parameters of type model, except `model` itself: parameter -> entry.
std::map<std::string, const matrix::Model*> named_models(const runner::Manifest& manifest,
                                                         const matrix::Matrix& matrix,
                                                         const matrix::Point& point);

// --- stage_spec.cpp

// Fill the spec of DRAFT, including its container, and its rendered files.
void fill_spec(RunnerContext& context, StageDraft& draft, const SymbolValues& values);
void render_files(RunnerContext& context, StageDraft& draft, const SymbolValues& values);
// Fill the readiness probe, with a timeout of at most MOST_S, and the smoke request whose condition
// holds for the point.
void fill_ready(StageDraft& draft, const SymbolValues& values, double most_s = 1e9);
void fill_smoke(StageDraft& draft, const SymbolValues& values);
// Whether TEXT begins with the output of a stage that the point lacks.
bool names_absent(const Instance& from, std::string_view text);

// --- containers.cpp

// The container that the manifest and the point specify, if any. It also runs the version command.
void fill_container(RunnerContext& context, StageDraft& draft);

// --- components.cpp

// Lists what enters the digest, and everything in it that is unknown.
void list_components(RunnerContext& context, StageDraft& draft);
// Whether an unknown fact decides if the output is provided; false for stages that facts depend on.
bool may_be_provided(const RunnerContext& context, const Instance& from);

// --- instance_resources.cpp

// An attempt's resources, output size and minimum time, by the manifest.
void estimate(const RunnerContext& context, StageDraft& draft);
// Reports symbols, servers and ports that a stage refers to but its point lacks.
void refuse_absent(RunnerContext& context, const StageDraft& draft);
void refuse_ports(RunnerContext& context, const StageDraft& draft);
void refuse_servers(RunnerContext& context, const StageDraft& draft);

// --- provide.cpp and service/running_service.cpp: replacements of a stage

// The output that a matrix provides; its description must agree with the point.
Stage make_provided(RunnerContext& context, const Instance& from);
// A process that watches a running server, and starts nothing.
Stage make_running(RunnerContext& context, const Instance& from);
// Makes the arguments of a measurement address a running server.
void point_at_running(RunnerContext& context, StageDraft& draft);

}  // namespace orch::plan
