#include "app/cli/commands.hpp"
#include "app/cli/progress/console.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "results/store/rebuild.hpp"
#include "results/store/store.hpp"
#include "os/system/clock.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace orch::cli {

namespace {

constexpr int k_problems = 1;
constexpr int k_unusable = 2;
constexpr int k_in_use = 3;

struct VerifyOptions {
  std::string store = "results";
  bool quick = false;
  bool rebuild = false;
  bool accept_loss = false;
};

int fail_verify(const Error& error) {
  print_errors({error});
  return error.kind == ErrorKind::conflict ? k_in_use
         : error.kind == ErrorKind::io     ? k_problems
                                           : k_unusable;
}

int rebuild(const VerifyOptions& options) {
  const auto rebuilt =
      store::rebuild(real_host(), options.store, {.accept_loss = options.accept_loss});
  if (!rebuilt) return fail_verify(rebuilt.error());
  for (const std::string& notice : rebuilt->notices) say(stdout, "{}\n", notice);
  say(stderr, "rebuilt the database from the records of {} run{}{}\n", rebuilt->runs,
      rebuilt->runs == 1 ? "" : "s",
      rebuilt->kept_as.empty() ? "" : "; the old one is kept as " + rebuilt->kept_as);
  return rebuilt->notices.empty() ? 0 : k_problems;
}

// Marks damaged outputs so that they are made again. Only reports them while a run uses the store
// or when the store cannot be written to.
Result<store::VerifyReport> check(const VerifyOptions& options, bool& marked) {
  system::RealWorkers workers;
  HashingLine line("checking outputs", screen_of(stderr));
  const system::WatchedHashing how = line.shown(workers);
  if (!options.quick &&
      std::filesystem::exists(std::filesystem::path(options.store) / "results.db")) {
    auto writing = store::Store::open(real_host(), options.store, store::Mode::write);
    marked = writing.ok();
    if (writing.ok()) return writing->verify_and_mark(real_host().clock.wall_s(), &how);
  }
  ORCH_ASSIGN(store::Store store,
              store::Store::open(real_host(), options.store, store::Mode::read));
  return store.verify(options.quick, &how);
}

int verify(const VerifyOptions& options) {
  if (options.rebuild) return rebuild(options);
  bool marked = false;
  const auto found = check(options, marked);
  if (!found) return fail_verify(found.error());
  for (const std::string& note : found->notes) say(stderr, "note: {}\n", note);
  for (const std::string& problem : found->problems) say(stdout, "{}\n", problem);
  say(stderr, "{}: {} output{} with {} files, {} measurement{}{}\n",
      found->problems.empty() ? "nothing is wrong"
                              : fmt::format("{} problem{}", found->problems.size(),
                                            found->problems.size() == 1 ? "" : "s"),
      found->artifacts, found->artifacts == 1 ? "" : "s", found->files, found->measurements,
      found->measurements == 1 ? "" : "s",
      options.quick ? "; contents were not read"
      : !found->problems.empty() && !marked
          ? "; nothing is marked: the store is in use or cannot be written to"
          : "");
  return found->problems.empty() ? 0 : k_problems;
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "verify", "Check that the store agrees with its records and that its files are unchanged");
  auto options = std::make_shared<VerifyOptions>();
  add_store_option(*command, options->store);
  command->add_flag("--quick", options->quick, "Compare sizes only");
  command
      ->add_flag("--rebuild", options->rebuild,
                 "Rebuild the database from the records; the old one is kept")
      ->excludes("--quick");
  command
      ->add_flag("--accept-loss", options->accept_loss,
                 "With --rebuild: even if the records know less than the database and the outputs")
      ->needs("--rebuild");
  command->callback([options, &exit_code] { exit_code = verify(*options); });
}

}  // namespace orch::cli
