// A stage under construction, and the parts that make it: each says what it reads and what it
// fills. No part knows the class that calls them, or another stage but those that its own needs.
#pragma once

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

// How the names of unknown identities begin.
inline constexpr std::string_view k_executable = "executable:", k_version = "version:",
                                  k_image = "image:";

// Readers of facts, as Point::Waiting names them.
inline constexpr std::string_view k_warmup = "measure.warmup";
inline std::string provided_when(const runner::StageKind& kind) {
  return fmt::format("'when' of provide '{}'", kind.name);
}

inline bool is_waiting(const matrix::Point& point, std::string_view reader) {
  return std::ranges::any_of(point.waiting,
                             [&](const auto& waiting) { return waiting.reader == reader; });
}

inline bool is_unknown(const matrix::Point& point, std::string_view parameter) {
  return std::ranges::find(point.unknown, parameter) != point.unknown.end();
}

inline double answer(const matrix::Point& point, std::size_t question) {
  return question < point.answers.size() ? point.answers[question] : matrix::k_no_answer;
}

// Calls VISIT with every string of SPEC, a StageKind or a Spec, that may carry symbols; not with
// the values of `render`.
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
  // Parameter -> path on this machine, for parameters whose content is hashed in place of the path.
  std::map<std::string, std::string> paths{};
  std::vector<std::string> container_waits{};  // parameters in its container that wait for facts

  void miss(const std::string& fact) {
    if (std::ranges::find(stage.unknown, fact) == stage.unknown.end())
      stage.unknown.push_back(fact);
  }
};

// Gives STAGE, whose components are complete, its key, digest and id.
inline void take_key(Stage& stage) {
  stage.key = stage.components.digest();
  if (stage.unknown.empty()) stage.digest = stage.key;
  stage.id = fmt::format("{}-{}", stage.spec.name, stage.key.prefix(12));
}

// --- symbol_values.cpp

// The values of symbols, by name and by the moment at which they are filled in.
struct SymbolValues {
  using Map = std::map<std::string, std::string, std::less<>>;
  Map planned;  // Known::planned, and the parameters that the kind reads
  // Known::hashed: what decides the digest is the identity of a model, a dataset or a path, not its
  // spelling, and no limit that only judges.
  Map hashed;
};
// Fills `parameters`, `paths`, `inputs` and `unresolved` of DRAFT, whose needs are known.
SymbolValues symbol_values(RunnerContext& context, StageDraft& draft);
// TEXT with the symbols that VALUES has.
std::string filled(const std::string& text, const SymbolValues::Map& values);
// The models that POINT's parameters of type model name, `model` itself excepted: parameter ->
// entry.
std::map<std::string, const matrix::Model*> named_models(const runner::Manifest& manifest,
                                                         const matrix::Matrix& matrix,
                                                         const matrix::Point& point);

// --- stage_spec.cpp

// Fills the spec of DRAFT but its container, and the rendered files, with the planned values.
void fill_spec(RunnerContext& context, StageDraft& draft, const SymbolValues& values);
void render_files(RunnerContext& context, StageDraft& draft, const SymbolValues& values);
// Readiness, at most MOST_S long, and the smoke request that suits the point.
void fill_ready(StageDraft& draft, const SymbolValues& values, double most_s = 1e9);
void fill_smoke(StageDraft& draft, const SymbolValues& values);
// Whether TEXT begins with the output of a stage that the point does without.
bool names_absent(const Instance& from, std::string_view text);

// --- containers.cpp

// The container that the manifest and the point ask for, if any. It takes over the command of the
// version.
void fill_container(RunnerContext& context, StageDraft& draft);

// --- components.cpp

// Lists what enters the digest, and everything that is not known of it.
void list_components(RunnerContext& context, StageDraft& draft);
// A fact decides whether the output is provided. A stage that the fact itself depends on is made.
bool may_be_provided(const RunnerContext& context, const Instance& from);

// --- instance_resources.cpp

// What an attempt holds of the host, writes and takes at least, by the manifest.
void estimate(const RunnerContext& context, StageDraft& draft);
// Symbols and servers that a stage of a point cannot have.
void refuse_absent(RunnerContext& context, const StageDraft& draft);
void refuse_ports(RunnerContext& context, const StageDraft& draft);
void refuse_servers(RunnerContext& context, const StageDraft& draft);

// --- provide.cpp and service/running_service.cpp: what takes the place of a stage

// The output that a matrix provides, whose description must agree with the point.
Stage make_provided(RunnerContext& context, const Instance& from);
// A process that watches a server which runs already, and starts nothing.
Stage make_running(RunnerContext& context, const Instance& from);
// Lets the words of a measurement name a server that runs already.
void point_at_running(RunnerContext& context, StageDraft& draft);

}  // namespace orch::plan
