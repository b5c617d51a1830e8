#include "analysis/compare/comparison_text.hpp"
#include "analysis/compare/read_comparison.hpp"
#include "analysis/compare/two_sides.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/cli/score/scorers.hpp"
#include "core/base/text.hpp"
#include "results/store/store.hpp"
#include "spec/matrix/matrix.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

struct CompareOptions {
  compare::Question question;
  std::string store = "results", size, format = "table", gate;
  std::vector<std::string> allowed;
  bool json = false, points = false, undisturbed = false;
  bool answers = false;
  std::size_t examples = 3;  // how many differing answers to print

  report::Format shape() const {
    return json ? report::Format::json : *parse_name<report::Format>(format);
  }
};

std::string allowed_names() { return join(all_names<compare::Allowed>(), ", "); }

bool has_store(const std::string& folder) {
  std::error_code code;
  return !folder.empty() && std::filesystem::exists(folder + "/results.db", code);
}

// The store and the selection of a SIDE that is "FOLDER" or "FOLDER:SELECTION"; "" and SIDE if it
// does not name a store.
std::pair<std::string, std::string> other_store(const std::string& side) {
  if (has_store(side)) return {side, "1 = 1"};
  for (auto at = side.find(':'); at != std::string::npos; at = side.find(':', at + 1))
    if (has_store(side.substr(0, at))) return {side.substr(0, at), side.substr(at + 1)};
  return {"", side};
}

void print_answer(const compare::Answer& answer, const CompareOptions& options) {
  const report::Format shape = options.shape();
  if (shape == report::Format::json || shape == report::Format::csv) {
    print_out(report::to_text(compare::comparison_table(answer.comparison), shape));
    return;
  }
  print_out(compare::answer_text(answer, shape, options.points));
}

Result<Exit> pass_gate(const compare::Answer& answer, const CompareOptions& options) {
  if (options.gate.empty()) return Exit::done;
  std::set<compare::Allowed> allowed;
  for (const std::string& name : options.allowed)
    allowed.insert(*parse_name<compare::Allowed>(name));
  ORCH_ASSIGN(const compare::GateResult gate,
              compare::check_gate(answer.comparison, options.gate, allowed));
  for (const std::string& line : gate.allowed) say(stderr, "allowed: {}\n", printable_line(line));
  for (const std::string& line : gate.failures) say(stderr, "gate: {}\n", printable_line(line));
  say(stderr, "gate {}: {} of {} checks failed\n", gate.passed() ? "passed" : "failed",
      gate.failures.size(), std::max(gate.rows, gate.failures.size()));
  return gate.passed() ? Exit::done : Exit::not_valid;
}

Result<store::Store> open_side(const std::string& folder) {
  return store::Store::open(real_host(), folder, store::Mode::read);
}

// Rejects a SIDE that is a folder with a store and also a name in the store at HERE.
Status refuse_two_meanings(const std::string& side, const std::string& here) {
  if (!has_store(side) || !has_store(here)) return {};
  ORCH_ASSIGN(store::Store store, open_side(here));
  const auto named = compare::side_of(store.database(), side);
  if (named && !named->is_present) return {};
  return invalid(fmt::format(
      "{} is the folder of a store and also a name in {}; write {} for the folder{}", quoted(side),
      here, quoted("./" + side), named ? ", or \"" + named->where + "\" for the name" : ""));
}

Exit compare_sides(CompareOptions options) {
  Exit status = Exit::done;
  const std::string other = other_store(options.question.a).first;
  const Exit read =
      read_store(other.empty() ? options.store : other, [&](store::Store& store) -> Status {
        for (const std::string* side : {&options.question.a, &options.question.b})
          ORCH_TRY(refuse_two_meanings(*side, options.store));
        if (!options.size.empty()) {
          const auto share = matrix::share_of_percent(options.size);
          if (!share)
            return invalid(
                fmt::format("--size is {}; write a share above 0 and below 100 %, such as 3%",
                            quoted(options.size)));
          options.question.size = *share * 100;
        }
        options.question.disturbed_too = !options.undisturbed;
        if (!options.gate.empty()) ORCH_TRY(compare::check_gate_sql(options.gate));
        const std::string asked_a = options.question.a, asked_b = options.question.b;
        // With a gate, an empty side fails the gate, not the command.
        options.question.may_be_empty = !options.gate.empty();
        std::optional<store::Store> store_a, store_b;
        const auto open = [](std::optional<store::Store>& into, std::string& side) -> Status {
          auto [folder, selection] = other_store(side);
          if (folder.empty()) return {};
          ORCH_ASSIGN(into, open_side(folder));
          side = selection;
          return {};
        };
        ORCH_TRY(open(store_a, options.question.a));
        ORCH_TRY(open(store_b, options.question.b));
        ORCH_ASSIGN(
            compare::Answer answer,
            compare::read_comparison((store_a ? *store_a : store).database(),
                                     (store_b ? *store_b : store).database(), options.question));
        // The label includes the folder, because both stores may have the same names.
        if (store_a) answer.a.label = asked_a;
        if (store_b) answer.b.label = asked_b;
        print_answer(answer, options);
        ORCH_ASSIGN(status, pass_gate(answer, options));
        return {};
      });
  return read != Exit::done ? read : status;
}

Exit compare_answers_of_sides(const CompareOptions& options) {
  const auto [store_a, a] = other_store(options.question.a);
  const auto [store_b, b] = other_store(options.question.b);
  return compare_answers({.store_a = store_a.empty() ? options.store : store_a,
                          .store_b = store_b.empty() ? options.store : store_b,
                          .a = a,
                          .b = b,
                          .examples = options.examples,
                          .json = options.json});
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare two sides: what changed, how sure that is, and what else differs");
  auto options = std::make_shared<CompareOptions>();
  command
      ->add_option("A", options->question.a,
                   "A run, experiment, point or tool by its name, another store by its folder, or "
                   "SQL over results_all: \"precision = 'f16'\"")
      ->required();
  command->add_option("B", options->question.b, "The other side, in the same way")->required();
  command
      ->add_option("--metric", options->question.metrics,
                   "Columns of results, instead of the usual ones")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,..");
  command->add_option("--size", options->size,
                      "The difference that matters: smaller ones are not looked for (3%)");
  command->add_option("--level", options->question.level, "Confidence level")
      ->check(number_in(0.5, 0.9999))
      ->capture_default_str();
  command->add_flag("--points", options->points, "Every point, not only those that differ");
  command->add_flag("--undisturbed", options->undisturbed,
                    "Leave out measurements that other programs disturbed");
  command
      ->add_option("--gate", options->gate,
                   "Exit with 4 unless this SQL over the columns of --format csv is true for every "
                   "row: \"worst_loss < 5\"")
      ->check(not_empty("--gate"));
  command->add_option("--gate-allow", options->allowed, "Do not fail for: " + allowed_names())
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("WHAT,..")
      ->check([](const std::string& name) {
        return parse_name<compare::Allowed>(name)
                   ? ""
                   : "write, separated by commas: " + allowed_names();
      });
  auto* format = command->add_option("--format", options->format, "table, csv, json, markdown")
                     ->check(CLI::IsMember({"table", "csv", "json", "markdown"}))
                     ->capture_default_str();
  command->add_flag("--json", options->json, "The same as --format json")->excludes(format);
  add_store_option(*command, options->store);
  CLI::Option* answers = command->add_flag(
      "--answers", options->answers,
      "Compare kept answers to the same prompts instead: how many are equal, where they diverge, "
      "and the differences in their scores");
  command
      ->add_option("--examples", options->examples,
                   "With --answers: how many differing answers to show")
      ->capture_default_str()
      ->needs(answers);
  for (const char* other : {"--metric", "--size", "--gate", "--points", "--undisturbed"})
    answers->excludes(command->get_option(other));
  command->callback([options, &exit_code] {
    exit_code =
        status_of(options->answers ? compare_answers_of_sides(*options) : compare_sides(*options));
  });
}

}  // namespace orch::cli
