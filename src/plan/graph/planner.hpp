// Makes the graph point by point. Recognises equal stages by the values that they depend on, so
// that a stage is instantiated and hashed once however many points share it. Does not set statuses.
#pragma once

#include "plan/graph/instantiate.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace orch::plan {

class Planner {
 public:
  // Adds stages to PLAN, which may already have some. All must outlive this.
  Planner(Plan& plan, const Inputs& inputs, Instantiator& instantiator);

  // Returns the stages of POINT, in the order of the manifest, each once. A point to be measured
  // again gets its sessions in the store and new ones. CHECKED: its first measurements are also
  // made alone.
  std::vector<StageId> stages_of(const matrix::Point& point, bool checked = false);
  // What may run concurrently with a measurement.
  matrix::Isolation isolation() const { return isolation_; }

 private:
  using Index = std::size_t;
  static constexpr Index k_absent = static_cast<Index>(-1);

  // A kind with those of its properties that do not depend on the point.
  struct Node {
    const runner::StageKind* kind;
    std::vector<std::size_t> needs = {};  // nodes, as kind->needs
    std::vector<std::size_t> needed_by = {};
    bool fetches = false, chooses_rows = false;  // of a dataset
    // The repeats that distinguish its stages.
    bool by_build = false, by_serve = false, by_measure = false;
  };

  struct FirstBytes {
    std::size_t operator()(const Digest& digest) const { return digest.first_bytes(); }
  };

  class OnePoint;

  // The stage of NODE that INSTANCE describes.
  Index find_or_make(const Node& node, const Instance& instance);
  // The measurement made alone if the store has it; otherwise under the isolation of the matrix.
  Index measure(Instance instance);
  // Adds STAGE unless the plan has it.
  Index add(Stage stage);
  // A point gives VALUE to the parameter NAME, which only describes the running server. All points
  // must give it the same value.
  void check_stated(const std::string& name, const std::string& value);

  Plan& plan_;
  const Inputs& inputs_;
  matrix::Isolation isolation_;
  Instantiator& instantiator_;
  std::vector<Node> nodes_;                          // in the order of the manifest's stages
  const matrix::RunningServer* server_ = nullptr;    // instead of every service
  std::set<std::string> varied_;                     // parameters that axes, `include` or `let` set
  std::map<std::string, std::string> first_values_;  // by parameter that only describes the server
  std::unordered_map<std::string, Index> by_key_;
  std::unordered_map<Digest, Index, FirstBytes> by_id_;  // by key, from which ids derive
};

}  // namespace orch::plan
