#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/session/status.hpp"
#include "results/store/store.hpp"
#include "os/system/clock.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace orch::cli {

namespace {

struct StatusOptions {
  std::optional<std::int64_t> run;
  std::string store = "results";
  bool json = false;
};

int status(const StatusOptions& options) {
  // Read before the rows: a run that ends in between is shown as ended, not as died.
  const auto writer = store::Store::writer(real_host(), options.store);
  return read_store(options.store, [&](store::Store& store) -> Status {
    report::StatusQuestion question{
        .run = options.run, .holder = {}, .now = real_host().clock.wall_s()};
    if (writer) question.holder = writer->text();
    question.jobs = slurm::JobBoard(real_host().files, options.store).read();
    ORCH_ASSIGN(const report::RunStatus found, report::read_status(store.database(), question));
    print_out(options.json ? report::status_json(found) : report::status_text(found));
    return {};
  });
}

}  // namespace

void add_status(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "status",
      "Show which stages of a run are done, running and left, and how long the rest may take");
  auto options = std::make_shared<StatusOptions>();
  command->add_option("RUN", options->run, "The number of a run (default: the newest)");
  command->add_flag("--json", options->json, "One JSON object");
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = status(*options); });
}

}  // namespace orch::cli
