#include "app/cli/bench/matrix_words.hpp"
#include "app/cli/bench/bench_options.hpp"
#include "app/cli/bench/bench_output.hpp"
#include "app/cli/bench/measuring.hpp"
#include "app/cli/bench/record_files.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/say.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {
namespace {

// Writes the files, tables and records of each measurement.
class BenchOutcome final : public Outcome {
 public:
  BenchOutcome(const BenchCommand& command, const prompt::PromptSet& prompts)
      : Outcome("bench"), command_(command), prompts_(prompts) {}

 private:
  void added() override {
    note_failure(write_record(command_, measurements()));
    if (command_.format == "table") print(bench_table(measurements().back()));
    if (command_.format == "csv") print_csv(measurements().back());
  }

  void completed() override {
    note_failure(write_export(command_, prompts_.measured, measurements()));
    note_failure(publish_record(command_, measurements()));
    if (command_.format == "table" && measurements().size() > 1)
      print("\n" + bench_summary(measurements()));
    if (command_.format != "json") return;
    print(measurement_json(command_, measurements()));
    // Repeated last, where a user looks for the reason.
    if (!first_failure().empty()) say(stderr, "{}\n", first_failure());
  }

  // Reasons and warnings go to stderr, because the CSV has no column for them.
  void print_csv(const record::Measurement& one) {
    print_verdict(one);
    print(bench_csv(one, measurements().size() == 1));
  }

  const BenchCommand& command_;
  const prompt::PromptSet& prompts_;
};

int execute(BenchCommand& command) {
  return measure(command, {.name = "bench",
                           .in_its_words = is_stage_of_run() ? in_words_of_matrix : nullptr,
                           .outcome = [&command](const prompt::PromptSet& prompts) {
                             return std::make_unique<BenchOutcome>(command, prompts);
                           }});
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* sub = app.add_subcommand("bench", "Measure an endpoint under load");
  // Shared with the callback: it lives as long as the subcommand that fills it.
  const auto command = std::make_shared<BenchCommand>();
  declare_bench(*sub, *command);
  sub->callback([command, &exit_code] { exit_code = execute(*command); });
}

}  // namespace orch::cli
