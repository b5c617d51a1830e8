// One stage in the making: what the parts of Instantiator hand to each other.
#pragma once

#include "plan/instantiate.hpp"

namespace orch::plan {

// What every list of components begins with. Raised by hand when what a digest is taken over
// changes.
inline constexpr std::string_view k_schema = "1";

struct Instantiator::Making {
  const Instance& from;
  Stage stage{};
  std::map<std::string, std::string>
      written{};  // as stage.rendered, with what is filled in when the digest has been taken

  std::map<std::string, std::string> paths{};  // parameter -> where what it names stands: its
                                               // content is in the digest, and no path

  std::size_t rounds = 0;  // of the counted parts of argv so far

  void miss(const std::string& fact) {
    if (std::find(stage.unknown.begin(), stage.unknown.end(), fact) == stage.unknown.end())
      stage.unknown.push_back(fact);
  }
};

// As `waiting` of a point names what reads a fact.
inline constexpr std::string_view k_warmup = "measure.warmup";
inline std::string provided_when(const runner::StageKind& kind) {
  return fmt::format("'when' of provide '{}'", kind.name);
}

inline bool is_waiting(const matrix::Point& point, std::string_view who) {
  return std::any_of(point.waiting.begin(), point.waiting.end(),
                     [&](const auto& waiting) { return waiting.who == who; });
}

inline bool is_unknown(const matrix::Point& point, std::string_view parameter) {
  return std::find(point.unknown.begin(), point.unknown.end(), parameter) != point.unknown.end();
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
