#include "spec/runner/manifest.hpp"

#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/ranks/mpi_ranks.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/manifest_sections.hpp"

namespace orch::runner {

namespace {

// NAME from ".../runners/NAME/runner.yaml"; "" for any other FILE.
std::string folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.parent_path().filename() == "runners" ? folder.filename().string() : "";
}

bool has_mpirun(const std::vector<Fragment>& argv) {
  return std::ranges::any_of(argv, [&](const Fragment& fragment) {
    return std::ranges::any_of(fragment.words, ranks::is_mpirun) || has_mpirun(fragment.parts);
  });
}

void read_name(YamlMap& map, Manifest& manifest, ManifestReader& reader) {
  const Yaml* name = map.take("runner", manifest.name);
  if (!name) return;
  const std::string folder = folder_of(manifest.file);
  if (const auto why = matrix::refuse_free_name(name->text))
    reader.fail(name->where, "runner {}: {}", quoted(name->text), *why);
  else if (!folder.empty() && folder != name->text)
    reader.fail(name->where, "the runner {} is in the folder runners/{}; write runner: {}",
                quoted(name->text), folder, folder);
}

void read_manifest(const Yaml& root, Manifest& manifest, ManifestReader& reader) {
  YamlMap map(root, keys::k_manifest, "the manifest", reader.errors());
  read_name(map, manifest, reader);
  map.take("description", manifest.description);
  for (const auto read : {read_versions, read_parameters, read_facts, read_rules, read_resolvers,
                          read_default_container, read_stages})
    read(map, manifest, reader);
  check_fact_source(manifest, reader);
  check_versions(manifest, reader);
}

}  // namespace

std::vector<std::string> symbols_of(const Container& container) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& text) {
    for (std::string& name : render::symbols_of(text)) names.push_back(std::move(name));
  };
  for (const std::string* text : {&container.image, &container.engine, &container.shm_size,
                                  &container.network, &container.ipc})
    add(*text);
  for (const auto& [name, limit] : container.ulimits) add(limit);
  for (const auto& option : container.options) add(option.text);
  for (const std::string& folder : container.folders) add(folder);
  return names;
}

const StageKind* Manifest::find(std::string_view stage) const {
  for (const StageKind& kind : stages)
    if (kind.name == stage) return &kind;
  return nullptr;
}

const matrix::Parameter* Manifest::parameter(std::string_view called) const {
  const auto found = std::ranges::find(parameters, called, &matrix::Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

const matrix::Parameter* Manifest::column(std::string_view called) const {
  if (const matrix::Parameter* found = parameter(called)) return found;
  for (const matrix::ModelFact& fact : model_facts)
    if (fact.column.name == called) return &fact.column;
  for (const matrix::Parameter& fact : matrix::host_facts())
    if (fact.name == called) return &fact;
  return nullptr;
}

const Resolver* Manifest::resolver_of(std::string_view source) const {
  for (const Resolver& resolver : resolvers)
    if (source.starts_with(resolver.scheme + ":")) return &resolver;
  return nullptr;
}

matrix::Vocabulary Manifest::vocabulary() const {
  matrix::Vocabulary vocabulary{.runner = name,
                                .parameters = parameters,
                                .rules = rules,
                                .read = {},
                                .stages = {},
                                .model_facts = model_facts,
                                .questions = questions,
                                .versions = versions};
  for (const StageKind& stage : stages) {
    vocabulary.read.insert(vocabulary.read.end(), stage.reads.begin(), stage.reads.end());
    vocabulary.stages.push_back(stage.name);
    if (stage.container)
      for (std::string& symbol : symbols_of(*stage.container))
        vocabulary.read.push_back(std::move(symbol));
  }
  // A stage that requests more GPUs than exist can never start. The ranks of a server may use the
  // GPUs of several nodes.
  for (const StageKind& stage : stages) {
    if (!stage.gpus) continue;
    const matrix::Question& gpus = questions[*stage.gpus];
    const bool is_name = is_column_name(gpus.sql);
    const std::string used =
        stage.when ? fmt::format("({}) AND ", questions[*stage.when].sql) : std::string();
    const std::string needs = fmt::format("stage '{}' needs {} of ", stage.name,
                                          is_name ? fmt::format("{{{}}}", gpus.sql) : gpus.sql);
    const bool is_divided = stage.kind == Kind::service && has_mpirun(stage.fragments);
    vocabulary.rules.push_back({.name = "gpus-of-" + stage.name,
                                .require = fmt::format("({}) <= host_gpus", gpus.sql),
                                .because = needs + "the machine's {host_gpus} GPUs",
                                .where = gpus.where.first(),
                                .when = fmt::format("{}({}) > 0{}", used, gpus.sql,
                                                    is_divided ? " AND host_nodes = 1" : ""),
                                .when_where = gpus.where.first()});
    if (is_divided)
      vocabulary.rules.push_back(
          {.name = "nodes-of-" + stage.name,
           .require = fmt::format("({}) <= host_gpus * host_nodes", gpus.sql),
           .because = needs + "the nodes' {host_nodes} x {host_gpus} GPUs",
           .where = gpus.where.first(),
           .when = fmt::format("{}({}) > 0 AND host_nodes > 1", used, gpus.sql),
           .when_where = gpus.where.first()});
  }
  return vocabulary;
}

Manifest parse_manifest(std::string_view text, const std::string& file, Errors& errors,
                        const ReadPart& read_part) {
  Manifest manifest;
  manifest.file = file;
  auto root = parse_yaml(text, file);
  if (!root) {
    errors.push_back(root.error());
    return manifest;
  }
  const std::size_t before = errors.size();
  ManifestReader reader(errors);
  // Without a part, much of the rest would appear to be wrong.
  if (join_parts(*root, file, read_part, reader)) {
    insert_fragments(*root, reader);
    read_manifest(*root, manifest, reader);
    read_known_models(manifest, read_part, reader);
  }
  sort_by_place(errors, before);
  if (reader.is_full())
    errors.push_back(invalid(
        fmt::format("these are the first {} errors; correct them and check again", k_most_errors),
        {file, 0, 0}));
  return manifest;
}

}  // namespace orch::runner
