#include "runner/symbols.hpp"

#include "base/text.hpp"
#include "render/symbols.hpp"
#include "runner/manifest.hpp"

namespace orch::runner {

namespace {

// Words of ours that stand in braces like a parameter.
constexpr std::string_view k_of_every_stage[] = {"out", "work", "orchestrate", "repeat", "token"};
constexpr std::string_view k_of_a_measurement = "block";
constexpr std::string_view k_of_a_batch = "jobs";

class Checker {
 public:
  Checker(const Manifest& manifest, const StageKind& stage, Errors& errors) : stage_(stage), errors_(errors) {
    known_.assign(std::begin(k_of_every_stage), std::end(k_of_every_stage));
    known_.insert(known_.end(), {"model.source", "model.revision", "measure.warmup", "measure.seed", "measure.blocks", "measure.wake_lag_ms", "measure.client_cpu_share"});
    if (stage.kind == Kind::measure) known_.emplace_back(k_of_a_measurement);
    if (stage.batch) known_.emplace_back(k_of_a_batch);
    known_.insert(known_.end(), stage.reads.begin(), stage.reads.end());
    for (const std::string& port : stage.ports) known_.push_back("port:" + port);
    for (const std::string& need : stage.needs) {
      const StageKind* needed = manifest.find(need);
      if (!needed) continue;
      if (needed->kind == Kind::task) known_.push_back("stage:" + need);
      for (const std::string& port : needed->ports) known_.push_back(fmt::format("port:{}.{}", need, port));
    }
    for (const auto& parameter : manifest.parameters) parameters_.push_back(parameter.name);
  }

  void check_reads() {
    for (const std::string& name : stage_.reads)
      if (std::find(parameters_.begin(), parameters_.end(), name) == parameters_.end())
        fail(fmt::format("stage '{}' reads '{}', which is not among the parameters{}", stage_.name, name, did_you_mean(name, parameters_)));
  }

  void check(const std::string& text) {
    for (const std::string& symbol : render::symbols_of(text)) {
      if (symbol.starts_with("file:") || std::find(known_.begin(), known_.end(), symbol) != known_.end()) continue;
      if (std::find(parameters_.begin(), parameters_.end(), symbol) != parameters_.end())
        fail(fmt::format("stage '{}' uses {{{}}} but does not list it under 'reads'; add it there", stage_.name, symbol));
      else
        fail(fmt::format("stage '{}' uses the unknown symbol {{{}}}{}", stage_.name, symbol, did_you_mean(symbol, known_)));
    }
  }

 private:
  void fail(std::string message) { errors_.push_back(invalid(std::move(message), stage_.where)); }

  const StageKind& stage_;
  Errors& errors_;
  std::vector<std::string> known_;
  std::vector<std::string> parameters_;
};

}  // namespace

bool is_built_in_symbol(std::string_view name) {
  return std::find(std::begin(k_of_every_stage), std::end(k_of_every_stage), name) != std::end(k_of_every_stage) || name == k_of_a_measurement || name == k_of_a_batch;
}

void check_symbols(const Manifest& manifest, Errors& errors) {
  for (const StageKind& stage : manifest.stages) {
    Checker checker(manifest, stage, errors);
    checker.check_reads();
    for (const std::string& word : stage.argv) checker.check(word);
    for (const auto& [name, value] : stage.env) checker.check(value);
    for (const auto& [name, value] : stage.job) checker.check(value);
    for (const Render& render : stage.render)
      for (const auto& [name, value] : render.values) checker.check(value);
    for (const Place& place : stage.place) checker.check(place.from);
    checker.check(stage.shm_prefix);
    if (stage.tools) checker.check(stage.tools->from);
    if (stage.smoke) checker.check(stage.smoke->body);
  }
}

}  // namespace orch::runner
