// What each stage of a plan asks of the host, as few distinct requests. Holds no state of a run.
#pragma once

#include "plan/graph/plan.hpp"
#include "plan/resources/request.hpp"
#include "run/schedule/graph.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace orch::schedule {

class Demands {
 public:
  using Class = std::uint32_t;  // stages of one class ask for the same

  explicit Demands(const plan::Plan& plan);

  Class class_of(Index stage) const { return classes_[stage]; }
  const resources::Request& of(Index stage) const { return requests_[classes_[stage]]; }
  // Of stages that one process makes: each writes, and the rest is held once.
  resources::Request of(const std::vector<Index>& batch) const;

 private:
  std::vector<Class> classes_;  // by stage
  std::vector<resources::Request> requests_;
};

// What an attempt of STAGE holds under ISOLATION. A measurement has the cores of its server.
resources::Request request_of(const plan::Stage& stage, matrix::Isolation isolation);

}  // namespace orch::schedule
