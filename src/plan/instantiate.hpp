// A kind of stage and a point become a stage: parameters filled in, identities looked up, components listed, digest
// taken. Knows nothing of other points or of the store.
#pragma once

#include "plan/plan.hpp"

#include <unordered_map>

namespace orch::plan {

// Whether any string of KIND contains SYMBOL, braces included.
bool mentions(const runner::StageKind& kind, std::string_view symbol);

class Instantiator {
 public:
  // All must outlive this.
  Instantiator(Facts& facts, const Options& options, const matrix::Measure& measure);

  // Equal keys give equal stages: the values that the kind can see, without making the stage.
  std::string key(const runner::StageKind& kind, const matrix::Point& point, const std::map<std::string, StageId>& needs, std::int64_t repeat) const;

  // Errors (a missing file, an unfilled template) are appended once per file.
  Stage make(const runner::StageKind& kind, const matrix::Point& point, const std::map<std::string, const Stage*>& needs, std::int64_t repeat, Errors& errors);

 private:
  void fill_in(Stage& stage, const std::map<std::string, std::string>& symbols) const;
  void render(Stage& stage, Errors& errors);
  void list_components(Stage& stage, const matrix::Point& point, const std::map<std::string, const Stage*>& needs, Errors& errors);

  Facts& facts_;
  const Options& options_;
  const matrix::Measure& measure_;
  std::unordered_map<std::string, std::string> templates_;
  std::set<std::string> complained_;
};

}  // namespace orch::plan
