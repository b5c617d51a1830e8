// `orchestrate score`: scores kept answers, without running anything again.
#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/cli/score/scorers.hpp"
#include "core/base/text.hpp"
#include "results/score/score_targets.hpp"

#include <atomic>
#include <csignal>

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

std::atomic<bool> g_scoring_stopped = false;

struct ScoreOptions {
  std::string store = "results";
  score::Selection selection;
  ScorerOptions scorers;
  std::string references, write_references;
  double timeout_s = 600;
  bool json = false;
};

Exit fail_score(const Error& error) {
  const Exit exit = fail_on_store(error);
  return error.kind == ErrorKind::interrupted ? Exit::interrupted : exit;
}

// Writes only when everything has been read and computed, so that a run that begins meanwhile is
// not blocked.
Exit write_all(const ScoreOptions& options, const score::ScoreReport& report) {
  std::vector<tables::Scored> fresh;
  std::int64_t without = 0;
  for (const score::ScoreLine& line : report.lines) {
    if (line.is_new) fresh.push_back(line.scored);
    without += line.scored.without_reference;
  }
  if (!fresh.empty()) {
    auto store = store::Store::open(real_host(), options.store, store::Mode::write);
    if (!store) return fail_score(store.error());
    if (const Status written = score::write_scores(*store, fresh); !written)
      return fail_score(written.error());
  }
  if (options.json) print_out(score::json_of(report.lines));
  else if (!report.lines.empty()) print_out(score::text_of(report.lines));
  if (without > 0)
    say(stderr, "note: {} without a reference, not in the figures\n",
        plural(static_cast<std::uint64_t>(without), "answer"));
  print_errors(report.errors);
  if (report.errors.empty()) return Exit::done;
  return report.lines.empty() ? Exit::refused : Exit::failed;
}

score::ProgramHost program_host(RealWorld& world, double timeout_s) {
  return {.processes = world->processes,
          .clock = world->clock,
          .environment = real_environment(),
          .folder = std::filesystem::current_path().string(),
          .timeout_s = timeout_s,
          .wall_s = world->clock.wall_s(),
          .is_cancelled = [] { return g_scoring_stopped.load(); }};
}

Exit write_references(store::Store& store, const ScoreOptions& options,
                      const std::vector<score::Target>& targets) {
  score::AnswerReader reader(store.database(), real_host().files, store.layout());
  const auto text = score::answers_as_references(reader, targets);
  if (!text) return fail_score(text.error());
  if (const Status put = write_output(options.write_references, *text); !put)
    return fail_score(put.error());
  say(stderr, "wrote {} with answers to {}\n",
      plural(static_cast<std::uint64_t>(std::ranges::count(*text, '\n')), "prompt"),
      options.write_references);
  return Exit::done;
}

// Opens the store for reading, so that a run may begin while scorers work. First migrates a store
// of an older version.
Result<store::Store> open_scored(const ScoreOptions& options) {
  const auto open = [&](store::Mode mode) {
    return store::Store::open(real_host(), options.store, mode);
  };
  if (options.write_references.empty() && real_host().files.exists(options.store + "/results.db")) {
    const auto written = open(store::Mode::write);
    if (!written) return written.error();
  }
  return open(store::Mode::read);
}

Exit score_answers(const ScoreOptions& options) {
  auto store = open_scored(options);
  if (!store) return fail_score(store.error());
  const auto targets = score::find_targets(store->database(), options.selection);
  if (!targets) return fail_score(targets.error());
  if (!options.write_references.empty()) return write_references(*store, options, *targets);
  RealWorld world;
  std::signal(SIGINT, [](int) { g_scoring_stopped = true; });
  std::signal(SIGTERM, [](int) { g_scoring_stopped = true; });
  const score::ProgramHost host = program_host(world, options.timeout_s);
  const auto scorers = find_scorers(options.scorers, host);
  if (!scorers) return fail_score(scorers.error());
  const score::ScoreReport report =
      score::score_targets(store->database(), host, real_host().files, store->layout(),
                           {.targets = *targets,
                            .scorers = *scorers,
                            .references = options.references,
                            .without_references = options.scorers.names.empty()});
  if (!report.interrupted) return write_all(options, report);
  say(stderr, "interrupted: nothing was stored\n");
  return Exit::interrupted;
}

std::string scorer_help() {
  std::string text = "Scorers, separated by commas (default: exact,normalized,f1):";
  for (const ScorerRow& row : scorer_table()) text += fmt::format(" {}: {};", row.name, row.what);
  text.back() = '.';
  return text;
}

void add_score_options(CLI::App& command, ScoreOptions& options) {
  command.add_option("RUN", options.selection.run, "Number of a run (default: the newest)");
  command
      .add_option("--where", options.selection.where,
                  "Instead of RUN: measurements for which this SQL over results_all is true")
      ->check(not_empty("--where"));
  command.add_option("--scorer", options.scorers.names, scorer_help())->delimiter(',');
  command.add_option("--program", options.scorers.program,
                     "Also score by this program: it reads {\"id\", \"prompt\", \"answer\", "
                     "\"references\"} and writes {\"id\", \"score\"}, one JSON object a line");
  command
      .add_option("--name", options.scorers.program_name,
                  "The metric of --program is score_NAME (default: the name of its file)")
      ->check([](const std::string& name) {
        const bool is_fit = !name.empty() && name.size() <= 40 && is_lower(name.front()) &&
                            std::ranges::all_of(name, [](char c) {
                              return is_lower(c) || is_digit(c) || c == '_';
                            });
        return is_fit ? "" : "a name has lower-case letters, digits and '_'";
      });
  command.add_option("--references", options.references,
                     "File with the right answers: rows with a prompt and its `output` (default: "
                     "the dataset of the measurement)");
  command
      .add_option("--tolerance", options.scorers.tolerance,
                  "For `numeric`: relative, but absolute below 1")
      ->capture_default_str()
      ->check(number_in(0, 1e9));
  command
      .add_option("--timeout", options.timeout_s,
                  "Seconds that a scorer may take for 20,000 answers")
      ->capture_default_str()
      ->check(number_in(0.1, 1e9));
  command.add_option("--write-references", options.write_references,
                     "Score nothing: write prompts and their answers to this file, as references "
                     "for other engines or precisions");
  command.add_flag("--json", options.json, "Print an array of objects");
  add_store_option(command, options.store);
}

}  // namespace

void add_score(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "score", "Score the answers that runs have kept, without running anything again");
  auto options = std::make_shared<ScoreOptions>();
  add_score_options(*command, *options);
  command->callback([options, &exit_code] {
    if (options->selection.run && !options->selection.where.empty()) {
      exit_code = status_of(fail_score(invalid("give a RUN or --where, not both")));
      return;
    }
    if (options->scorers.names.empty() && options->scorers.program.empty())
      options->scorers.names = {"exact", "normalized", "f1"};
    exit_code = status_of(score_answers(*options));
  });
}

}  // namespace orch::cli
