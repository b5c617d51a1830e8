#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "results/keep/collect.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace orch::cli {

namespace {

constexpr int k_unknown = 2;
constexpr int k_store_in_use = 3;

struct ForgetOptions {
  std::string experiment;
  std::string store = "results";
  bool apply = false;
};

int fail_forget(const Error& error) {
  print_errors({error});
  return error.kind == ErrorKind::conflict ? k_store_in_use : k_unknown;
}

int forget(const ForgetOptions& options) {
  auto store = open_existing(options.store, options.apply);
  if (!store) return fail_forget(store.error());
  const auto found = options.apply
                         ? keep::forget(*store, options.experiment, real_host().clock.wall_s())
                         : keep::would_forget(store->database(), options.experiment);
  if (!found) return fail_forget(found.error());
  say(stderr, "{}: {} runs with {} points{}; {} of their measurements are of no other experiment\n",
      printable_line(options.experiment), found->runs, found->points,
      options.apply ? " are in no view any more" : "", found->measurements);
  say(stderr, "{}\n",
      options.apply ? "`orchestrate gc` lists what nothing needs now"
                    : "nothing is changed; --apply takes them out of every view");
  return 0;
}

}  // namespace

void add_forget(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "forget", "Take an experiment out of every view; `gc` then removes what only it used");
  auto options = std::make_shared<ForgetOptions>();
  command->add_option("EXPERIMENT", options->experiment, "The name of a matrix")->required();
  command->add_flag("--apply", options->apply, "Do it; without it, only say what would go");
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = forget(*options); });
}

}  // namespace orch::cli
