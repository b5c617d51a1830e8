// `orchestrate compare A B --answers`.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/reading.hpp"
#include "cli/say.hpp"
#include "cli/score/compare_answers.hpp"
#include "sql/database.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace orch::cli {

namespace {

// The number of a run, or SQL over results_all.
std::string condition_of(const std::string& side) {
  return to_integer(side) ? "run = " + side : side;
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("compare", "Compare the answers of two sides to the same prompts");
  auto options = std::make_shared<AnswersCommand>();
  command->add_option("A", options->where_a, "A run, or SQL over results_all")->required();
  command->add_option("B", options->where_b, "The same for the other side")->required();
  command
      ->add_flag_callback(
          "--answers", [] {}, "Compare answers")
      ->required();
  command->add_option("--examples", options->examples, "Differing answers that are printed")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print one object");
  add_store_option(*command, options->store_a);
  command->callback([options, &exit_code] {
    AnswersCommand both = *options;
    both.store_b = both.store_a;
    both.where_a = condition_of(both.where_a);
    both.where_b = condition_of(both.where_b);
    exit_code = compare_answers(both);
  });
}

}  // namespace orch::cli
