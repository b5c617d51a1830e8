// Stores with server sessions whose figures are known, for the tests of comparisons.
#pragma once

#include "results/store/sample.hpp"

#include <string>
#include <vector>

namespace orch::planted {

using nlohmann::json;
using sample::Driver;

// A run of one experiment with one server session.
struct Session {
  std::string experiment = "a";
  std::vector<json> measured = {};                 // of the points with concurrency 1, 2, ...
  std::map<std::string, matrix::Value> more = {};  // parameters of every point
  std::map<std::string, std::string> machine = sample::run_info().machine;
  std::string version = "0.1.0";
  double at = 0;  // seconds since the first run
  bool has_session = true;
  std::string image = {};     // of the server: another one is another configuration
  std::string manifest = {};  // digest of the runner's; "": not recorded
  std::string matrix_text = sample::run_info().matrix_text;
};

// The plan of SESSION. The measurements of another image have other digests.
inline plan::Plan plan_of(const Session& session) {
  sample::Shape shape{.experiment = session.experiment, .concurrencies = {}, .more = session.more};
  for (std::size_t i = 0; i < session.measured.size(); ++i)
    shape.concurrencies.push_back(static_cast<int>(i) + 1);
  plan::Plan plan = sample::make_plan(shape);
  if (session.image.empty()) return plan;
  for (plan::Stage& stage : plan.stages) {
    if (stage.spec.name != "bench") continue;
    stage.components.add("image", session.image);
    stage.digest = stage.components.digest();
    const std::string before = stage.id;
    stage.id = "bench-" + stage.digest.prefix(8);
    for (plan::PlannedPoint& point : plan.points)
      std::replace(point.stages.begin(), point.stages.end(), before, stage.id);
  }
  return plan;
}

// Measured anew although the stages are those of an earlier run.
inline void plant(store::Store& store, const Session& session) {
  store::RunInfo info = sample::run_info();
  info.machine = session.machine;
  info.version = session.version;
  info.started_at += session.at;
  info.matrix_text = session.matrix_text;
  if (!session.manifest.empty()) info.runners = {{"sample", session.manifest}};
  Driver driver(store, plan_of(session), info);
  driver.now += session.at;
  const schedule::AttemptKey server = driver.run_serve();
  for (std::size_t i = 0; i < session.measured.size(); ++i) {
    json one = session.measured[i];
    one["load"]["concurrency"] = i + 1;
    one["window"]["start_wall_ns"] =
        static_cast<std::int64_t>((driver.now + 10 + static_cast<double>(i)) * 1e9);
    driver.run_bench(i, session.has_session ? server : schedule::AttemptKey{}, one);
  }
  driver.commit();
  driver.finish(store::Outcome::done);
}

// A measurement with this throughput, and a time to the first token that falls as it rises.
inline json tps(double output_tps) { return sample::measurement(1000 / output_tps, output_tps); }

inline json disturbed(json measured) {
  measured["warnings"] = {"other programs used 1.2 of 2 cores of this host during the window"};
  return measured;
}

}  // namespace orch::planted
