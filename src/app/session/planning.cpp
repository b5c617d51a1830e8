#include "app/session/planning.hpp"

#include "app/session/host/host_inventory.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "spec/matrix/name_rules.hpp"

namespace orch::session {

namespace {

// Appends the errors of MORE whose places do not already occur in ERRORS.
void add_new_places(Errors& errors, Errors more) {
  const auto place = [](const Error& error) {
    return error.where.file.empty() ? error.message : to_string(error.where);
  };
  std::set<std::string> places;
  for (const Error& error : errors) places.insert(place(error));
  for (Error& error : more)
    if (!places.contains(place(error))) errors.push_back(std::move(error));
  sort_by_place(errors);
}

}  // namespace

Planning::Planning(system::Files& files, const Experiment& experiment,
                   const std::string& store_folder, plan::Options options)
    : experiment_(experiment),
      layout_(layout_of(experiment, store_folder)),
      options_(std::move(options)),
      facts_(files, layout_, experiment),
      learned_(files, layout_, experiment) {
  options_.container_engine = experiment.site.container.engine;
  for (const matrix::Share& share : experiment.shares)
    parts_.push_back({.share = share, .manifest = experiment.runners[share.runner].manifest});
}

void Planning::use(store::Store& store) {
  store_ = &store;
  layout_.store = store.layout().root.string();
  facts_.use(store);
  learned_.use(store);
}

std::vector<plan::Inputs> Planning::inputs(const plan::Done& done) {
  std::vector<plan::Inputs> all;
  for (const Part& part : parts_)
    all.push_back(
        {.matrix = part.share.matrix,
         .chosen = {.points = part.expansion.points.all(), .excluded = part.expansion.excluded},
         .manifest = part.manifest,
         .facts = facts_,
         .done = done,
         .options = options_});
  return all;
}

const matrix::Expansion& Planning::expand(Errors& errors) {
  if (expanded_) return expansion();
  expanded_ = true;
  learned_.learn_local(errors);
  expand_again(errors);
  const std::size_t left_out = expansion().left_out;
  if (errors.empty() && expansion().points.empty() && left_out > 0)
    errors.push_back(invalid(fmt::format(
        "--where {}: it is true for none of the {} of {}; `orchestrate plan {}` "
        "lists them with their values",
        quoted(experiment_.options.where), plural(left_out, "point"),
        experiment_.options.matrix_file, shell_quote(experiment_.options.matrix_file))));
  return expansion();
}

// Adds an error for each mutable revision for which no runner has a resolver, so that it can never
// be resolved.
void Planning::refuse_unresolvable(Errors& errors) const {
  Origins used;
  std::set<std::string> unknown;
  for (const plan::PlannedPoint& point : plan_.points)
    if (point.status != plan::Status::reject) used.merge(origins_of(point.point));
  for (const plan::Stage& stage : plan_.stages)
    unknown.insert(stage.unknown.begin(), stage.unknown.end());
  for (const auto& [name, origin] : used) {
    const auto& [source, revision, where] = origin;
    const std::string written = revision.empty() ? source : source + "@" + revision;
    if (!unknown.contains(written) || resolver_of(experiment_, source).resolver) continue;
    errors.push_back(
        invalid(fmt::format("{}: runner '{}' has no resolver for {}; write revision: COMMIT, or "
                            "local:PATH",
                            name, join(plan_.runners, "' or '"),
                            matrix::mutable_revision(source, revision)),
                where));
  }
}

// Expands the matrix for each runner. Errors of several runners at one place are reported once.
void Planning::expand_again(Errors& errors) {
  const Errors before = errors;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    Errors own = before;
    part.expansion =
        matrix::expand(part.share.matrix, part.share.vocabulary, learned_.of(i), own,
                       {.where = experiment_.options.where, .again = experiment_.options.again});
    if (i == 0) errors = std::move(own);
    else add_new_places(errors, std::move(own));
  }
  if (parts_.size() > 1) put_together();
}

void Planning::put_together() {
  together_ = {};
  std::set<std::string> texts;
  const bool any =
      std::ranges::any_of(parts_, [](const Part& part) { return !part.expansion.points.empty(); });
  for (const Part& part : parts_) {
    const matrix::Expansion& own = part.expansion;
    together_.points.append(own.points);
    together_.excluded += own.excluded;
    together_.left_out += own.left_out;
    if (any && own.points.empty()) continue;  // a choice of points, such as --where, may leave none
    for (const std::string& warning : own.warnings)
      if (texts.insert(warning).second) together_.warnings.push_back(warning);
    for (const std::string& note : own.notes)
      if (texts.insert(note).second) together_.notes.push_back(note);
  }
}

// A parameter that names a model for one runner may be any text for another, so models are looked
// up by name.
Origins Planning::origins_of(const matrix::Point& point) const {
  Origins origins;
  const matrix::Matrix& matrix = experiment_.matrix;
  const auto add_model = [&](const std::string& name) {
    if (const auto model = matrix.models.find(name); model != matrix.models.end())
      origins[fmt::format("model '{}'", name)] = {model->second.source, model->second.revision,
                                                  model->second.where};
  };
  add_model(point.model);
  for (const Part& part : parts_)
    for (const matrix::Parameter& parameter : part.manifest.parameters)
      if (const matrix::Value* name = point.parameters.find(parameter.name);
          name && parameter.is_model)
        add_model(name->text);
  if (const matrix::Dataset* dataset = matrix::fetched_dataset(matrix, point))
    origins[fmt::format("dataset '{}'", point.dataset_source)] = {
        dataset->origin(), dataset->revision, dataset->where};
  return origins;
}

std::vector<std::string> Planning::new_warnings() {
  std::vector<std::string> fresh;
  const auto add = [&](const auto& warnings) {
    for (const std::string& warning : warnings)
      if (returned_warnings_.insert(warning).second) fresh.push_back(warning);
  };
  add(experiment_.warnings);
  add(learned_.contradictions());
  add(expansion().warnings);
  add(plan_.warnings);
  return fresh;
}

void Planning::plan(Errors& errors) {
  expand(errors);
  if (!errors.empty()) return;
  facts_.forget_sources();
  const plan::Done held = read_done(errors);
  failed_before_ = held.failed;
  plan_ = plan::make_plan(inputs(held), errors);
  plan_.nodes = nodes_of(experiment_);
  // Facts in the store decide more points, whose stages may have more facts in the store.
  while (errors.empty() && learned_.learn(plan_, held, errors)) plan_points_again(held, errors);
  if (errors.empty()) refuse_unresolvable(errors);
  refuse_undivided(plan_, experiment_, errors);
}

void Planning::plan_again(Errors& errors) {
  plan::Done held = read_done(errors);
  held.failed = failed_before_;
  do {
    learned_.learn(plan_, held, errors);
    if (errors.empty()) plan_points_again(held, errors);
  } while (errors.empty() && learned_.learn(plan_, held, errors));
  refuse_undivided(plan_, experiment_, errors);
}

void Planning::plan_points_again(const plan::Done& done, Errors& errors) {
  expand_again(errors);
  if (!errors.empty()) return;
  // If a file contradicts the catalogue, points that the catalogue decided must be decided again.
  if (learned_.take_contradiction()) plan_ = plan::make_plan(inputs(done), errors);
  else plan::plan_again(plan_, inputs(done), errors);
  plan_.nodes = nodes_of(experiment_);
}

plan::Done Planning::read_done(Errors& errors) {
  plan::Done done;
  if (store_) {
    auto held = store_->done();
    if (held) done = std::move(*held);
    else errors.push_back(held.error());
  }
  // Leaves out stages of other runners, which are unrelated even if their names agree.
  std::erase_if(done.earlier, [&](const plan::Earlier& earlier) {
    return std::ranges::none_of(
        parts_, [&](const Part& part) { return part.manifest.name == earlier.runner; });
  });
  done.provenance = store::provenance_of(experiment_.machine.facts(), k_version);
  return done;
}

plan::Comparison Planning::comparison() const {
  std::vector<std::span<const matrix::Parameter>> parameters;
  for (const Part& part : parts_) parameters.emplace_back(part.manifest.parameters);
  return plan::compare_runners(plan_, experiment_.matrix, parameters);
}

}  // namespace orch::session
