// `orchestrate score`: scores kept answers, without running anything again.
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/reading.hpp"
#include "cli/real_world.hpp"
#include "cli/say.hpp"
#include "cli/score/scorers.hpp"
#include "report/table.hpp"
#include "score/reference_files.hpp"
#include "score/scoring.hpp"
#include "score/write_scores.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <csignal>
#include <memory>

namespace orch::cli {

namespace {

constexpr int k_score_failed = 1;
constexpr int k_score_usage = 2;
constexpr int k_score_in_use = 3;
constexpr int k_score_interrupted = 130;
constexpr std::size_t k_score_errors_shown = 5;

std::atomic<bool> g_scoring_stopped = false;

struct ScoreOptions {
  std::string store = "results";
  score::Selection selection;
  ScorerOptions scorers;
  std::string references, write_references;
  double timeout_s = 600;
  bool json = false;
};

int fail_score(const Error& error) {
  print_errors({error});
  return error.kind == ErrorKind::conflict      ? k_score_in_use
         : error.kind == ErrorKind::interrupted ? k_score_interrupted
                                                : k_score_usage;
}

// A row of what the command prints.
struct ScoreLine {
  std::string point, scorer;
  std::int64_t measurement = 0;
  record::NamedMetric metric;
  std::int64_t without_reference = 0, without_score = 0, unanswered = 0;
  bool is_new = true;
};

std::string lines_as_json(const std::vector<ScoreLine>& lines) {
  nlohmann::json all = nlohmann::json::array();
  for (const ScoreLine& one : lines) {
    const auto number = [](const std::optional<double>& value) {
      return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
    };
    all.push_back({{"point", one.point},
                   {"measurement", one.measurement},
                   {"scorer", one.scorer},
                   {"mean", number(one.metric.mean)},
                   {"interval_low", number(one.metric.statistics[k_statistic_interval])},
                   {"interval_high", number(one.metric.statistics[k_statistic_interval + 1])},
                   {"prompts", number(one.metric.statistics[k_statistic_n])},
                   {"without_reference", one.without_reference},
                   {"without_score", one.without_score},
                   {"unanswered", one.unanswered},
                   {"new", one.is_new}});
  }
  return dump(all, 1) + "\n";
}

std::string lines_as_table(const std::vector<ScoreLine>& lines) {
  TextTable table(
      {"point", "measurement", "scorer", "mean", "95 % interval", "prompts", "not scored", ""});
  for (const ScoreLine& one : lines) {
    const auto& low = one.metric.statistics[k_statistic_interval];
    const auto& high = one.metric.statistics[k_statistic_interval + 1];
    table.add(
        {one.point, std::to_string(one.measurement), one.scorer,
         one.metric.mean ? report::rounded(*one.metric.mean) : "-",
         low && high ? fmt::format("{}..{}", report::rounded(*low), report::rounded(*high)) : "-",
         report::rounded(one.metric.statistics[k_statistic_n].value_or(0)),
         std::to_string(one.without_reference + one.without_score + one.unanswered),
         one.is_new ? "" : "was scored before"});
  }
  return table.text();
}

// Scores targets one after another; what could not be scored becomes an error and stops nothing
// else.
class Scoring {
 public:
  Scoring(store::Store& store, const ScoreOptions& options, const score::ProgramHost& host)
      : store_(store),
        options_(options),
        host_(host),
        answers_(store.database(), real_host().files, store.layout()),
        references_(store.database(), real_host().files, options.references) {}

  // False: it was interrupted.
  bool score(const score::Target& target, const std::vector<score::Scorer>& scorers) {
    const Status done = score_all(target, scorers);
    if (!done && done.error().kind == ErrorKind::interrupted) return false;
    if (!done) errors.push_back(done.error());
    return true;
  }

  Errors errors;
  std::vector<tables::Scored> scored;
  std::vector<ScoreLine> lines;

 private:
  // A program without references judges by the prompt and the answer alone.
  Result<const score::ReferenceFile*> references_of(const score::Target& target) {
    const bool own_alone = options_.scorers.names.empty();
    const auto found = references_.of(target);
    if (!found && own_alone && options_.references.empty())
      return static_cast<const score::ReferenceFile*>(nullptr);
    return found;
  }

  Status score_all(const score::Target& target, const std::vector<score::Scorer>& scorers) {
    ORCH_ASSIGN(const score::ReferenceFile* file, references_of(target));
    ORCH_ASSIGN(const score::KeptAnswers answers,
                answers_.read(target, file && !file->references.by_index()));
    const score::Paper paper(target, answers, file);
    if (paper.questions().empty())
      return invalid(fmt::format("{}: none of its {} answers has a reference in {}", target.point,
                                 answers.answers.size(), file ? file->path : "any file"));
    for (const score::Scorer& scorer : scorers) ORCH_TRY(score_by(target, paper, scorer));
    return {};
  }

  Status score_by(const score::Target& target, const score::Paper& paper,
                  const score::Scorer& scorer) {
    if (broken_.contains(scorer.name)) return {};
    ORCH_ASSIGN(const auto known, score::known_scores(store_.database(), target, scorer, paper));
    if (known) {
      add_line(target, *known, false);
      return {};
    }
    const auto scores = score::run_scorer(host_, scorer, paper.questions());
    if (!scores) {
      if (scores.error().kind == ErrorKind::interrupted) return scores.error();
      broken_.insert(scorer.name);
      errors.push_back(scores.error().within(target.point));
      return {};
    }
    auto one = paper.scored(scorer, *scores, real_host().clock.wall_s());
    if (!one)
      return invalid(fmt::format("{}: the scorer {} gave no answer a score", target.point,
                                 quoted(scorer.name)));
    add_line(target, *one, true);
    scored.push_back(std::move(*one));
    return {};
  }

  void add_line(const score::Target& target, const tables::Scored& one, bool is_new) {
    lines.push_back({.point = target.point,
                     .scorer = one.scorer,
                     .measurement = target.id,
                     .metric = one.metric,
                     .without_reference = one.without_reference,
                     .without_score = one.without_score,
                     .unanswered = one.unanswered,
                     .is_new = is_new});
  }

  store::Store& store_;
  const ScoreOptions& options_;
  const score::ProgramHost& host_;
  score::AnswerReader answers_;
  score::ReferenceFiles references_;
  std::set<std::string> broken_;  // scorers that failed once
};

void print_score_errors(Errors errors) {
  const std::size_t count = errors.size();
  if (count > k_score_errors_shown) errors.resize(k_score_errors_shown);
  print_errors(errors);
  if (count > errors.size()) say(stderr, "... and {} more\n", count - errors.size());
}

// Written after all was read and computed: a run that begins meanwhile is not kept waiting.
int write_all(const ScoreOptions& options, Scoring& scoring) {
  if (!scoring.scored.empty()) {
    auto store = store::Store::open(real_host(), options.store, store::Mode::write);
    if (!store) return fail_score(store.error());
    if (const Status written = score::write_scores(*store, scoring.scored); !written)
      return fail_score(written.error());
  }
  if (!scoring.lines.empty())
    print_out(options.json ? lines_as_json(scoring.lines) : lines_as_table(scoring.lines));
  std::int64_t without = 0;
  for (const ScoreLine& line : scoring.lines) without += line.without_reference;
  if (without > 0)
    say(stderr, "note: {} answers have no reference and are not in the figures\n", without);
  print_score_errors(scoring.errors);
  return scoring.errors.empty() ? 0 : k_score_failed;
}

score::ProgramHost program_host(RealWorld& world, double timeout_s) {
  return {.processes = world->processes,
          .clock = world->clock,
          .environment = real_environment(),
          .folder = std::filesystem::current_path().string(),
          .timeout_s = timeout_s,
          .is_cancelled = [] { return g_scoring_stopped.load(); }};
}

int write_references(store::Store& store, const ScoreOptions& options,
                     const std::vector<score::Target>& targets) {
  score::AnswerReader reader(store.database(), real_host().files, store.layout());
  const auto text = score::answers_as_references(reader, targets);
  if (!text) return fail_score(text.error());
  if (const Status put = real_host().files.replace(options.write_references, *text); !put)
    return fail_score(put.error());
  say(stderr, "wrote {} prompts with their answers to {}\n",
      std::count(text->begin(), text->end(), '\n'), options.write_references);
  return 0;
}

// For reading: a run may begin while scorers work. A store of an older version is migrated first.
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

int score_answers(const ScoreOptions& options) {
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
  Scoring scoring(*store, options, host);
  for (const score::Target& target : *targets)
    if (!scoring.score(target, *scorers)) {
      say(stderr, "interrupted: nothing was stored\n");
      return k_score_interrupted;
    }
  return write_all(options, scoring);
}

std::string scorer_help() {
  std::string text = "Scorers, separated by commas (default: exact,normalized,f1):";
  for (const ScorerRow& row : scorer_table()) text += fmt::format(" {}: {};", row.name, row.what);
  text.back() = '.';
  return text;
}

void add_score_options(CLI::App& command, ScoreOptions& options) {
  command.add_option("RUN", options.selection.run, "Number of a run (default: the newest)");
  command.add_option("--where", options.selection.where,
                     "Instead of RUN: measurements for which this SQL over results_all is true");
  command.add_option("--scorer", options.scorers.names, scorer_help())->delimiter(',');
  command.add_option("--program", options.scorers.program,
                     "Also score by this program: it reads {\"id\", \"prompt\", \"answer\", "
                     "\"references\"} and writes {\"id\", \"score\"}, one JSON object a line");
  command
      .add_option("--name", options.scorers.program_name,
                  "The metric of --program is score_NAME (default: the name of its file)")
      ->check([](const std::string& name) {
        const bool is_fit = !name.empty() && name.size() <= 40 && is_lower(name.front()) &&
                            std::all_of(name.begin(), name.end(), [](char c) {
                              return is_lower(c) || is_digit(c) || c == '_';
                            });
        return is_fit ? "" : "a name has small letters, digits and '_'";
      });
  command.add_option("--references", options.references,
                     "File with the right answers: rows with a prompt and its `output` (default: "
                     "the dataset of the measurement)");
  command
      .add_option("--tolerance", options.scorers.tolerance,
                  "Of `numeric`: relative, and absolute below 1")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_option("--timeout", options.timeout_s, "Seconds for the answers of one measurement")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
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
      exit_code = fail_score(invalid("give a RUN or --where, not both"));
      return;
    }
    if (options->scorers.names.empty() && options->scorers.program.empty())
      options->scorers.names = {"exact", "normalized", "f1"};
    exit_code = score_answers(*options);
  });
}

}  // namespace orch::cli
