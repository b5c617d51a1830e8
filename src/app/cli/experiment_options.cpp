#include "app/cli/experiment_options.hpp"

#include "core/base/text.hpp"
#include "app/cli/reading.hpp"
#include "app/session/site.hpp"
#include "core/secret/token_shapes.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>

namespace orch::cli {

void add_runners_option(CLI::App& command, std::string& folder) {
  command
      .add_option(
          "--runners", folder,
          "A folder of runners (NAME/runner.yaml), searched first; then come runners/ at or "
          "above the matrix, runners/ at or above the working folder, `runners:` of the "
          "site file, the installed runners, and those of the build")
      ->check([](const std::string& path) {
        std::error_code code;
        return std::filesystem::is_directory(path, code)
                   ? std::string()
                   : fmt::format("{} is not a folder; name one that has NAME/runner.yaml",
                                 quoted(path));
      });
}

CLI::Option* add_log_level(CLI::App& command, system::LogLevel& level) {
  return command
      .add_option_function<std::string>(
          "--log-level",
          [&level](const std::string& word) { level = parse_name<system::LogLevel>(word).value(); },
          "How much goes to diagnostics.log in the store and to the guardians' logs, for bug "
          "reports: off, error, warning, info, debug")
      ->default_str(std::string(to_string(level)))
      ->envname("ORCHESTRATE_LOG")
      ->take_last()
      ->check([](const std::string& word) {
        constexpr auto k_levels = names_of(Tag<system::LogLevel>());
        const std::vector<std::string> known(k_levels.begin(), k_levels.end());
        return parse_name<system::LogLevel>(word)
                   ? std::string()
                   : fmt::format("{} is not a log level{}; known: {}", quoted(word),
                                 did_you_mean(word, known), join(known, ", "));
      });
}

void add_site_option(CLI::App& command, std::string& file) {
  command.add_option("--site", file, "The site file (default: ~/.config/orchestrate/site.yaml)");
}

void add_runner_places(CLI::App& command, RunnerPlaces& places) {
  add_runners_option(command, places.folder);
  add_site_option(command, places.site);
}

std::vector<session::RunnerFile> find_runners(system::Files& files, const RunnerPlaces& places,
                                              const std::string& near, Errors& errors) {
  const session::Site site = session::read_site(files, places.site, errors);
  return session::runners_near(files,
                               {.chosen = places.folder, .near = near, .site = site.runners});
}

namespace {

// The check of OPTION, an SQL predicate over points.
auto predicate_of(const char* option) {
  return [option](const std::string& sql) -> std::string {
    if (std::string error = not_empty(option)(sql); !error.empty()) return error;
    return find_secret(sql) ? "it contains what looks like a token, and commands are stored" : "";
  };
}

}  // namespace

void add_experiment_options(CLI::App& command, session::ExperimentOptions& options) {
  command.add_option("MATRIX", options.matrix_file, "The matrix file")->required();
  command
      .add_option("--where", options.where,
                  "Only points for which this SQL is true: \"isl = 128 AND precision <> 'f16'\"")
      ->check(predicate_of("--where"));
  add_runners_option(command, options.runners);
  command.add_option("--machine", options.machine_file,
                     "A YAML file that describes the machine: gpus, gpu_model, gpu_memory_gib, "
                     "mig, cpu_model, cpus");
  add_site_option(command, options.site_file);
  command
      .add_option("--gpus", options.gpus,
                  "Use only these GPUs: indices or UUIDs, as nvidia-smi -L prints them "
                  "(default: gpu_ids of the site file, else "
                  "CUDA_VISIBLE_DEVICES, else all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("GPU,..")
      ->check([](const std::string& id) { return session::why_no_gpu_id(id); });
  command
      .add_option("--repeats", options.repeats,
                  "Measurements of each load, instead of the matrix's repeats.measure")
      ->check(CLI::Range(1, 1000));
}

void add_again_options(CLI::App& command, session::ExperimentOptions& experiment,
                       plan::Options& options) {
  command
      .add_option("--again", experiment.again,
                  "Measure the points for which this SQL is true once more, in a new session of "
                  "their server; earlier measurements count as well (\"1\": all points)")
      ->check(predicate_of("--again"));
  command
      .add_option("--sessions", options.new_sessions,
                  "New sessions of each point that --again chooses (default: 1)")
      ->check(CLI::Range(1, 100))
      ->needs("--again");
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
