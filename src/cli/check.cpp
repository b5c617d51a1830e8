#include "cli/check.hpp"

#include "cli/experiment.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

void add_check(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("check", "Validate a matrix: every error at once, with the fix");
  auto file = std::make_shared<std::string>();
  command->add_option("MATRIX", *file, "The matrix file")->required();
  command->callback([file, &exit_code] {
    system::RealFiles files;
    Errors errors;
    const Experiment experiment = load_experiment(files, *file, errors);
    print_errors(errors);
    for (const std::string& warning : experiment.expansion.warnings) fmt::print(stderr, "warning: {}\n", warning);
    if (!errors.empty()) {
      exit_code = 2;
      return;
    }
    const auto rejected = std::count_if(experiment.expansion.points.begin(), experiment.expansion.points.end(), [](const auto& point) { return point.rejected.has_value(); });
    std::map<std::string, std::size_t> why;
    for (const matrix::Point& point : experiment.expansion.points)
      if (point.rejected) ++why[point.rejected->rule + ": " + point.rejected->why];
    for (const auto& [reason, count] : why) fmt::print(stderr, "rejected: {} points by {}\n", count, reason);
    fmt::print("{}: {} points ({} excluded, {} rejected by the runner's rules)\n", *file, experiment.expansion.points.size(), experiment.expansion.excluded, rejected);
  });
}

}  // namespace orch::cli
