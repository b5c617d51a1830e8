// The plan of one point of a store, rebuilt from the store's record of the point and the current
// runners. Starts no stages and does not write to the store.
#pragma once

#include "app/cli/reading.hpp"
#include "app/session/planning.hpp"
#include "app/session/world.hpp"
#include "results/keep/reproduce.hpp"
#include "results/store/store.hpp"

#include <functional>
#include <string>

namespace orch::cli {

struct Recorded {
  store::Store& store;
  const keep::RecordedPoint& recorded;
  const RunnerPlaces& places;
  std::string folder;  // where matrix.yaml, with everything pinned, is written
};

// Calls USE with the plan. Returns the errors of the plan, or the error of USE.
Errors plan_recorded(
    const Recorded& of,
    const std::function<Status(session::World& world, session::Planning& planning)>& use);

}  // namespace orch::cli
