// `orchestrate export` and `orchestrate merge`: writes runs of a store to a folder, and adds them
// to another store.
#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "core/base/text.hpp"
#include "results/keep/merge_runs.hpp"
#include "results/store/layout.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

struct ExportOptions {
  std::string folder;
  std::string store = "results";
  std::vector<std::string> experiments;
};

Exit export_runs(const ExportOptions& options) {
  return read_store(options.store, [&](store::Store& store) -> Status {
    ORCH_TRY(store::check_output(options.folder));
    ORCH_ASSIGN(const keep::ExportReport report,
                keep::export_runs(store, options.folder, options.experiments));
    for (const std::string& notice : report.notices) say(stderr, "note: {}\n", notice);
    say(stderr, "{}: {} with {}; `orchestrate merge` adds them to a store\n", options.folder,
        plural(report.runs, "run"), plural(report.measurements, "measurement"));
    return {};
  });
}

struct MergeCommand {
  std::string folder;
  std::string store = "results";
  std::string prefix;
};

Exit merge_runs(const MergeCommand& options) {
  if (const auto bundle = keep::read_bundle(real_host().files, options.folder); !bundle)
    return fail_on_store(bundle.error());
  auto store = store::Store::open(real_host(), options.store, store::Mode::write);
  if (!store) return fail_on_store(store.error());
  const auto merged = keep::merge(*store, options.folder, {.prefix = options.prefix});
  if (!merged) return fail_on_store(merged.error());
  say(stderr, "{}: added {} with {}{}\n", options.store, plural(merged->runs, "run"),
      plural(merged->measurements, "measurement"),
      merged->known == 0 ? "" : fmt::format("; {} already there", plural(merged->known, "run")));
  return Exit::done;
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "export", "Write runs with their measurements into a folder, for `merge` into another store");
  auto options = std::make_shared<ExportOptions>();
  command
      ->add_option("DIR", options->folder,
                   "The folder; what an earlier export left there is not written again")
      ->required();
  command->add_option("--experiment", options->experiments,
                      "Only these experiments, and what they reuse from others (default: all)");
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = status_of(export_runs(*options)); });
}

void add_merge(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "merge", "Add the runs of an export to a store; those that it has already are left out");
  auto options = std::make_shared<MergeCommand>();
  command->add_option("DIR", options->folder, "A folder that `export` has written")->required();
  command
      ->add_option("--prefix", options->prefix,
                   "Put this before the names of the experiments, such as the other machine's name")
      ->check([](const std::string& text) {
        const bool is_fit = !text.empty() && text.size() <= 40 &&
                            text.find_first_not_of(
                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
                                "VWXYZ0123456789._-") == std::string::npos &&
                            text.front() != '.' && text.front() != '-' && text.front() != '_';
        return is_fit ? "" : "a prefix has letters, digits, '.', '_' and '-'";
      });
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = status_of(merge_runs(*options)); });
}

}  // namespace orch::cli
