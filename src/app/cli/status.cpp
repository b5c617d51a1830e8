#include "app/session/status.hpp"

#include "analysis/report/describe.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/progress/progress.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "core/base/text.hpp"
#include "os/system/clock.hpp"
#include "results/store/rebuild.hpp"
#include "results/store/store.hpp"

#include <thread>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace orch::cli {

namespace {

struct StatusOptions {
  std::optional<std::int64_t> run;
  std::string store = "results";
  bool json = false;
};

Exit status(const StatusOptions& options) {
  // Read before the rows, so that a run that ends in between is shown as ended, not as died.
  const auto writer = store::Store::writer(real_host(), options.store);
  return read_store(options.store, [&](store::Store& store) -> Status {
    report::StatusQuestion question{.run = options.run, .now = real_host().clock.wall_s()};
    if (writer) question.holder = writer->text();
    question.jobs = slurm::JobBoard(real_host().files, options.store).read();
    ORCH_ASSIGN(const report::RunStatus found, report::read_status(store.database(), question));
    print_out(options.json ? report::status_json(found) : report::status_text(found));
    return {};
  });
}

struct ShowOptions {
  std::string name;
  std::string store = "results";
  bool json = false, all = false;
};

Exit show(const ShowOptions& options) {
  return read_store(options.store, [&](store::Store& store) -> Status {
    ORCH_ASSIGN(const report::Named named, report::find_named(store.database(), options.name));
    const report::Shape shape = options.json ? report::Shape::json : report::Shape::text;
    ORCH_ASSIGN(const std::string text, report::describe(store.database(), store.layout().root,
                                                         named, shape, {.all = options.all}));
    print_out(text);
    return {};
  });
}

struct LogsOptions {
  std::string name;
  std::string store = "results";
  bool follow = false;
};

// TEXT of a log for a terminal: a carriage return, which progress bars print, ends a line.
std::string for_terminal(std::string_view text) {
  std::string lines;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') lines += text[i];
    else if (text.substr(i + 1, 1) != "\n") lines += '\n';
  }
  return lines;
}

// Prints FILE from offset FROM, and returns the offset at which to continue. On a terminal that is
// the beginning of a line, unless the file is COMPLETE.
std::uint64_t print_from(const std::string& file, std::uint64_t from, bool complete) {
  static constexpr std::size_t k_block = 1 << 16;
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  while (true) {
    const auto block = real_host().files.read_block(file, from, k_block);
    if (!block || block->empty()) return from;
    std::string_view text = *block;
    const bool is_last = text.size() < k_block;
    if (terminal && !(is_last && complete)) {
      const std::size_t end = text.find_last_of("\r\n");
      if (end == std::string_view::npos && is_last) return from;
      text = text.substr(0, end == std::string_view::npos ? end : end + 1);
    }
    print_out(terminal ? for_terminal(text) : std::string(text));
    from += text.size();
  }
}

// Why FILE has nothing to print; "" if it has something.
std::string why_nothing(const std::string& file) {
  system::Files& files = real_host().files;
  if (files.is_link(file)) return "it is a link, which is not followed";
  if (!files.exists(file)) return "no such file: nothing was written, or it was deleted";
  const auto facts = files.stat(file);
  return facts && facts->is_regular ? "" : "it is not a regular file";
}

bool is_over(store::Store& store, const report::Named& named) {
  const auto logs = report::logs_of(store.database(), store.layout().root, named);
  return !logs || std::ranges::all_of(*logs, [](const report::StageLog& log) { return log.over; });
}

Status print_logs(store::Store& store, const LogsOptions& options) {
  ORCH_ASSIGN(const report::Named named, report::find_named(store.database(), options.name));
  ORCH_ASSIGN(const auto logs, report::logs_of(store.database(), store.layout().root, named));
  std::uint64_t read = 0;
  for (const report::StageLog& log : logs) {
    // The heading goes to stderr, because stdout carries only the log.
    say(stderr, "==> {} (attempt {}, {}) {} <==\n", log.stage, log.attempt, log.state,
        log.file.string());
    const std::string why = why_nothing(log.file.string());
    if (!why.empty()) say(stderr, "({})\n", why);
    else read = print_from(log.file.string(), 0, !options.follow || &log != &logs.back());
  }
  if (!options.follow) return {};
  // Follows the log until its attempt has ended; only the last of several logs may still grow.
  while (true) {
    const bool complete =
        is_over(store, named) || !store::Store::writer(real_host(), store.layout().root);
    if (!real_host().files.is_link(logs.back().file.string()))
      read = print_from(logs.back().file.string(), read, complete);
    if (complete) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

struct VerifyOptions {
  std::string store = "results";
  bool quick = false;
  bool rebuild = false;
  bool accept_loss = false;
};

Exit rebuild(const VerifyOptions& options) {
  const auto rebuilt =
      store::rebuild(real_host(), options.store, {.accept_loss = options.accept_loss});
  if (!rebuilt) return fail_on_store(rebuilt.error(), Exit::failed);
  for (const std::string& notice : rebuilt->notices) say(stdout, "{}\n", notice);
  say(stderr, "rebuilt the database from the records of {}{}\n", plural(rebuilt->runs, "run"),
      rebuilt->kept_as.empty() ? "" : "; the old one is kept as " + rebuilt->kept_as);
  return rebuilt->notices.empty() ? Exit::done : Exit::failed;
}

// Verifies the store and marks damaged outputs, so that they are made again. Does not mark them
// with --quick, or if the store is of an earlier version, is in use or cannot be written to; MARKED
// tells.
Result<store::VerifyReport> check(const VerifyOptions& options, bool& marked) {
  system::RealWorkers workers;
  HashingLine line("checking outputs", screen_of(stderr));
  const system::WatchedHashing how = line.shown(workers);
  if (!options.quick &&
      std::filesystem::exists(std::filesystem::path(options.store) / "results.db") &&
      !store::Store::is_older(options.store)) {
    auto writing = store::Store::open(real_host(), options.store, store::Mode::write);
    marked = writing.ok();
    if (writing.ok()) return writing->verify_and_mark(real_host().clock.wall_s(), &how);
  }
  ORCH_ASSIGN(store::Store store,
              store::Store::open(real_host(), options.store, store::Mode::read));
  return store.verify(options.quick, &how);
}

Exit verify(const VerifyOptions& options) {
  if (options.rebuild) return rebuild(options);
  bool marked = false;
  const auto found = check(options, marked);
  if (!found) return fail_on_store(found.error(), Exit::failed);
  for (const std::string& note : found->notes) say(stderr, "note: {}\n", note);
  for (const std::string& problem : found->problems) say(stdout, "{}\n", problem);
  say(stderr, "{}: {} with {}, {}{}\n",
      found->problems.empty() ? "nothing is wrong" : plural(found->problems.size(), "problem"),
      plural(found->artifacts, "output"), plural(found->files, "file"),
      plural(found->measurements, "measurement"),
      options.quick ? "; contents were not read"
      : !found->problems.empty() && !marked
          ? "; nothing is marked: the store is of an earlier version, is in use or cannot be "
            "written to"
          : "");
  return found->problems.empty() ? Exit::done : Exit::failed;
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
  command->callback([options, &exit_code] { exit_code = status_of(status(*options)); });
}

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
  command->callback([options, &exit_code] { exit_code = status_of(show(*options)); });
}

void add_logs(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("logs",
                                         "Print the logs of a stage, or of a point's failed stages "
                                         "(of all its stages if none failed)");
  auto options = std::make_shared<LogsOptions>();
  command->add_option("NAME", options->name, "A stage or point: its name or a unique prefix")
      ->required();
  command->add_flag("-f,--follow", options->follow, "Follow the log while the stage runs");
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] {
    exit_code = status_of(read_store(
        options->store, [&](store::Store& store) { return print_logs(store, *options); }));
  });
}

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
                 "With --rebuild: even if the records hold less than the database and the outputs")
      ->needs("--rebuild");
  command->callback([options, &exit_code] { exit_code = status_of(verify(*options)); });
}

}  // namespace orch::cli
