#include "cli/planning.hpp"

#include "cli/version.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

constexpr std::string_view k_local = "local:";

std::string folder_of(const std::string& file) {
  std::error_code code;
  return std::filesystem::absolute(file, code).parent_path().string();
}

}  // namespace

void add_plan_options(CLI::App& command, plan::Options& options) {
  command
      .add_option("--until", options.until,
                  "The last stage that is wanted, in the order of the runner")
      ->check([](const std::string& stage) {
        return stage.empty() ? "it is empty; name a stage, or leave --until out" : "";
      });
  command.add_flag("--retry-failed", options.retry_failed,
                   "Try again what failed before by no fault of the machine; else such a failure "
                   "is a result and stays");
  command
      .add_option("--refresh", options.refresh,
                  "Measure again what was measured under another: driver, kernel, host, system or "
                  "orchestrate")
      ->check(CLI::IsMember({"driver", "kernel", "host", "system", "orchestrate"}));
}

Planning::Planning(system::Files& files, const Experiment& experiment,
                   const std::string& store_folder, plan::Options options)
    : files_(files),
      experiment_(experiment),
      layout_(layout_of(experiment, store_folder)),
      options_(std::move(options)),
      facts_(files, layout_, experiment.host, folder_of(experiment.options.matrix_file)) {
  known_.host = experiment.host.facts;
}

void Planning::use(store::Store& store) {
  store_ = &store;
  layout_.store = store.layout().root.string();
  facts_.use(store);
}

const matrix::Expansion& Planning::expand(Errors& errors) {
  if (expanded_ || !experiment_.manifest) return expansion_;
  expanded_ = true;
  learn_local_models(errors);
  expand_again(errors);
  return expansion_;
}

// A moving name that the runner has no way to ask about can never be known.
void Planning::refuse_unresolvable(Errors& errors) const {
  std::set<std::string> used, unknown;
  for (const plan::PlannedPoint& point : plan_.points)
    if (point.status != plan::Status::reject) used.insert(point.point.model);
  for (const plan::Stage& stage : plan_.stages)
    unknown.insert(stage.unknown.begin(), stage.unknown.end());
  for (const auto& [name, model] : experiment_.matrix.models) {
    const std::string written =
        model.revision.empty() ? model.source : model.source + "@" + model.revision;
    if (!used.contains(name) || !unknown.contains(written)) continue;
    if (experiment_.manifest->resolver_of(model.source)) continue;
    errors.push_back(invalid(
        fmt::format("model '{}': runner '{}' has no way to find out what {} means; write revision: "
                    "COMMIT, or local:PATH",
                    name, experiment_.manifest->name, moving_name(model.source, model.revision)),
        model.where));
  }
}

void Planning::expand_again(Errors& errors) {
  expansion_ = matrix::expand(experiment_.matrix, experiment_.manifest->vocabulary(), known_,
                              errors, {.where = experiment_.options.where});
}

std::vector<std::string> Planning::new_warnings() {
  std::vector<std::string> fresh;
  for (const std::string& warning : expansion_.warnings)
    if (warnings_given_.insert(warning).second) fresh.push_back(warning);
  for (const std::string& warning : plan_.warnings)
    if (warnings_given_.insert(warning).second) fresh.push_back(warning);
  return fresh;
}

void Planning::plan(Errors& errors) {
  expand(errors);
  if (!errors.empty()) return;
  facts_.forget_sources();
  const plan::Done held = done(errors);
  failed_before_ = held.failed;
  plan_ = plan::make_plan(experiment_.matrix, expansion_, *experiment_.manifest, facts_, held,
                          options_, errors);
  // What the store holds may tell more, and what that tells may be held too.
  while (errors.empty() && learn_from_stages(held, errors)) plan_points_again(held, errors);
  if (errors.empty()) refuse_unresolvable(errors);
}

void Planning::plan_again(Errors& errors) {
  plan::Done held = done(errors);
  held.failed = failed_before_;  // what failed meanwhile is this run's own business
  do {
    learn_from_stages(held, errors);
    if (errors.empty()) plan_points_again(held, errors);
  } while (errors.empty() && learn_from_stages(held, errors));
}

void Planning::plan_points_again(const plan::Done& held, Errors& errors) {
  expand_again(errors);
  if (errors.empty())
    plan::plan_again(plan_, experiment_.matrix, expansion_, *experiment_.manifest, facts_, held,
                     options_, errors);
}

plan::Done Planning::done(Errors& errors) {
  plan::Done done;
  if (store_) {
    auto held = store_->done();
    if (held) done = std::move(*held);
    else errors.push_back(held.error());
  }
  // Stages of another runner share a name and nothing else.
  std::erase_if(done.earlier, [&](const plan::Earlier& earlier) {
    return earlier.runner != experiment_.matrix.runner;
  });
  done.provenance = store::provenance_of(experiment_.machine.facts(), k_version);
  return done;
}

void Planning::learn_local_models(Errors& errors) {
  const auto& source = experiment_.manifest->fact_source;
  if (!source) return;
  for (const auto& [name, model] : experiment_.matrix.models)
    if (model.source.starts_with(k_local))
      learn(name, model.source.substr(k_local.size()) + "/" + source->file, errors);
}

// Of every model whose fact-telling stage has its output in the store.
bool Planning::learn_from_stages(const plan::Done& held, Errors& errors) {
  const auto& source = experiment_.manifest->fact_source;
  if (!source) return false;
  bool learned = false;
  for (const plan::Stage& stage : plan_.stages) {
    if (stage.spec.name != source->stage || stage.points.empty()) continue;
    std::string folder = stage.provided;
    if (folder.empty() && held.made.contains(stage.digest)) folder = layout_.artifact_out(stage.id);
    if (folder.empty()) continue;
    std::set<std::string> models;  // of one source, or of what is provided for several
    for (const std::size_t point : stage.points) models.insert(plan_.points[point].point.model);
    for (const std::string& model : models)
      learned = learn(model, folder + "/" + source->file, errors) || learned;
  }
  return learned;
}

// True: FILE told something new.
bool Planning::learn(const std::string& model, const std::string& file, Errors& errors) {
  if (model.empty() || known_.models[model].complete || !files_.exists(file)) return false;
  const auto text = files_.read_text(file, YamlLimits{}.bytes);
  const auto facts = text ? matrix::read_model_facts(experiment_.manifest->model_facts, *text, file)
                          : Result<matrix::ModelFacts>(text.error());
  if (!facts) return errors.push_back(facts.error()), false;
  known_.models[model] = *facts;
  known_.models[model].complete = true;
  return true;
}

}  // namespace orch::cli
