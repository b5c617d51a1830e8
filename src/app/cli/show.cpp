#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "analysis/report/describe.hpp"
#include "results/store/store.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace orch::cli {

namespace {

struct ShowOptions {
  std::string name;
  std::string store = "results";
  bool json = false, all = false;
};

int show(const ShowOptions& options) {
  return read_store(options.store, [&](store::Store& store) -> Status {
    ORCH_ASSIGN(const report::Named named, report::find_named(store.database(), options.name));
    const report::Shape shape = options.json ? report::Shape::json : report::Shape::text;
    ORCH_ASSIGN(const std::string text, report::describe(store.database(), store.layout().root,
                                                         named, shape, {.all = options.all}));
    print_out(text);
    return {};
  });
}

}  // namespace

void add_show(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "show",
      "Show a point (figures, measurements, remarks, parameters, provenance, commands) or a stage");
  auto options = std::make_shared<ShowOptions>();
  command->add_option("NAME", options->name, "A point or stage: its name or a unique prefix")
      ->required();
  command->add_flag(
      "--all", options->all,
      "Also the parameters that the matrix leaves at their defaults, digests in full, "
      "and what the digest of a stage is made of");
  command->add_flag("--json", options->json, "One JSON object");
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = show(*options); });
}

}  // namespace orch::cli
