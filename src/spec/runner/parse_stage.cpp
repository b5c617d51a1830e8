// `stages:` of runner.yaml: keys that every stage has.
#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/manifest_reader.hpp"
#include "spec/runner/manifest_sections.hpp"
#include "spec/runner/stage_entry.hpp"
#include "spec/runner/symbol_check.hpp"

namespace orch::runner {

using Answer = matrix::Question::Answer;

namespace {

constexpr std::string_view k_file_symbol = "file:";

// Reports NEED, which does not name a stage above this one. STAGES: the map of all stages.
void refuse_need(StageEntry& entry, const Yaml& need, const Yaml& stages) {
  const std::string& name = entry.stage.name;
  if (need.text == name) return entry.fail(need.where, "stage '{}' needs itself; remove it", name);
  std::vector<std::string> names;
  for (const auto& [key, value] : stages.entries) {
    names.push_back(key.text);
    if (key.text != need.text) continue;
    if (key.where.file == entry.key.where.file)
      return entry.fail(
          need.where, "stage '{}' needs '{}', which is not a stage above it; move '{}' above '{}'",
          name, need.text, need.text, name);
    return entry.fail(
        need.where,
        "stage '{0}' needs '{1}' of {2}, but the stages of a part follow those of the "
        "manifest; move '{0}' into a part that is listed after that file",
        name, need.text, key.where.file);
  }
  entry.fail(need.where, "stage '{}' needs {}, which is not a stage{}", name, quoted(need.text),
             entry.reader.suggest(need.text, names));
}

// Needs must name earlier stages, which determines the order of work and rules out cycles.
void read_needs(StageEntry& entry, const Yaml& stages) {
  StageKind& stage = entry.stage;
  const bool measures = stage.kind == Kind::measure;
  bool all_known = true;
  std::vector<std::pair<const Yaml*, const StageKind*>> services;  // that a measurement needs
  for (const Yaml* need : entry.reader.list(entry.map, "needs")) {
    stage.needs.push_back(need->text);
    const StageKind* needed = entry.manifest.find(need->text);
    if (!needed) {
      all_known = false;
      refuse_need(entry, *need, stages);
      continue;
    }
    const bool serves = needed->kind == Kind::service;
    if (entry.kind_known && (needed->kind == Kind::measure || (serves && !measures)))
      entry.fail(need->where, "stage '{}' is a {} and cannot need the {} '{}'", stage.name,
                 to_string(stage.kind), to_string(needed->kind), needed->name);
    if (serves && measures) services.emplace_back(need, needed);
  }
  if (entry.kind_known && all_known && measures && services.empty())
    entry.fail(entry.key_node("needs") ? entry.key_node("needs")->where : entry.key.where,
               "stage '{}' measures no service; it must need exactly one", stage.name);
  if (services.size() < 2) return;
  for (const auto& [need, service] : services)
    if (!service->when)
      entry.fail(
          need->where,
          "stage '{}' measures several services, and '{}' has no 'when'; give each a 'when' that "
          "leaves exactly one of them at every point",
          stage.name, service->name);
}

void read_reads(StageEntry& entry) {
  StageKind& stage = entry.stage;
  std::vector<std::string> parameters, compared;
  for (const matrix::Parameter& parameter : entry.manifest.parameters)
    (parameter.is_compared ? compared : parameters).push_back(parameter.name);
  for (const Yaml* name : entry.reader.list(entry.map, "reads")) {
    stage.reads.push_back(name->text);
    if (contains(compared, name->text)) {
      entry.fail(name->where,
                 "stage '{}' reads {}, which only compares points and is in no digest; read the "
                 "parameters that it is computed from",
                 stage.name, quoted(name->text));
      continue;
    }
    if (contains(parameters, name->text)) continue;
    entry.fail(name->where, "stage '{}' reads {}, which is not among the parameters{}", stage.name,
               quoted(name->text),
               entry.reader.suggest(name->text, parameters, "; declare it there"));
  }
}

void read_digest_files(StageEntry& entry) {
  StageKind& stage = entry.stage;
  stage.executables =
      entry.reader.texts(entry.map, "executables", "executable", refuse_absolute_path);
  for (const Yaml* path : entry.reader.list(entry.map, "files")) {
    stage.files.push_back(path->text);
    stage.named_files.emplace(path->text, path->where);
    if (const auto why = refuse_inner_path(path->text))
      entry.fail(path->where, "file {} {}", quoted(path->text), *why);
  }
}

void read_environment(StageEntry& entry) {
  StageKind& stage = entry.stage;
  for (const Yaml::Entry* variable : entry.reader.entries(entry.map, "env")) {
    const auto& [name, value] = *variable;
    if (const auto why = refuse_environment_name(name.text))
      entry.fail(name.where, "{} in 'env' {}", quoted(name.text), *why);
    stage.env[name.text] = value.text;
    entry.filled.push_back({&value});
  }
  read_inherited(entry.map, "inherit", stage.inherit, entry.reader);
  read_inherited(entry.map, "secrets", stage.secrets, entry.reader);
  for (const std::string& secret : stage.secrets)
    if (stage.env.contains(secret))
      entry.fail(
          entry.key_node("secrets")->where,
          "{} of stage '{}' is in 'secrets' and in 'env', which is recorded; remove it from 'env'",
          quoted(secret), stage.name);
}

// Conditions on points, repeats and machines.
void read_conditions(StageEntry& entry) {
  StageKind& stage = entry.stage;
  if (const Yaml* when = entry.map.take_fitting("when"))
    stage.when = entry.ask("'when'", *when, Answer::truth);
  if (entry.has("per_gpu_model", Kind::task)) entry.map.take("per_gpu_model", stage.per_gpu_model);
  if (entry.has("repeat", Kind::task))
    stage.repeat_build = entry.map.take_fitting("repeat") != nullptr;
}

bool is_token_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
  });
}

void read_tokens(StageEntry& entry, YamlMap& resources) {
  for (const Yaml::Entry* token : entry.reader.entries(resources, "tokens")) {
    const auto& [key, count] = *token;
    if (!is_token_name(key.text))
      entry.fail(key.where, "{} is not a token name; use letters, digits, '.', '_' and '-'",
                 quoted(key.text));
    else
      entry.stage.tokens[key.text] =
          entry.ask(fmt::format("'tokens.{}'", key.text), count, Answer::number);
  }
}

// The answers are only estimates, so no point waits for the facts that they read.
std::vector<std::size_t> read_times(StageEntry& entry, YamlMap& resources, std::string_view key) {
  std::vector<std::size_t> questions;
  const Yaml* node = resources.take_fitting(key);
  if (!node) return questions;
  for (const Yaml& sql : node->is_list() ? std::span(node->items) : std::span(node, 1)) {
    questions.push_back(entry.ask(fmt::format("'{}'", key), sql, Answer::number));
    entry.manifest.questions.back().estimates = true;
  }
  return questions;
}

void read_resources(StageEntry& entry) {
  auto map = entry.map.section("resources");
  if (!map) return;
  const auto ask = [&](std::string_view key, Answer answer) -> std::optional<std::size_t> {
    const Yaml* sql = map->take_fitting(key);
    if (!sql) return std::nullopt;
    if (const auto number = to_real(sql->text); answer == Answer::number && number && *number < 0)
      entry.fail(sql->where, "'{}' must be at least 0, not {}", key, quoted(sql->text));
    return entry.ask(fmt::format("'{}'", key), *sql, answer);
  };
  StageKind& stage = entry.stage;
  stage.gpus = ask("gpus", Answer::number);
  stage.driver = ask("driver", Answer::truth);
  stage.cores = ask("cores", Answer::number);
  stage.cpus = ask("cpus", Answer::number);
  stage.memory_gib = ask("memory_gib", Answer::number);
  read_tokens(entry, *map);
  stage.disk_gib = ask("disk_gib", Answer::number);
  stage.seconds = read_times(entry, *map, "seconds");
  stage.expected_seconds = read_times(entry, *map, "expected_seconds");
}

void check_work(StageEntry& entry) {
  const StageKind& stage = entry.stage;
  const bool fills = !stage.render.empty() || !stage.copy.empty();
  if (!entry.key_node("argv") && (stage.kind != Kind::task || !fills))
    entry.fail(entry.key.where, "stage '{}' has nothing to do; give it 'argv'", stage.name);
  if (entry.kind_known && stage.kind != Kind::service && !entry.key_node("outputs"))
    entry.fail(entry.key.where,
               "stage '{}' declares no 'outputs'; name the files that prove it worked", stage.name);
}

// Called when every name that a symbol may have is known.
void check_symbols(StageEntry& entry) {
  const SymbolCheck symbols(entry.stage, entry.manifest, entry.reader);
  for (const auto& [text, counts] : entry.filled) {
    symbols.check(*text, counts);
    for (const render::Symbol& symbol : render::find_symbols(text->text))
      if (symbol.name.starts_with(k_file_symbol))
        entry.stage.named_files.emplace(symbol.name.substr(k_file_symbol.size()),
                                        text->places.at(symbol.offset));
  }
}

StageKind read_stage(const Yaml::Entry& one, const Yaml& stages, Manifest& manifest,
                     ManifestReader& reader) {
  const auto& [key, node] = one;
  StageEntry entry{.key = key,
                   .node = node,
                   .manifest = manifest,
                   .reader = reader,
                   .map = YamlMap(node, keys::k_stage, fmt::format("stage {}", quoted(key.text)),
                                  reader.errors())};
  StageKind& stage = entry.stage;
  stage.name = key.text;
  stage.where = key.where;
  if (const auto why = refuse_stage_name(key.text))
    entry.fail(key.where, "{} {}", quoted(key.text), *why);
  if (!node.is_map() && !node.is_null()) return std::move(stage);
  entry.kind_known = entry.map.take("kind", stage.kind) != nullptr;
  read_needs(entry, stages);
  read_reads(entry);
  read_digest_files(entry);
  ArgvReader argv(entry);
  read_argv(entry, argv);
  read_version(entry);
  read_environment(entry);
  read_files(entry);
  read_batch(entry, argv);
  read_conditions(entry);
  read_resources(entry);
  const Nodes container_texts = read_container(entry, argv);
  read_service(entry);
  entry.map.take("timeout_s", stage.timeout_s);
  entry.map.take("help", stage.help);
  check_work(entry);
  check_symbols(entry);
  check_container(entry, container_texts);
  return std::move(stage);
}

}  // namespace

bool StageEntry::has(std::string_view name, Kind kind) {
  const Yaml* found = key_node(name);
  if (!found || !kind_known || stage.kind == kind) return found != nullptr;
  fail(found->where, "'{}' is for a {}, and stage '{}' is a {}; remove it", name, to_string(kind),
       stage.name, to_string(stage.kind));
  return false;
}

const Yaml* StageEntry::key_node(std::string_view name) const {
  const auto found = std::ranges::find_if(
      node.entries, [&](const Yaml::Entry& one) { return one.key.text == name; });
  return found == node.entries.end() ? nullptr : &found->key;
}

std::size_t StageEntry::ask(std::string_view what, const Yaml& sql, Answer answer, bool reads_all) {
  matrix::Question question{.what = fmt::format("{} of stage '{}'", what, stage.name),
                            .sql = sql.text,
                            .where = sql.places,
                            .answer = answer,
                            .may_read = stage.reads,
                            .may_read_all = reads_all};
  for (const matrix::ModelFact& fact : manifest.model_facts)
    question.may_read.push_back(fact.column.name);
  for (const matrix::Parameter& fact : matrix::host_facts()) question.may_read.push_back(fact.name);
  manifest.questions.push_back(std::move(question));
  return manifest.questions.size() - 1;
}

void read_stages(YamlMap& map, Manifest& manifest, ManifestReader& reader) {
  const Yaml* stages = map.take("stages");
  if (!stages && (map.node().is_map() || map.node().is_null()))
    reader.fail(map.node().where, "the manifest has no 'stages'; add it");
  for (const Yaml::Entry* one : reader.entries(map, "stages"))
    manifest.stages.push_back(read_stage(*one, *stages, manifest, reader));
}

}  // namespace orch::runner
