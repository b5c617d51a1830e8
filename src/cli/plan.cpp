#include "cli/plan.hpp"

#include "base/text.hpp"
#include "cli/facts.hpp"

#include <CLI/CLI.hpp>

#include <array>

namespace orch::cli {

plan::Plan make_plan(const Experiment& experiment, const execute::Layout& layout, const system::Machine& machine, system::Files& files, store::Store* store, Errors& errors) {
  plan::Done done;
  if (store) {
    auto held = store->done();
    if (held) done = std::move(*held);
    else errors.push_back(held.error());
  }
  FileFacts facts(files, layout, machine, store);
  return plan::make_plan(experiment.matrix, experiment.expansion, experiment.manifest, facts, done, {}, errors);
}

std::string stage_counts(const plan::Plan& plan) {
  using Counts = std::array<std::size_t, 5>;
  std::vector<std::pair<std::string, Counts>> rows;
  for (const plan::Stage& stage : plan.stages) {
    auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.first == stage.spec.name; });
    if (row == rows.end()) row = rows.insert(rows.end(), {stage.spec.name, Counts{}});
    ++row->second[static_cast<std::size_t>(stage.status)];
  }
  TextTable table({"stage", "stages", "run", "reuse", "idle", "reject"});
  for (const auto& [name, counts] : rows) {
    auto count = [&counts = counts](plan::Status status) { return std::to_string(counts[static_cast<std::size_t>(status)]); };
    std::size_t all = 0;
    for (const std::size_t one : counts) all += one;
    table.add({name, std::to_string(all), count(plan::Status::run), count(plan::Status::reuse), count(plan::Status::idle), count(plan::Status::reject)});
  }
  return table.text();
}

std::string plan_text(const plan::Plan& plan) {
  TextTable table({"point", "status", "why"});
  for (const plan::PlannedPoint& point : plan.points) table.add({point.point.name, std::string(plan::to_string(point.status)), point.why});
  std::string text = table.text() + "\n" + stage_counts(plan);
  if (plan.excluded) text += fmt::format("\n{} points excluded by the matrix\n", plan.excluded);
  return text;
}

void add_plan(CLI::App& app, int& exit_code) {
  struct Options {
    std::string file;
    std::string store = "results";
    bool json = false;
  };
  CLI::App* command = app.add_subcommand("plan", "Show every point as run, reuse or reject, and the stages behind them");
  auto options = std::make_shared<Options>();
  command->add_option("MATRIX", options->file, "The matrix file")->required();
  command->add_option("--store", options->store, "The results folder")->capture_default_str();
  command->add_flag("--json", options->json, "As JSON, for programs");
  command->callback([options, &exit_code] {
    system::RealFiles files;
    Errors errors;
    const Experiment experiment = load_experiment(files, options->file, errors);
    std::optional<store::Store> store;
    if (errors.empty() && files.exists(options->store + "/results.db")) {
      auto opened = store::Store::open(options->store, store::Mode::read);
      if (opened) store.emplace(std::move(*opened));
      else errors.push_back(opened.error());
    }
    plan::Plan plan;
    if (errors.empty()) {
      const execute::Layout layout = layout_of(experiment, options->store);
      plan = make_plan(experiment, layout, system::detect_machine(), files, store ? &*store : nullptr, errors);
    }
    print_errors(errors);
    for (const std::string& warning : experiment.expansion.warnings) fmt::print(stderr, "warning: {}\n", warning);
    if (!errors.empty()) {
      exit_code = 2;
      return;
    }
    fmt::print("{}", options->json ? plan::to_json(plan) : plan_text(plan));
  });
}

}  // namespace orch::cli
