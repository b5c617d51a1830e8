// `stages:` of runner.yaml: keys that every stage has.
#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/manifest_reader.hpp"
#include "spec/runner/manifest_sections.hpp"
#include "spec/runner/stage_reader.hpp"
#include "spec/runner/symbol_check.hpp"

namespace orch::runner {

using Answer = matrix::Question::Answer;

namespace {

constexpr std::string_view k_file_symbol = "file:";

}  // namespace

StageReader::StageReader(const Yaml& key, const Yaml& node, const Yaml& stages, Manifest& manifest,
                         ManifestReader& reader)
    : key_(key),
      node_(node),
      stages_(stages),
      manifest_(manifest),
      reader_(reader),
      map_(node, keys::k_stage, fmt::format("stage {}", quoted(key.text)), reader.errors()) {
  stage_.name = key.text;
  stage_.where = key.where;
}

StageKind StageReader::read() {
  if (const auto why = refuse_stage_name(key_.text))
    fail(key_.where, "{} {}", quoted(key_.text), *why);
  if (!node_.is_map() && !node_.is_null()) return std::move(stage_);
  kind_known_ = map_.take("kind", stage_.kind) != nullptr;
  read_needs();
  read_reads();
  read_digest_files();
  read_argv();
  read_version();
  read_environment();
  read_tools();
  read_outputs();
  read_rendered();
  read_copied();
  read_placed();
  read_batch();
  read_conditions();
  read_resources();
  read_container();
  read_agree();
  read_ports();
  read_ready();
  read_smoke();
  read_identity();
  read_shared_memory();
  map_.take("timeout_s", stage_.timeout_s);
  map_.take("help", stage_.help);
  check_work();
  check_symbols();
  check_container();
  return std::move(stage_);
}

// Needs must name earlier stages, which determines the order of work and rules out cycles.
void StageReader::read_needs() {
  std::vector<std::pair<const Yaml*, const StageKind*>> services;
  for (const Yaml* need : reader_.list(map_, "needs")) {
    stage_.needs.push_back(need->text);
    const StageKind* needed = manifest_.find(need->text);
    needs_known_ = needs_known_ && needed;
    if (needed) check_service_need(*need, *needed, services);
    else refuse_need(*need);
  }
  if (kind_known_ && needs_known_ && stage_.kind == Kind::measure && services.empty())
    fail(key_node("needs") ? key_node("needs")->where : key_.where,
         "stage '{}' measures no service; it must need exactly one", stage_.name);
  if (services.size() < 2) return;
  for (const auto& [need, service] : services)
    if (!service->when)
      fail(need->where,
           "stage '{}' measures several services, and '{}' has no 'when'; give each a 'when' that "
           "leaves exactly one of them at every point",
           stage_.name, service->name);
}

// Reports NEED, which does not name a stage above this one.
void StageReader::refuse_need(const Yaml& need) {
  if (need.text == stage_.name)
    return fail(need.where, "stage '{}' needs itself; remove it", stage_.name);
  std::vector<std::string> names;
  for (const auto& [key, value] : stages_.entries) {
    names.push_back(key.text);
    if (key.text != need.text) continue;
    if (key.where.file == key_.where.file)
      return fail(need.where,
                  "stage '{}' needs '{}', which is not a stage above it; move '{}' above '{}'",
                  stage_.name, need.text, need.text, stage_.name);
    return fail(need.where,
                "stage '{0}' needs '{1}' of {2}, and what is in a part follows what is in the "
                "manifest; write '{0}' into a part that is listed behind that file",
                stage_.name, need.text, key.where.file);
  }
  fail(need.where, "stage '{}' needs {}, which is no stage{}", stage_.name, quoted(need.text),
       reader_.suggest(need.text, names));
}

void StageReader::check_service_need(
    const Yaml& need, const StageKind& needed,
    std::vector<std::pair<const Yaml*, const StageKind*>>& services) {
  const bool measures = stage_.kind == Kind::measure;
  if (kind_known_ && (needed.kind == Kind::measure || (needed.kind == Kind::service && !measures)))
    fail(need.where, "stage '{}' is a {} and cannot need the {} '{}'", stage_.name,
         to_string(stage_.kind), to_string(needed.kind), needed.name);
  if (needed.kind == Kind::service && measures) services.emplace_back(&need, &needed);
}

void StageReader::read_reads() {
  std::vector<std::string> parameters, compared;
  for (const matrix::Parameter& parameter : manifest_.parameters)
    (parameter.is_compared ? compared : parameters).push_back(parameter.name);
  for (const Yaml* name : reader_.list(map_, "reads")) {
    stage_.reads.push_back(name->text);
    if (std::ranges::find(compared, name->text) != compared.end()) {
      fail(name->where,
           "stage '{}' reads {}, which points are compared by and no digest holds; read the "
           "parameters that compute it",
           stage_.name, quoted(name->text));
      continue;
    }
    if (std::ranges::find(parameters, name->text) != parameters.end()) continue;
    const std::string near = reader_.suggest(name->text, parameters);
    fail(name->where, "stage '{}' reads {}, which is not among the parameters{}", stage_.name,
         quoted(name->text), near.empty() ? "; declare it there" : near);
  }
}

void StageReader::read_digest_files() {
  stage_.executables = reader_.texts(map_, "executables", "executable", refuse_absolute_path);
  for (const Yaml* path : reader_.list(map_, "files")) {
    stage_.files.push_back(path->text);
    stage_.named_files.emplace(path->text, path->where);
    if (const auto why = refuse_inner_path(path->text))
      fail(path->where, "file {} {}", quoted(path->text), *why);
  }
}

void StageReader::read_environment() {
  for (const Yaml::Entry* variable : reader_.entries(map_, "env")) {
    const auto& [name, value] = *variable;
    if (const auto why = refuse_environment_name(name.text))
      fail(name.where, "{} in 'env' {}", quoted(name.text), *why);
    stage_.env[name.text] = value.text;
    filled_.push_back(&value);
  }
  read_inherited(map_, "inherit", stage_.inherit, reader_);
  read_inherited(map_, "secrets", stage_.secrets, reader_);
  for (const std::string& secret : stage_.secrets)
    if (stage_.env.contains(secret))
      fail(key_node("secrets")->where,
           "{} of stage '{}' is in 'secrets' and in 'env', which is recorded; remove it from 'env'",
           quoted(secret), stage_.name);
}

void StageReader::read_tools() {
  auto map = map_.section("tools");
  if (!map) return;
  Tools tools;
  if (const Yaml* from = map->take("from", tools.from)) {
    filled_.push_back(from);
    check_upstream(*from, "tools.from");
  }
  tools.names = texts_of(reader_.list(*map, "names"));
  stage_.tools = std::move(tools);
}

// Conditions on points, repeats and machines.
void StageReader::read_conditions() {
  if (const Yaml* when = map_.take_fitting("when"))
    stage_.when =
        question(fmt::format("'when' of stage '{}'", stage_.name), *when, Answer::truth, true);
  if (has("per_gpu_model", Kind::task)) map_.take("per_gpu_model", stage_.per_gpu_model);
  if (has("repeat", Kind::task)) stage_.repeat_build = map_.take_fitting("repeat") != nullptr;
}

void StageReader::read_resources() {
  auto map = map_.section("resources");
  if (!map) return;
  const auto ask = [&](std::string_view key, Answer answer) -> std::optional<std::size_t> {
    const Yaml* sql = map->take_fitting(key);
    if (!sql) return std::nullopt;
    if (const auto number = to_real(sql->text); answer == Answer::number && number && *number < 0)
      fail(sql->where, "'{}' must be at least 0, not {}", key, quoted(sql->text));
    return question(fmt::format("'{}' of stage '{}'", key, stage_.name), *sql, answer, true);
  };
  stage_.gpus = ask("gpus", Answer::number);
  stage_.driver = ask("driver", Answer::truth);
  stage_.cores = ask("cores", Answer::number);
  stage_.cpus = ask("cpus", Answer::number);
  stage_.memory_gib = ask("memory_gib", Answer::number);
  read_tokens(*map);
  stage_.disk_gib = ask("disk_gib", Answer::number);
  stage_.seconds = read_times(*map, "seconds");
  stage_.expected_seconds = read_times(*map, "expected_seconds");
}

// Estimates decide nothing, so missing facts do not delay them.
std::vector<std::size_t> StageReader::read_times(YamlMap& map, std::string_view key) {
  std::vector<std::size_t> questions;
  const Yaml* node = map.take_fitting(key);
  if (!node) return questions;
  for (const Yaml& sql : node->is_list() ? std::span(node->items) : std::span(node, 1)) {
    questions.push_back(
        *question(fmt::format("'{}' of stage '{}'", key, stage_.name), sql, Answer::number, true));
    manifest_.questions.back().estimates = true;
  }
  return questions;
}

bool StageReader::is_token_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
  });
}

void StageReader::read_tokens(YamlMap& map) {
  for (const Yaml::Entry* token : reader_.entries(map, "tokens")) {
    const auto& [key, count] = *token;
    if (!is_token_name(key.text))
      fail(key.where, "{} is no name of a token; write letters, digits, '.', '_' and '-'",
           quoted(key.text));
    else
      stage_.tokens[key.text] =
          *question(fmt::format("'tokens.{}' of stage '{}'", key.text, stage_.name), count,
                    Answer::number, true);
  }
}

std::optional<std::size_t> StageReader::question(const std::string& what, const Yaml& sql,
                                                 Answer answer, bool reads_all) {
  matrix::Question question{.what = what,
                            .sql = sql.text,
                            .where = sql.places,
                            .answer = answer,
                            .may_read = stage_.reads,
                            .may_read_all = reads_all};
  for (const matrix::ModelFact& fact : manifest_.model_facts)
    question.may_read.push_back(fact.column.name);
  for (const matrix::Parameter& fact : matrix::host_facts()) question.may_read.push_back(fact.name);
  manifest_.questions.push_back(std::move(question));
  return manifest_.questions.size() - 1;
}

bool StageReader::has(std::string_view key, Kind kind) {
  const Yaml* node = key_node(key);
  if (!node || !kind_known_ || stage_.kind == kind) return node != nullptr;
  fail(node->where, "'{}' is for a {}, and stage '{}' is a {}; remove it", key, to_string(kind),
       stage_.name, to_string(stage_.kind));
  return false;
}

const Yaml* StageReader::key_node(std::string_view key) const {
  for (const auto& [name, value] : node_.entries)
    if (name.text == key) return &name;
  return nullptr;
}

void StageReader::check_work() {
  const bool fills = !stage_.render.empty() || !stage_.copy.empty();
  if (!key_node("argv") && (stage_.kind != Kind::task || !fills))
    fail(key_.where, "stage '{}' has nothing to do; give it 'argv'", stage_.name);
  if (kind_known_ && stage_.kind != Kind::service && !key_node("outputs"))
    fail(key_.where, "stage '{}' declares no 'outputs'; name the files that prove it worked",
         stage_.name);
}

// Called when every name that a symbol may have is known.
void StageReader::check_symbols() {
  const SymbolCheck symbols(stage_, manifest_, reader_);
  const std::vector<std::string> none;
  for (const Yaml* text : filled_) {
    const auto counts = counts_.find(text);
    symbols.check(*text, counts == counts_.end() ? none : counts->second);
    for (const render::Symbol& symbol : render::find_symbols(text->text))
      if (symbol.name.starts_with(k_file_symbol))
        stage_.named_files.emplace(symbol.name.substr(k_file_symbol.size()),
                                   text->places.at(symbol.offset));
  }
}

void read_stages(YamlMap& map, Manifest& manifest, ManifestReader& reader) {
  const Yaml* stages = map.take("stages");
  if (!stages && (map.node().is_map() || map.node().is_null()))
    reader.fail(map.node().where, "the manifest has no 'stages'; add it");
  for (const Yaml::Entry* one : reader.entries(map, "stages"))
    manifest.stages.push_back(StageReader(one->key, one->value, *stages, manifest, reader).read());
}

}  // namespace orch::runner
