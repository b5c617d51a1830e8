// A store with two experiments, "quick" and "other", that differ in precision: each has
// measurements of concurrency 1 and 4 in some server sessions.
#pragma once

#include "results/store/sample.hpp"

namespace orch::compare {

struct Planted {
  std::string experiment, precision;
  std::vector<double> tps;  // of each session, at concurrency 1; at 4 it is the same
  std::map<std::string, std::string> machine = {{"cpu_model", "Sample CPU"}, {"kernel", "6.1"}};
  std::string version = "0.1.0";
  double started_at = 1'700'000'000;
};

// No stage is that of another experiment.
inline plan::Plan plan_of(const Planted& planted) {
  plan::Plan plan = sample::make_plan({.experiment = planted.experiment,
                                       .repeats = static_cast<int>(planted.tps.size()),
                                       .more = {{"precision", sample::text(planted.precision)}}});
  std::map<plan::StageId, plan::StageId> renamed;
  for (plan::Stage& stage : plan.stages) {
    stage.components.add("stated.experiment", planted.experiment);
    stage.digest = stage.components.digest();
    const plan::StageId old = stage.id;
    stage.id = stage.spec.name + "-" + stage.digest.prefix(8);
    renamed[old] = stage.id;
  }
  for (plan::Stage& stage : plan.stages)
    for (auto& [name, id] : stage.needs) id = renamed.at(id);
  for (plan::PlannedPoint& point : plan.points) {
    point.point.name += "-" + planted.experiment;
    for (plan::StageId& id : point.stages) id = renamed.at(id);
  }
  return plan;
}

// One run with a session of the server for each of PLANTED.tps.
inline void plant(store::Store& store, const Planted& planted) {
  store::RunInfo info = sample::run_info();
  info.machine = planted.machine;
  info.version = planted.version;
  info.started_at = planted.started_at;
  sample::Driver driver(store, plan_of(planted), info);
  driver.now = planted.started_at;
  const std::size_t sessions = planted.tps.size();
  for (std::size_t i = 0; i < sessions; ++i) {
    const schedule::AttemptKey session = driver.run_serve();
    for (const std::size_t nth : {i, sessions + i}) {
      nlohmann::json measured = sample::measurement(10, planted.tps[i]);
      measured["window"]["start_wall_ns"] = static_cast<std::int64_t>(driver.now) * 1'000'000'000;
      driver.run_bench(nth, session, measured);
    }
    driver.end(session);
    driver.now += 120;
  }
  driver.commit();
  driver.finish(store::Outcome::done);
}

class PlantedStore : public testing::Test {
 protected:
  void plant_both(Planted a, Planted b) {
    store::Store store = sample::open_store(folder_.path());
    plant(store, a);
    plant(store, b);
  }
  // A against B in three sessions each, B begins while A goes on.
  void plant_usual() {
    plant_both({.experiment = "quick", .precision = "f16", .tps = {100, 101, 99}},
               {.experiment = "other",
                .precision = "q8_0",
                .tps = {120, 121, 119},
                .started_at = 1'700'000'060});
  }
  sql::Database& database() {
    if (!store_) store_.emplace(sample::open_store(folder_.path(), store::Mode::read));
    return store_->database();
  }

  sample::TemporaryFolder folder_;
  std::optional<store::Store> store_;
};

}  // namespace orch::compare
