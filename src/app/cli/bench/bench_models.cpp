#include "app/cli/bench/bench_models.hpp"

#include "core/base/text.hpp"

namespace orch::cli {
namespace {

std::string ms(std::optional<double> value) { return value ? fmt::format("{:.3f}", *value) : "-"; }

}  // namespace

std::string models_table(std::span<const observe::ModelTimes> models) {
  if (models.empty()) return "";
  TextTable table({"model, by the server", "requests", "failed", "executions", "queue_ms",
                   "compute_input_ms", "compute_infer_ms", "compute_output_ms"});
  for (const observe::ModelTimes& model : models)
    table.add({model.model + (model.restarted ? " (reloaded)" : ""), std::to_string(model.requests),
               std::to_string(model.failed), std::to_string(model.executions), ms(model.queue_ms),
               ms(model.compute_input_ms), ms(model.compute_infer_ms),
               ms(model.compute_output_ms)});
  return table.text();
}

}  // namespace orch::cli
