// `orchestrate best`: the configuration of a store to deploy; with --confirm, after measuring the
// first three again.
#include "analysis/best/choice.hpp"
#include "analysis/best/confirm.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/session/site.hpp"
#include "core/base/text.hpp"
#include "results/query/table.hpp"
#include "results/store/store.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

namespace fs = std::filesystem;

struct BestOptions {
  best::Asked asked;
  std::string store = "results";
  std::string site;
  bool json = false, csv = false, markdown = false, confirm = false;
};

// Reads the prices of the site file. False if the file has errors, which are printed.
bool read_prices_of_site(BestOptions& options) {
  Errors errors;
  const session::Site site = session::read_site(real_host().files, options.site, errors);
  if (!errors.empty()) {
    print_errors(errors);
    return false;
  }
  options.asked.prices = {.gpu_hour = site.prices.gpu_hour,
                          .machine_hour = site.prices.machine_hour,
                          .output_token_weight = site.prices.output_token_weight,
                          .currency = site.prices.currency,
                          .file = session::site_file_of(options.site)};
  return true;
}

std::string own_command() {
  std::vector<std::string> words = own_command_line();
  words.front() = "orchestrate";
  return shell_quote(words);
}

void print_choice(const BestOptions& options, const best::Question& question,
                  const best::Choice& choice) {
  const best::Said said{
      .store_option = options.store == "results" ? "" : " --store " + shell_quote(options.store),
      .command = own_command(),
      .markdown = options.markdown};
  if (options.json) print_out(best::choice_json(question, choice, said));
  else if (options.csv) print_out(best::choice_csv(question, choice));
  else print_out(best::choice_text(question, choice, said));
}

Result<best::Question> question_in(store::Store& store, const BestOptions& options) {
  return best::question_of(
      options.asked, report::column_names(store.database(), "results"),
      report::first_column(store.database(), "SELECT name FROM wide_column WHERE parameter = 1"));
}

Exit print_best(const BestOptions& options) {
  bool is_answered = false;
  const Exit status = read_store(options.store, [&](store::Store& store) -> Status {
    ORCH_ASSIGN(const best::Question question, question_in(store, options));
    ORCH_ASSIGN(const best::Choice choice, best::choose(store.database(), question));
    print_choice(options, question, choice);
    is_answered = !choice.groups.empty();
    return {};
  });
  if (status != Exit::done) return status;
  return is_answered ? Exit::done : Exit::failed;
}

// --- --confirm

Result<best::Confirmation> begin_confirmation(store::Store& store, const BestOptions& options) {
  ORCH_ASSIGN(const best::Question question, question_in(store, options));
  const std::string label = best::label_of(options.asked);
  ORCH_ASSIGN(auto unfinished, best::unfinished_confirmation(store.database(), label));
  if (unfinished) return std::move(*unfinished);
  ORCH_ASSIGN(const best::Choice choice, best::choose(store.database(), question));
  if (choice.groups.empty())
    return invalid(
        "no configuration qualifies, so there is nothing to measure again; "
        "`orchestrate best` without --confirm says why");
  if (choice.groups.size() > 1)
    return invalid(
        fmt::format("--confirm measures the first three of one group, but --by made {}: "
                    "choose one with --where",
                    choice.groups.size()));
  return best::new_confirmation(store.database(), choice.groups.front(), label);
}

// Why the run of CONFIRMATION cannot be started; "" if it can.
std::string why_not_measured(const best::Confirmation& confirmation) {
  std::error_code code;
  const fs::path matrix = fs::path(confirmation.folder) / confirmation.matrix_file;
  if (fs::exists(matrix, code)) return "";
  return fmt::format("the matrix of these points, {}, does not exist; restore it there",
                     matrix.lexically_normal().string());
}

Exit measure_again(const best::Confirmation& confirmation, const std::string& store) {
  if (const std::string why = why_not_measured(confirmation); !why.empty())
    return fail_command(invalid(why));
  std::error_code code;
  fs::current_path(confirmation.folder, code);
  if (code) return fail_command(io_error("go to", confirmation.folder, code.value()));
  say(stderr, "{} in {} new sessions of {}:\n",
      confirmation.continued ? "going on measuring" : "measuring again", best::k_confirm_sessions,
      confirmation.rows.size() == 1 ? "its server" : "their servers");
  for (const best::Candidate& row : confirmation.rows) say(stderr, "  {}\n", row.point);
  return run_again(confirmation.words, store, {}, Results::left_out);
}

Exit confirm_best(BestOptions options) {
  const std::string store = fs::absolute(options.store).lexically_normal().string();
  std::optional<best::Confirmation> confirmation;
  Exit status = read_store(store, [&](store::Store& opened) -> Status {
    ORCH_ASSIGN(confirmation, begin_confirmation(opened, options));
    return {};
  });
  if (status != Exit::done) return status;
  const std::string came_from = own_folder();
  status = measure_again(*confirmation, store);
  // Continues after Exit::failed as well: some measurements may have succeeded.
  if (status != Exit::done && status != Exit::failed) return status;
  std::error_code code;
  fs::current_path(came_from, code);
  bool is_answered = false;
  const Exit read = read_store(store, [&](store::Store& opened) -> Status {
    ORCH_ASSIGN(const best::Question question, question_in(opened, options));
    ORCH_ASSIGN(const best::Choice choice,
                best::confirmed_choice(opened.database(), question, *confirmation));
    print_choice(options, question, choice);
    is_answered = !choice.groups.empty();
    return {};
  });
  if (read != Exit::done) return read;
  return is_answered ? status : Exit::failed;
}

Exit best_of(BestOptions options) {
  if (!read_prices_of_site(options)) return Exit::refused;
  if (!options.confirm) return print_best(options);
  if (options.asked.maximize.empty() && options.asked.minimize.empty())
    return fail_command(
        invalid("--confirm needs --maximize or --minimize: it measures the best three again"));
  return confirm_best(std::move(options));
}

void declare_question(CLI::App& command, best::Asked& asked) {
  command.add_option("RUN", asked.run, "Only the points of this run (default: all of the store)");
  command
      .add_option("--where", asked.where,
                  "Only the points for which this SQL over the columns of `results` is true")
      ->check(not_empty("--where"));
  command
      .add_option(
          "--maximize", asked.maximize,
          "The column whose highest value is best, or SQL over columns: \"output_tps / tp\"")
      ->type_name("METRIC");
  command.add_option("--minimize", asked.minimize, "The column whose lowest value is best, or SQL")
      ->type_name("METRIC");
  command
      .add_option("--subject-to", asked.subject_to,
                  "What the best must meet, as SQL over the same columns: \"ttft_ms_p99 < 50 AND "
                  "tp <= 4\"; intervals that reach beyond it are marked")
      ->type_name("SQL")
      ->check(not_empty("--subject-to"));
  command
      .add_option("--pareto", asked.front,
                  "The front of two columns, such as output_tps,ttft_ms; X:lower where the "
                  "better direction is unknown")
      ->type_name("X,Y");
  command
      .add_option("--per", asked.per,
                  "Divide a throughput by the server's GPUs, its cost (prices of the site file) "
                  "or its energy")
      ->check(CLI::IsMember({"gpu", "cost", "joule"}));
  command
      .add_option("--by", asked.by,
                  "The best of each group with equal values in columns such as model,length "
                  "(length is isl and osl)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("COLUMN,..");
}

}  // namespace

void add_best(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "best",
      "Name the best configuration under a condition, and those that cannot be told apart from it");
  auto options = std::make_shared<BestOptions>();
  declare_question(*command, options->asked);
  command->add_flag("--confirm", options->confirm,
                    "Measure the first three again in three new sessions, and report only these; "
                    "the same command continues after an interruption");
  auto* json = command->add_flag("--json", options->json, "Every row and digit, as an object");
  auto* csv = command->add_flag("--csv", options->csv, "Every row and digit");
  auto* markdown = command->add_flag("--markdown", options->markdown, "Tables for a pull request");
  json->excludes(csv)->excludes(markdown);
  csv->excludes(markdown);
  add_site_option(*command, options->site);
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = status_of(best_of(*options)); });
}

}  // namespace orch::cli
