#include "cli/experiment_options.hpp"

#include "base/text.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

void add_experiment_options(CLI::App& command, experiment::ExperimentOptions& options) {
  command.add_option("MATRIX", options.matrix_file, "The matrix file")->required();
  command
      .add_option("--where", options.where,
                  "Only points for which this SQL is true: \"isl = 128 AND precision <> 'f16'\"")
      ->check([](const std::string& sql) {
        return sql.empty()        ? "it is empty; write an SQL predicate, or leave --where out"
               : find_secret(sql) ? "it contains what looks like a token, and commands are stored"
                                  : "";
      });
  command.add_option("--machine", options.machine_file,
                     "A YAML file that describes the machine: gpus, gpu_model, gpu_memory_gib, "
                     "mig, cpu_model, cpus");
  command.add_option("--site", options.site_file,
                     "The site file (default: ~/.config/orchestrate/site.yaml)");
  command
      .add_option("--repeats", options.repeats,
                  "Measurements of each load, instead of the matrix's repeats.measure")
      ->check(CLI::Range(1, 1000));
}

void add_plan_options(CLI::App& command, plan::Options& options) {
  command.add_option("--until", options.until, "The last stage to run, in the runner's order")
      ->check([](const std::string& stage) {
        return stage.empty() ? "it is empty; name a stage, or leave --until out" : "";
      });
  command.add_flag(
      "--retry-failed", options.retry_failed,
      "Retry stages where the system under test failed; otherwise such a failure stays a result");
  command
      .add_option(
          "--refresh", options.refresh,
          "Repeat measurements made with a different driver, kernel, host, system or orchestrate")
      ->check(CLI::IsMember({"driver", "kernel", "host", "system", "orchestrate"}));
}

}  // namespace orch::cli
