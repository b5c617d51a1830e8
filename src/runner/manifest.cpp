#include "runner/manifest.hpp"

#include "base/text.hpp"
#include "base/yaml.hpp"
#include "matrix/names.hpp"
#include "runner/symbols.hpp"

namespace orch::runner {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::task: return "task";
    case Kind::service: return "service";
    case Kind::measure: return "measure";
  }
  return "";
}

const StageKind* Manifest::find(std::string_view stage) const {
  for (const StageKind& kind : stages)
    if (kind.name == stage) return &kind;
  return nullptr;
}

matrix::Vocabulary Manifest::vocabulary() const {
  matrix::Vocabulary vocabulary{.runner = name, .parameters = parameters, .rules = rules, .read = {}};
  for (const StageKind& stage : stages)
    vocabulary.read.insert(vocabulary.read.end(), stage.reads.begin(), stage.reads.end());
  return vocabulary;
}

namespace {

bool is_stage_name(std::string_view text) {
  return text.size() <= 32 && matrix::is_column_name(text);
}

// A path that stays inside the folder it is relative to.
bool is_inner_path(const std::string& path) {
  if (path.empty() || path[0] == '/') return false;
  for (const std::string& part : split(path, '/'))
    if (part.empty() || part == "." || part == "..") return false;
  return true;
}

class Parser {
 public:
  Parser(Manifest& manifest, Errors& errors) : manifest_(manifest), errors_(errors) {}

  void parse(const Yaml& root) {
    YamlMap map(root, "the manifest", errors_);
    if (const Yaml* name = map.require("runner"); name && name->is_scalar()) manifest_.name = name->text;
    manifest_.description = map.take_text("description").value_or("");
    if (const Yaml* parameters = map.take("parameters")) parse_parameters(*parameters);
    if (const Yaml* rules = map.take("rules")) parse_rules(*rules);
    if (const Yaml* stages = map.require("stages")) parse_stages(*stages);
    map.finish();
    check_needs();
    check_symbols(manifest_, errors_);
  }

 private:
  void fail(std::string message, const Location& where) { errors_.push_back(invalid(std::move(message), where)); }

  void parse_parameters(const Yaml& node) {
    if (!node.is_map()) return fail("'parameters' must be a map of names", node.where);
    for (const auto& [key, value] : node.entries) {
      if (const auto why = matrix::refuse_column_name(key.text)) fail(fmt::format("parameter '{}': {}", key.text, *why), key.where);
      else if (is_built_in_symbol(key.text)) fail(fmt::format("parameter '{0}': {{{0}}} has a meaning of its own in a runner; choose another name", key.text), key.where);
      matrix::Parameter parameter{.name = key.text, .type = {}, .allowed = {}, .least = {}, .fallback = {}, .fallback_sql = {}, .help = {}, .where = key.where};
      YamlMap map(value, fmt::format("parameter '{}'", key.text), errors_);
      const Yaml* type = map.require("type");
      if (type) {
        const auto known = matrix::type_from(type->text);
        if (!known) fail(fmt::format("unknown type '{}'; write text, integer, real, boolean or version", type->text), type->where);
        parameter.type = known.value_or(matrix::Type::text);
      }
      parameter.allowed = map.take_texts("values");
      parameter.least = map.take_integer("min", INT64_MIN);
      parameter.fallback_sql = map.take_text("sql");
      parameter.help = map.take_text("help").value_or("");
      if (const Yaml* fallback = map.take("default")) {
        if (parameter.fallback_sql) fail("give 'default' or 'sql', not both", fallback->where);
        auto read = matrix::read_value(parameter, *fallback);
        if (read) parameter.fallback = *read;
        else errors_.push_back(read.error());
      }
      map.finish();
      manifest_.parameters.push_back(std::move(parameter));
    }
  }

  void parse_rules(const Yaml& node) {
    if (!node.is_list()) return fail("'rules' must be a list", node.where);
    for (const Yaml& item : node.items) {
      YamlMap map(item, "a rule", errors_);
      matrix::Rule rule{.name = {}, .require = {}, .because = {}, .where = item.where};
      if (const Yaml* name = map.require("name")) rule.name = name->text;
      if (const Yaml* require = map.require("require")) {
        rule.require = require->text;
        rule.where = require->where;
      }
      if (const Yaml* because = map.require("because")) rule.because = because->text;
      map.finish();
      manifest_.rules.push_back(std::move(rule));
    }
  }

  void parse_stages(const Yaml& node) {
    if (!node.is_map()) return fail("'stages' must be a map of names", node.where);
    for (const auto& [key, value] : node.entries) {
      if (!is_stage_name(key.text)) fail(fmt::format("'{}' is no stage name; use a-z, 0-9 and _, at most 32", key.text), key.where);
      manifest_.stages.push_back(parse_stage(key, value));
    }
  }

  StageKind parse_stage(const Yaml& key, const Yaml& node) {
    StageKind stage;
    stage.name = key.text;
    stage.where = key.where;
    YamlMap map(node, fmt::format("stage '{}'", key.text), errors_);
    if (const Yaml* kind = map.require("kind")) {
      if (kind->text == "task") stage.kind = Kind::task;
      else if (kind->text == "service") stage.kind = Kind::service;
      else if (kind->text == "measure") stage.kind = Kind::measure;
      else fail(fmt::format("unknown kind '{}'; write task, service or measure", kind->text), kind->where);
    }
    stage.needs = map.take_texts("needs");
    stage.reads = map.take_texts("reads");
    stage.executables = map.take_texts("executables");
    stage.files = map.take_texts("files");
    stage.argv = map.take_texts("argv");
    stage.env = take_text_map(map, "env");
    stage.inherit = map.take_texts("inherit");
    stage.outputs = map.take_texts("outputs");
    stage.in_place = map.take_bool("in_place").value_or(false);
    stage.batch = map.take_bool("batch").value_or(false);
    stage.job = take_text_map(map, "job");
    stage.timeout_s = map.take_seconds("timeout_s").value_or(stage.timeout_s);
    if (const Yaml* tools = map.take("tools")) {
      YamlMap entry(*tools, "'tools'", errors_);
      stage.tools = Tools{.from = take_required(entry, "from"), .names = entry.take_texts("names")};
      entry.finish();
    }
    parse_files(map, stage);
    if (stage.kind == Kind::service) parse_service(map, stage);
    map.finish();
    check_stage(stage);
    return stage;
  }

  void parse_files(YamlMap& map, StageKind& stage) {
    for (const Yaml* item : take_maps(map, "render")) {
      YamlMap entry(*item, "a 'render' entry", errors_);
      Render render{.from = take_required(entry, "from"), .to = take_required(entry, "to"), .values = take_text_map(entry, "values"), .where = item->where};
      entry.finish();
      stage.render.push_back(std::move(render));
    }
    for (const Yaml* item : take_maps(map, "copy")) {
      YamlMap entry(*item, "a 'copy' entry", errors_);
      stage.copy.push_back({.from = take_required(entry, "from"), .to = take_required(entry, "to"), .where = item->where});
      entry.finish();
    }
    for (const Yaml* item : take_maps(map, "place")) {
      YamlMap entry(*item, "a 'place' entry", errors_);
      stage.place.push_back({.from = take_required(entry, "from"), .to = take_required(entry, "to")});
      entry.finish();
    }
  }

  void parse_service(YamlMap& map, StageKind& stage) {
    stage.ports = map.take_texts("ports");
    stage.stop_s = map.take_seconds("stop_s").value_or(stage.stop_s);
    stage.shm_prefix = map.take_text("shm_prefix").value_or("");
    if (const Yaml* node = map.require("ready")) {
      YamlMap ready(*node, "'ready'", errors_);
      stage.ready = Ready{.port = take_required(ready, "port"), .get = ready.take_texts("get"), .timeout_s = ready.take_seconds("timeout_s").value_or(120)};
      ready.finish();
    }
    if (const Yaml* node = map.take("smoke")) {
      YamlMap smoke(*node, "'smoke'", errors_);
      stage.smoke = Smoke{.port = take_required(smoke, "port"), .post = take_required(smoke, "post"),
                          .body = take_required(smoke, "body"), .answer = take_required(smoke, "answer")};
      smoke.finish();
    }
  }

  void check_stage(const StageKind& stage) {
    if (stage.argv.empty() && (stage.kind != Kind::task || (stage.render.empty() && stage.copy.empty())))
      fail(fmt::format("stage '{}' has nothing to do; give it 'argv'", stage.name), stage.where);
    if (stage.kind != Kind::service && stage.outputs.empty())
      fail(fmt::format("stage '{}' declares no 'outputs'; name the files that prove it worked", stage.name), stage.where);
    if (stage.batch && stage.job.empty()) fail(fmt::format("stage '{}' is a batch without 'job'", stage.name), stage.where);
    for (const std::string& output : stage.outputs)
      if (!is_inner_path(output)) fail(fmt::format("output '{}' must be a path inside the stage's folder", output), stage.where);
    for (const Render& render : stage.render)
      if (!is_inner_path(render.to) || !is_inner_path(render.from)) fail(fmt::format("'{}' -> '{}' must be paths inside their folders", render.from, render.to), render.where);
    for (const Copy& copy : stage.copy)
      if (!is_inner_path(copy.to) || !is_inner_path(copy.from)) fail(fmt::format("'{}' -> '{}' must be paths inside their folders", copy.from, copy.to), copy.where);
    if (!stage.shm_prefix.empty() && stage.shm_prefix.find("{token}") == std::string::npos)
      fail(fmt::format("'shm_prefix' of stage '{}' must contain {{token}}: what begins with it is removed", stage.name), stage.where);
    auto check_port = [&](const std::string& port) {
      if (std::find(stage.ports.begin(), stage.ports.end(), port) == stage.ports.end())
        fail(fmt::format("stage '{}' has no port '{}'{}", stage.name, port, did_you_mean(port, stage.ports)), stage.where);
    };
    if (stage.ready) check_port(stage.ready->port);
    if (stage.smoke) check_port(stage.smoke->port);
  }

  // Needs must name earlier stages: that is the order of work and rules out cycles.
  void check_needs() {
    std::vector<std::string> earlier;
    for (const StageKind& stage : manifest_.stages) {
      std::size_t services = 0;
      for (const std::string& need : stage.needs) {
        const StageKind* needed = manifest_.find(need);
        services += needed && needed->kind == Kind::service;
        if (std::find(earlier.begin(), earlier.end(), need) == earlier.end())
          fail(fmt::format("stage '{}' needs '{}', which is not a stage above it{}", stage.name, need, did_you_mean(need, earlier)), stage.where);
        else if (needed->kind == Kind::measure || (needed->kind == Kind::service && stage.kind != Kind::measure))
          fail(fmt::format("stage '{}' is a {} and cannot need the {} '{}'", stage.name, to_string(stage.kind), to_string(needed->kind), need), stage.where);
      }
      if (stage.kind == Kind::measure && services != 1)
        fail(fmt::format("stage '{}' measures {} services; it must need exactly one", stage.name, services), stage.where);
      earlier.push_back(stage.name);
    }
  }

  std::string take_required(YamlMap& map, std::string_view key) {
    const Yaml* value = map.require(key);
    if (value && !value->is_scalar()) fail(fmt::format("'{}' must be one value, not {}", key, value->describe()), value->where);
    return value ? value->text : "";
  }

  std::map<std::string, std::string> take_text_map(YamlMap& map, std::string_view key) {
    std::map<std::string, std::string> texts;
    const Yaml* node = map.take(key);
    if (!node) return texts;
    if (!node->is_map()) fail(fmt::format("'{}' must be a map of names and values", key), node->where);
    for (const auto& [name, value] : node->entries) {
      if (!value.is_scalar()) fail(fmt::format("'{}' in '{}' must be one value, not {}", name.text, key, value.describe()), value.where);
      texts[name.text] = value.text;
    }
    return texts;
  }

  std::vector<const Yaml*> take_maps(YamlMap& map, std::string_view key) {
    std::vector<const Yaml*> items;
    const Yaml* node = map.take(key);
    if (node && !node->is_list()) fail(fmt::format("'{}' must be a list of maps", key), node->where);
    if (node)
      for (const Yaml& item : node->items) items.push_back(&item);
    return items;
  }

  Manifest& manifest_;
  Errors& errors_;
};

}  // namespace

Manifest parse_manifest(std::string_view text, const std::string& file, Errors& errors) {
  Manifest manifest;
  manifest.file = file;
  auto root = parse_yaml(text, file);
  if (!root) {
    errors.push_back(root.error());
    return manifest;
  }
  Parser(manifest, errors).parse(*root);
  return manifest;
}

}  // namespace orch::runner
