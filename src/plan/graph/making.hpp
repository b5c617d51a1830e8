// A stage under construction, shared by the parts of Instantiator. Knows no other stage but those
// it needs.
#pragma once

#include "plan/graph/instantiate.hpp"

namespace orch::plan {

// The first component of every list. Raised by hand when the meaning of a digest changes.
inline constexpr std::string_view k_schema = "1";

struct Instantiator::Making {
  const Instance& from;
  Stage stage{};
  // Like stage.rendered, with the values that are not in the digest.
  std::map<std::string, std::string> written{};

  // Parameter -> path on this machine, for parameters whose content is hashed in place of the path.
  std::map<std::string, std::string> paths{};

  std::vector<std::string> container_waits{};  // parameters in its container that wait for facts

  std::size_t rounds = 0;  // repetitions of `times` parts of argv so far

  void miss(const std::string& fact) {
    if (std::ranges::find(stage.unknown, fact) == stage.unknown.end())
      stage.unknown.push_back(fact);
  }
};

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

// Calls VISIT with every string of SPEC, a StageKind or a Spec, that may carry symbols; not with
// the values of `render`.
template <class SpecType, class Visit> void for_each_text(SpecType& spec, Visit&& visit) {
  for (auto& word : spec.argv) visit(word);
  for (auto& [name, value] : spec.env) visit(value);
  for (auto& [name, value] : spec.job) visit(value);
  for (auto& place : spec.place) visit(place.from);
  visit(spec.shm_prefix);
}

}  // namespace orch::plan
