#include "app/session/planning.hpp"

#include "app/session/host/host_inventory.hpp"
#include "app/session/identities/tool_versions.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "spec/matrix/name_rules.hpp"

namespace orch::session {

namespace {

// The `kind` under which the store keeps files of facts; kept_name() is the name of FILE of STAGE.
constexpr const char* k_fact_file = "fact file";
std::string kept_name(const plan::Stage& stage, const std::string& file) {
  return stage.digest.hex() + "/" + file;
}

std::string folder_of(const std::string& file) {
  std::error_code code;
  return std::filesystem::absolute(file, code).parent_path().string();
}

// Whether MODEL, in the matrix, states every fact of FACTS.
bool states_all(const matrix::Model& model, const std::map<std::string, matrix::Value>& facts) {
  return std::ranges::all_of(facts, [&](const auto& fact) {
    return std::ranges::any_of(model.facts, [&](const auto& stated) {
      return stated.first == fact.first || "model_" + stated.first == fact.first;
    });
  });
}

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
    : files_(files),
      experiment_(experiment),
      layout_(layout_of(experiment, store_folder)),
      options_(std::move(options)),
      facts_(files, layout_, experiment.host, folder_of(experiment.options.matrix_file)) {
  options_.container_engine = experiment.site.container.engine;
  facts_.search_programs_in(experiment.search_path);
  for (const matrix::Share& share : experiment.shares) {
    Part& part = parts_.emplace_back(
        Part{.share = share, .manifest = experiment.runners[share.runner].manifest});
    part.known.host = experiment.host.facts;
    const runner::KnownModels& catalogue = part.manifest.known_models;
    for (const auto& [name, model] : share.matrix.models)
      if (const auto facts = catalogue.find(model.source); facts != catalogue.end())
        part.known.catalogue[name] = facts->second;
  }
}

void Planning::use(store::Store& store) {
  store_ = &store;
  layout_.store = store.layout().root.string();
  facts_.use(store);
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
  for (Part& part : parts_) learn_local_models(part, errors);
  expand_again(errors);
  const std::size_t left_out = expansion().left_out;
  if (errors.empty() && expansion().points.empty() && left_out > 0)
    errors.push_back(invalid(fmt::format(
        "--where {}: it is true for none of the {} point{} of {}; `orchestrate plan {}` "
        "lists them with their values",
        quoted(experiment_.options.where), left_out, left_out == 1 ? "" : "s",
        experiment_.options.matrix_file, shell_quote(experiment_.options.matrix_file))));
  return expansion();
}

std::set<std::string> Planning::fact_sources() const {
  std::set<std::string> stages;
  for (const Part& part : parts_)
    if (part.manifest.fact_source) stages.insert(part.manifest.fact_source->stage);
  return stages;
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
  for (Part& part : parts_) {
    Errors own = before;
    part.expansion =
        matrix::expand(part.share.matrix, part.share.vocabulary, part.known, own,
                       {.where = experiment_.options.where, .again = experiment_.options.again});
    if (&part == &parts_.front()) errors = std::move(own);
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
  for (const std::string& warning : experiment_.warnings)
    if (returned_warnings_.insert(warning).second) fresh.push_back(warning);
  for (const std::string& warning : contradictions_)
    if (returned_warnings_.insert(warning).second) fresh.push_back(warning);
  for (const std::string& warning : expansion().warnings)
    if (returned_warnings_.insert(warning).second) fresh.push_back(warning);
  for (const std::string& warning : plan_.warnings)
    if (returned_warnings_.insert(warning).second) fresh.push_back(warning);
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
  while (errors.empty() && learn_from_stages(held, errors)) plan_points_again(held, errors);
  if (errors.empty()) refuse_unresolvable(errors);
  refuse_undivided(plan_, experiment_, errors);
}

void Planning::plan_again(Errors& errors) {
  plan::Done held = read_done(errors);
  held.failed = failed_before_;
  do {
    learn_from_stages(held, errors);
    if (errors.empty()) plan_points_again(held, errors);
  } while (errors.empty() && learn_from_stages(held, errors));
  refuse_undivided(plan_, experiment_, errors);
}

void Planning::plan_points_again(const plan::Done& done, Errors& errors) {
  expand_again(errors);
  if (!errors.empty()) return;
  // If a file contradicts the catalogue, points that the catalogue decided must be decided again.
  if (std::exchange(is_contradicted_, false)) plan_ = plan::make_plan(inputs(done), errors);
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

void Planning::learn_local_models(Part& part, Errors& errors) {
  const auto& source = part.manifest.fact_source;
  if (!source) return;
  for (const auto& [name, model] : part.share.matrix.models)
    if (const auto path = matrix::local_source_path(model.source))
      learn(part, name, *path + "/" + source->file, errors);
}

// Reads the facts of every model whose fact stage has its output in the store. Returns whether any
// fact is new.
bool Planning::learn_from_stages(const plan::Done& done, Errors& errors) {
  const std::set<std::string> sources = fact_sources();
  bool learned = false;
  for (const plan::Stage& stage : plan_.stages) {
    if (!sources.contains(stage.spec.name)) continue;
    std::string folder = stage.provided;
    if (folder.empty() && done.made.contains(stage.digest)) folder = layout_.artifact_out(stage.id);
    if (folder.empty()) learned = learn_kept(stage, errors) || learned;
    else learned = learn_from(stage, folder, errors) || learned;
  }
  return learned;
}

// Reads the kept files of facts of stages whose output has been removed.
bool Planning::learn_kept(const plan::Stage& stage, Errors& errors) {
  if (!store_ || stage.digest == Digest{}) return false;
  bool learned = false;
  for (const auto& [runner, model] : models_of(stage)) {
    Part& part = parts_[runner];
    const auto& source = part.manifest.fact_source;
    if (!source || source->stage != stage.spec.name) continue;
    const std::string file = kept_name(stage, source->file);
    const auto text = store_->resolution(k_fact_file, file);
    if (!text) errors.push_back(text.error());
    else if (*text)
      learned = learn(part, model, file, Result<std::string>(**text), errors) || learned;
  }
  return learned;
}

Status Planning::keep_facts(double now) {
  const std::set<std::string> sources = fact_sources();
  for (const plan::Stage& stage : plan_.stages) {
    if (!sources.contains(stage.spec.name) || stage.digest == Digest{} || !stage.provided.empty())
      continue;
    for (const auto& [runner, model] : models_of(stage)) {
      const auto& source = parts_[runner].manifest.fact_source;
      if (!source || source->stage != stage.spec.name) continue;
      const auto text =
          fact_text(files_, layout_.artifact_out(stage.id) + "/" + source->file, *source);
      if (!text) continue;  // not made
      const std::string name = kept_name(stage, source->file);
      ORCH_ASSIGN(const auto kept, store_->resolution(k_fact_file, name));
      if (kept != *text) ORCH_TRY(store_->put_resolution(k_fact_file, name, *text, now));
    }
  }
  return {};
}

// Several, because models may share a source or a provided output, and runners may share a stage.
std::set<std::pair<std::size_t, std::string>> Planning::models_of(const plan::Stage& stage) const {
  std::set<std::pair<std::size_t, std::string>> models;
  for (const std::size_t point : stage.points)
    models.emplace(plan_.points[point].runner, plan_.points[point].point.model);
  return models;
}

bool Planning::learn_from(const plan::Stage& stage, const std::string& folder, Errors& errors) {
  bool learned = false;
  for (const auto& [runner, model] : models_of(stage)) {
    Part& part = parts_[runner];
    const auto& source = part.manifest.fact_source;
    if (source && source->stage == stage.spec.name)
      learned = learn(part, model, folder + "/" + source->file, errors) || learned;
  }
  return learned;
}

// Reads the facts of MODEL from FILE. Returns whether they are new.
bool Planning::learn(Part& part, const std::string& model, const std::string& file,
                     Errors& errors) {
  if (model.empty() || part.known.models[model].complete || !files_.exists(file)) return false;
  return learn(part, model, file, fact_text(files_, file, *part.manifest.fact_source), errors);
}

bool Planning::learn(Part& part, const std::string& model, const std::string& file,
                     const Result<std::string>& text, Errors& errors) {
  auto& known = part.known.models;
  if (model.empty() || known[model].complete) return false;
  const auto facts = text ? matrix::read_model_facts(part.manifest.model_facts, *text, file,
                                                     part.manifest.fact_source->places)
                          : Result<matrix::ModelFacts>(text.error());
  if (!facts) {
    errors.push_back(facts.error());
    return false;
  }
  known[model] = *facts;
  known[model].complete = true;
  compare_with_catalogue(part, model, file);
  return true;
}

// Notes contradictions between the catalogue and FILE, which has been read and takes precedence.
// Facts that the runner does not state for any model are not compared.
void Planning::compare_with_catalogue(Part& part, const std::string& model,
                                      const std::string& file) {
  const auto known = part.known.catalogue.find(model);
  if (known == part.known.catalogue.end()) return;
  std::vector<std::string> differences;
  std::set<std::string> stated;
  for (const auto& [source, facts] : part.manifest.known_models)
    for (const auto& [name, value] : facts) stated.insert(name);
  for (const matrix::ModelFact& fact : part.manifest.model_facts) {
    if (!stated.contains(fact.column.name)) continue;
    const auto value_in = [&](const std::map<std::string, matrix::Value>& values) {
      const auto value = values.find(fact.column.name);
      if (value != values.end()) return value->second.text;
      return fact.absent ? fact.absent->text : std::string("nothing");
    };
    const std::string assumed = value_in(known->second),
                      read = value_in(part.known.models[model].values);
    if (assumed != read)
      differences.push_back(
          fmt::format("{} is {}, not {}", fact.column.name, printable(read), assumed));
  }
  if (differences.empty()) return;
  is_contradicted_ = true;
  contradictions_.push_back(
      fmt::format("model {}: {} differs from what runner '{}' knows of {}: {}; the file counts, "
                  "and points were "
                  "planned again",
                  quoted(model), file, part.manifest.name,
                  experiment_.matrix.models.at(model).source, join(differences, "; ")));
}

std::vector<std::string> Planning::assumed_facts() const {
  std::vector<std::string> lines;
  for (std::size_t runner = 0; runner < parts_.size(); ++runner) {
    const Part& part = parts_[runner];
    std::set<std::string> used;
    for (const plan::PlannedPoint& point : plan_.points)
      if (point.runner == runner) used.insert(point.point.model);
    for (const auto& [name, facts] : part.known.catalogue) {
      const auto read = part.known.models.find(name);
      if (!used.contains(name) || (read != part.known.models.end() && read->second.complete))
        continue;
      const matrix::Model& model = experiment_.matrix.models.at(name);
      if (states_all(model, facts)) continue;
      lines.push_back(fmt::format(
          "facts of model {} are those that runner '{}' knows of {}{}; `run` compares them with "
          "its {} before anything is made",
          quoted(name), part.manifest.name, model.source,
          model.facts.empty() ? "" : ", and those that the matrix states",
          part.manifest.fact_source->file));
    }
  }
  return lines;
}

plan::Comparison Planning::comparison() const {
  std::vector<std::span<const matrix::Parameter>> parameters;
  for (const Part& part : parts_) parameters.emplace_back(part.manifest.parameters);
  return plan::compare_runners(plan_, experiment_.matrix, parameters);
}

}  // namespace orch::session
