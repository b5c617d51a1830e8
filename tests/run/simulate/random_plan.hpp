// Plans and hosts drawn at random, for schedules that a checker judges.
#pragma once

#include "core/base/random.hpp"
#include "run/simulate/simulate.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace orch::simulate {

struct Drawn {
  plan::Plan plan;
  Conditions conditions;
};

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed) {}

  Drawn draw() {
    draw_host();
    drawn_.plan.isolation = static_cast<matrix::Isolation>(below(3));
    const std::size_t models = 1 + below(3);
    for (std::size_t m = 0; m < models; ++m) {
      const std::string download = add("download", runner::Kind::task, {});
      const std::size_t builds = 1 + below(3);
      for (std::size_t b = 0; b < builds; ++b) draw_build(download);
    }
    return std::move(drawn_);
  }

 private:
  std::size_t below(std::size_t limit) {
    return static_cast<std::size_t>(random_.uniform() * static_cast<double>(limit));
  }
  bool chance(double share) { return random_.uniform() < share; }

  void draw_host() {
    resources::Inventory& host = drawn_.conditions.inventory;
    const int gpus[] = {0, 1, 2, 4, 8};
    gpus_ = gpus[below(5)];
    host = resources::plain_inventory(static_cast<int>(2 + below(40)), gpus_);
    for (resources::Gpu& gpu : host.gpus) {
      gpu.node = chance(0.5) ? gpu.index / 4 : 0;
      if (chance(0.3)) gpu.linked.clear();
    }
    for (std::size_t c = 0; c < host.cores.size(); ++c)
      host.cores[c].node = c >= host.cores.size() / 2;
    if (chance(0.5)) host.memory_gib = 64;
    if (chance(0.5)) host.disk_bytes = 64;
    if (chance(0.5)) host.tokens["licence"] = 2;
    drawn_.conditions.jobs = 1 + below(4);
    drawn_.conditions.unknown_s = 7;
  }

  void draw_build(const std::string& download) {
    const std::string build = add("build", runner::Kind::task, {download}, chance(0.6));
    const std::string prompts = add("prompts", runner::Kind::task, {download});
    const std::size_t servers = 1 + below(3);
    for (std::size_t s = 0; s < servers; ++s) {
      const std::string serve = add("serve", runner::Kind::service, {build}, true);
      const auto server = drawn_.plan.stages.back().share;
      const std::size_t measurements = 1 + below(12);
      for (std::size_t i = 0; i < measurements; ++i) {
        add("bench", runner::Kind::measure, {serve, prompts});
        drawn_.plan.stages.back().share = draw_share_beside(server);
        drawn_.plan.stages.back().alone =
            drawn_.plan.isolation != matrix::Isolation::strict && chance(0.05);
        drawn_.plan.stages.back().repeat = static_cast<std::int64_t>(below(3));
      }
    }
  }

  std::string add(const std::string& name, runner::Kind kind, const std::vector<std::string>& needs,
                  bool wants_gpus = false) {
    plan::Stage stage;
    stage.id = fmt::format("{}-{}", name, drawn_.plan.stages.size());
    stage.spec.name = name;
    stage.spec.kind = kind;
    stage.spec.argv = {"x"};
    for (std::size_t i = 0; i < needs.size(); ++i) stage.needs[fmt::format("n{}", i)] = needs[i];
    if (wants_gpus && gpus_ > 0 && chance(0.9))
      stage.gpus = static_cast<double>(1 + below(static_cast<std::size_t>(gpus_)));
    if (chance(0.3) && kind != runner::Kind::measure) {
      auto share = std::make_shared<plan::Share>();
      const std::size_t cores = drawn_.conditions.inventory.cores.size();
      if (chance(0.5)) share->cores = static_cast<int>(1 + below(cores));
      if (chance(0.5)) share->memory_gib = static_cast<double>(1 + below(60));
      if (chance(0.5)) share->tokens["licence"] = 1;
      if (chance(0.3)) share->tokens["uncounted"] = 1;
      stage.share = share;
    }
    // Servers and measurements that write hold nothing of the disk.
    if (chance(0.3)) stage.estimate.needed_bytes = 1 + below(80);
    // Some durations are unknown, others are nothing at all.
    if (chance(0.85)) stage.estimate.seconds = chance(0.05) ? 0 : random_.exponential() * 100;
    drawn_.plan.stages.push_back(std::move(stage));
    return drawn_.plan.stages.back().id;
  }

  // Of a measurement, which fits beside SERVER.
  std::shared_ptr<const plan::Share> draw_share_beside(
      const std::shared_ptr<const plan::Share>& server) {
    if (!chance(0.2)) return nullptr;
    const plan::Share held = server ? *server : plan::Share{};
    auto share = std::make_shared<plan::Share>();
    if (chance(0.7)) share->memory_gib = static_cast<double>(1 + below(64)) - held.memory_gib;
    share->memory_gib = std::max(0.0, share->memory_gib);
    const bool is_counted = drawn_.conditions.inventory.tokens.contains("licence");
    if (chance(0.5) && (is_counted || !held.tokens.contains("licence")))
      share->tokens["licence"] = 1;
    if (chance(0.3) && !held.tokens.contains("uncounted")) share->tokens["uncounted"] = 1;
    return share;
  }

  Random random_;
  int gpus_ = 0;
  Drawn drawn_;
};

}  // namespace orch::simulate
