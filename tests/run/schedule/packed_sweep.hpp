// A sweep whose stages work side by side on GPUs and cores of their own.
#pragma once

#include "run/schedule/support.hpp"

namespace orch::schedule {

// What ran when, by the first three words of its command.
struct Interval {
  double from_s = 0, to_s = 0;
  std::vector<int> gpus, cpus;
};

struct PackedSweep : Sweep {
  // POINTS precisions with a server each; every server holds one of GPUS GPUs and what belongs to
  // it of CORES cores.
  explicit PackedSweep(int point_count, int gpu_count = 4, int cores = 18) {
    for (int i = 0; i < point_count; ++i) points.push_back(point(fmt::format("p{}", i)));
    for (int i = 0; i < gpu_count; ++i)
      gpus.gpus.push_back({.index = i, .uuid = "GPU", .memory_gib = 80, .used_gib = 0, .pids = {}});
    options.inventory = resources::plain_inventory(cores, gpu_count);
    change_plan = [this](plan::Plan& made) {
      made.isolation = isolation;
      for (plan::Stage& stage : made.stages) {
        if (stage.spec.name == "serve") stage.gpus = 1;
        if (const auto s = seconds.find(stage.spec.name); s != seconds.end())
          stage.estimate.seconds = s->second;
        if (change) change(stage);
      }
    };
    executor.behave = [this](const execute::Launch& launch) {
      Behaviour behaviour = normal(launch);
      const auto lasts = seconds.find(launch.argv[0]);
      if (lasts != seconds.end() && launch.argv[0] != "serve") behaviour.lasts_s = lasts->second;
      return behaviour;
    };
  }

  std::map<std::string, double> seconds = {{"build", 5}, {"serve", 2}, {"bench", 10}};
  matrix::Isolation isolation = matrix::Isolation::gpu;
  std::function<void(plan::Stage&)> change;

  std::map<std::string, Interval> intervals() const {
    std::map<std::string, Interval> all;
    for (const Event& event : journal.events) {
      if (const auto* intended = std::get_if<AttemptIntended>(&event)) {
        Interval& one = all[name_of(intended->attempt)];
        one = {.from_s = intended->at,
               .to_s = k_forever,
               .gpus = intended->gpus,
               .cpus = intended->cpus};
      } else if (const auto* ended = std::get_if<AttemptEnded>(&event)) {
        all[name_of(ended->attempt)].to_s = ended->at;
      }
    }
    return all;
  }
  std::string name_of(const AttemptKey& key) const {
    for (const plan::Stage& stage : plan.stages)
      if (stage.id == key.stage)
        return fmt::format(
            "{} {} #{}", stage.spec.name,
            stage.parameters.contains("precision") ? stage.parameters.at("precision").text : "",
            key.number);
    return "?";
  }
  // Of the first failure.
  std::string why_failed() const {
    for (const Event& event : journal.events)
      if (const auto* moved = std::get_if<StageMoved>(&event); moved && moved->to == State::failed)
        return moved->why;
    return "";
  }
  std::vector<const MeasurementProduced*> measured() const {
    std::vector<const MeasurementProduced*> all;
    for (const Event& event : journal.events)
      if (const auto* one = std::get_if<MeasurementProduced>(&event)) all.push_back(one);
    return all;
  }
};

inline bool overlap(const Interval& a, const Interval& b) {
  return a.from_s < b.to_s && b.from_s < a.to_s;
}

// One server with many measurements.
struct OneGroup : PackedSweep {
  explicit OneGroup(int measurements, int gpu_count = 4) : PackedSweep(0, gpu_count) {
    for (int i = 0; i < measurements; ++i)
      points.push_back(point("f16", "4", std::to_string(32 + i)));
  }
  std::size_t servers() const {
    std::size_t count = 0;
    for (const Event& event : journal.events)
      if (const auto* one = std::get_if<AttemptIntended>(&event))
        count += one->attempt.stage.starts_with("serve");
    return count;
  }
};

}  // namespace orch::schedule
