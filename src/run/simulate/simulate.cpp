#include "run/simulate/simulate.hpp"

#include "run/schedule/stage_queue.hpp"
#include "run/simulate/simulated_host.hpp"

#include <algorithm>

namespace orch::simulate {

namespace {

constexpr double k_hour_s = 3600;

// Records the events of attempts as spans. Nothing is stored.
class Recorder final : public schedule::Journal {
 public:
  explicit Recorder(const plan::Plan& plan) {
    for (std::size_t i = 0; i < plan.stages.size(); ++i) index_.emplace(plan.stages[i].id, i);
  }

  Result<int> next_attempt(const plan::StageId& stage) override { return ++attempts_[stage]; }
  Result<int> failures_so_far(const plan::StageId&) override { return 0; }
  Result<bool> is_current(const schedule::AttemptKey&, const std::string&) override { return true; }
  Status commit() override { return {}; }
  std::string invalid_reasons(const schedule::AttemptKey&) override { return ""; }
  // No removal of outputs is simulated, because it takes no time.
  Result<std::vector<std::string>> makers_of(const plan::StageId&) override {
    return std::vector<std::string>();
  }
  void append(const schedule::Event& event) override {
    if (const auto* intended = std::get_if<schedule::AttemptIntended>(&event)) begin(*intended);
    else if (const auto* ready = std::get_if<schedule::ServiceReady>(&event))
      spans[open_.at(ready->attempt)].ready_s = ready->at;
    else if (const auto* ended = std::get_if<schedule::AttemptEnded>(&event))
      spans[open_.at(ended->attempt)].to_s = ended->at;
    else if (const auto* measured = std::get_if<schedule::MeasurementProduced>(&event))
      if (!measured->session.stage.empty())
        spans[open_.at(measured->attempt)].server = open_.at(measured->session);
  }

  std::vector<Span> spans;

 private:
  void begin(const schedule::AttemptIntended& intended) {
    open_[intended.attempt] = spans.size();
    spans.push_back({.stage = index_.at(intended.attempt.stage),
                     .attempt = intended.attempt.number,
                     .from_s = intended.at,
                     .to_s = intended.at,
                     .ready_s = 0,
                     .server = 0,
                     .gpus = intended.gpus,
                     .cpus = intended.cpus});
  }

  std::map<plan::StageId, std::size_t> index_;
  std::map<plan::StageId, int> attempts_;
  std::map<schedule::AttemptKey, std::size_t> open_;
};

// An environment in which nothing differs from the plan.
class Unchanged final : public schedule::Environment {
 public:
  std::string new_token() override { return fmt::format("t{:08}", ++tokens_); }
  double random() override { return 0.5; }
  std::string changed_input(const plan::Stage&) override { return ""; }
  Status check_version(const plan::Stage&, const system::LongWork&) override { return {}; }

 private:
  std::size_t tokens_ = 0;
};

schedule::Options options_of(const Conditions& conditions) {
  schedule::Options options;
  options.jobs = conditions.jobs;
  options.inventory = conditions.inventory;
  options.expected_s = conditions.expected_s;
  return options;
}

bool is_known(const plan::Stage& stage, const Conditions& conditions) {
  return stage.estimate.seconds || stage.estimate.least_seconds > 0 ||
         conditions.expected_s.contains(stage.spec.name);
}

}  // namespace

double seconds_of(const plan::Stage& stage, const Conditions& conditions) {
  const auto of_name = conditions.expected_s.find(stage.spec.name);
  const double seconds = stage.estimate.seconds                   ? *stage.estimate.seconds
                         : of_name != conditions.expected_s.end() ? of_name->second
                         : stage.estimate.least_seconds > 0       ? stage.estimate.least_seconds
                                                                  : conditions.unknown_s;
  return std::max(seconds, stage.estimate.least_seconds);
}

Timeline simulate(const plan::Plan& plan, const Conditions& conditions) {
  SimulatedClock clock;
  SimulatedReadiness readiness(clock);
  SimulatedExecutor executor(clock, readiness);
  NoFolders folders(executor, [&](const plan::Stage& one) { return seconds_of(one, conditions); });
  SimulatedPorts ports;
  SimulatedGpus gpus(conditions.inventory);
  AtOnce workers;
  EndOfStall interrupts(executor);
  Recorder recorder(plan);
  Unchanged environment;
  std::vector<schedule::Adopted> adopted;
  static_cast<void>(schedule::run_plan(
      plan,
      {.journal = recorder,
       .executor = executor,
       .workspace = folders,
       .readiness = readiness,
       .interrupts = interrupts,
       .environment = environment,
       .host = {.clock = clock, .workers = workers, .ports = ports, .gpu_memory = gpus}},
      options_of(conditions), adopted));
  Timeline timeline{.spans = std::move(recorder.spans)};
  for (const Span& span : timeline.spans) {
    timeline.seconds = std::max(timeline.seconds, span.to_s);
    timeline.gpu_hours +=
        static_cast<double>(span.gpus.size()) * (span.to_s - span.from_s) / k_hour_s;
  }
  for (const plan::Stage& stage : plan.stages)
    if (stage.status == plan::Status::run && !is_known(stage, conditions)) ++timeline.unknown;
  return timeline;
}

Bound lower_bound(const plan::Plan& plan, const Conditions& conditions) {
  const schedule::Graph graph(plan);
  const auto gpus = static_cast<double>(std::max<std::size_t>(1, conditions.inventory.gpus.size()));
  const bool strict = plan.isolation == matrix::Isolation::strict;
  Bound bound;
  // The length of the longest path that ends with each stage.
  std::vector<double> path(plan.stages.size());
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const plan::Stage& stage = plan.stages[i];
    const bool runs = stage.status == plan::Status::run;
    const double seconds = runs ? seconds_of(stage, conditions) : 0;
    double before = 0, held = stage.gpus;
    for (const std::size_t need : graph.needs[i]) {
      before = std::max(before, path[need]);
      if (stage.spec.kind == runner::Kind::measure &&
          plan.stages[need].spec.kind == runner::Kind::service)
        held += plan.stages[need].gpus;
    }
    path[i] = before + seconds;
    bound.path_s = std::max(bound.path_s, path[i]);
    const bool alone = stage.spec.kind != runner::Kind::task && (strict || stage.alone);
    bound.area_s += alone ? seconds : seconds * held / gpus;
  }
  return bound;
}

}  // namespace orch::simulate
