#include "app/cli/decide/add_sessions.hpp"

#include "analysis/rounds/rounds.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "core/base/text.hpp"
#include "core/secret/redact.hpp"
#include "core/secret/token_shapes.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

// Makes errors name --resolve: the SQL of a side is expanded as that of --again, which its errors
// name.
void name_the_option(Errors& errors, std::size_t from) {
  for (std::size_t i = from; i < errors.size(); ++i)
    if (errors[i].where.file == "--again") errors[i].where.file = "--resolve";
}

Result<statistics::SessionDifference> difference_in_store(const AddSessions& with, std::size_t a,
                                                          std::size_t b, double level) {
  ORCH_ASSIGN(store::Store store,
              store::Store::open(real_host(), with.options.store, store::Mode::read));
  const auto& sides = with.asked.points.sides;
  return rounds::observed_difference(store.database(),
                                     {.experiment = with.experiment.matrix.name,
                                      .metric = with.asked.question.metric,
                                      .a = sides[a],
                                      .b = sides[b]},
                                     level);
}

void print_state(const rounds::Question& question, const rounds::Answer& answer) {
  for (const std::string& line : rounds::sentences(question, answer)) say(stderr, "{}\n", line);
}

Status check_metric_in(const std::string& store_folder, const std::string& metric) {
  auto store = store::Store::open(real_host(), store_folder, store::Mode::read);
  return rounds::check_metric(store ? &store->database() : nullptr, metric);
}

}  // namespace

void add_resolve_options(CLI::App& command, rounds::Asked& asked) {
  command
      .add_option("--resolve", asked.resolve,
                  "Add server sessions until it is decided whether two sides differ: two values "
                  "of an axis (\"f16 against q8_0\") or SQL (\"tp = 1 against tp = 2\")")
      ->type_name("\"A against B\"")
      ->check([](const std::string& text) {
        return find_secret(text) ? "it contains what looks like a token, and commands are stored"
                                 : "";
      });
  command.add_option(
      "--of", asked.metric,
      "With --resolve: the column of results that is compared (default: output_tps)");
  command.add_option("--size", asked.size,
                     "With --resolve: the difference that matters (default: 3%)");
  command
      .add_option("--most-sessions", asked.most,
                  "With --resolve: no side gets more sessions than this (default: 10)")
      ->check(CLI::Range(2, 100));
  command
      .add_option_function<std::string>(
          "--budget",
          [&asked](const std::string& text) { asked.budget_s = rounds::seconds_of(text); },
          "With --resolve: begin no round that would probably end later than this, such as 2h or "
          "90m")
      ->type_name("DURATION")
      ->check([](const std::string& text) {
        return rounds::seconds_of(text) ? "" : "write a duration such as 2h, 90m or 1h30m";
      });
}

std::optional<AskedOfMatrix> ask_of_matrix(session::World& world,
                                           const session::Experiment& experiment,
                                           const session::RunOptions& options,
                                           const rounds::Asked& asked, Errors& errors) {
  auto question = rounds::question_of(experiment.matrix, asked);
  if (!question) {
    errors.push_back(question.error());
    return std::nullopt;
  }
  if (!*question) return std::nullopt;
  if (!options.experiment.again.empty()) {
    errors.push_back(
        invalid("--again and a comparison that adds sessions exclude each "
                "other; leave --again out"));
    return std::nullopt;
  }
  if (const Status known = check_metric_in(options.store, (*question)->metric); !known) {
    const auto& until = experiment.matrix.measure.until_difference;
    Error error = known.error();
    if (until && asked.metric.empty()) error.where = until->metric_where;
    errors.push_back(std::move(error));
    return std::nullopt;
  }
  std::vector<std::vector<matrix::Point>> expansions;
  for (const rounds::Side& side : (*question)->sides) {
    session::Experiment chosen = experiment;
    chosen.options.again = side.sql;
    session::Planning planning(world.files, chosen, options.store, options.plan);
    const std::size_t before = errors.size();
    expansions.push_back(planning.expand(errors).points.all());
    name_the_option(errors, before);
    if (errors.size() > before) return std::nullopt;
  }
  auto points = rounds::points_of(**question, experiment.matrix, expansions);
  if (!points) {
    errors.push_back(points.error());
    return std::nullopt;
  }
  return AskedOfMatrix{std::move(**question), std::move(*points)};
}

Exit add_sessions(const AddSessions& with, Exit status) {
  const rounds::Question& question = with.asked.question;
  const rounds::Tools tools{
      .compare = [&](std::size_t a, std::size_t b,
                     double level) { return difference_in_store(with, a, b, level); },
      .measure = [&](const std::string& sql, int sessions) -> Result<bool> {
        session::Experiment again = with.experiment;
        again.options.again = sql;
        session::RunOptions options = with.options;
        options.experiment.again = sql;
        options.plan.new_sessions = sessions;
        const RoundEnd end = with.run_once(again, options);
        if (!end.goes_on) status = end.status;  // the reason has been printed
        return end.goes_on;
      },
      .now_s = [&] { return with.world.clock.now_s(); },
      .report = [&](const rounds::Answer& answer) { print_state(question, answer); }};
  const auto answer = rounds::add_rounds(question, with.budget_s, with.began_s, tools);
  if (!answer) return fail_command(answer.error());
  say(stderr, "After {}: {}\n", plural(answer->rounds, "round"),
      rounds::sentence(question, answer->end));
  return status;
}

}  // namespace orch::cli
