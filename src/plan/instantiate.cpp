#include "plan/instantiate.hpp"

#include "base/text.hpp"
#include "render/symbols.hpp"
#include "render/template.hpp"

namespace orch::plan {

namespace {

// Raised when the meaning of the components changes, so that no old result is taken for a new one.
constexpr std::string_view k_schema = "1";

// Every string of SPEC that may carry symbols.
template <class Visit>
void for_each_text(runner::StageKind& spec, Visit&& visit) {
  for (std::string& word : spec.argv) visit(word);
  for (auto& [name, value] : spec.env) visit(value);
  for (auto& [name, value] : spec.job) visit(value);
  for (runner::Render& render : spec.render)
    for (auto& [name, value] : render.values) visit(value);
  for (runner::Place& place : spec.place) visit(place.from);
  visit(spec.shm_prefix);
  if (spec.smoke) visit(spec.smoke->body);
  if (spec.tools) visit(spec.tools->from);
}

}  // namespace

bool mentions(const runner::StageKind& kind, std::string_view symbol) {
  bool found = false;
  runner::StageKind copy = kind;
  for_each_text(copy, [&](const std::string& text) { found = found || text.find(symbol) != std::string::npos; });
  return found;
}

Instantiator::Instantiator(Facts& facts, const Options& options, const matrix::Measure& measure)
    : facts_(facts), options_(options), measure_(measure) {}

std::string Instantiator::key(const runner::StageKind& kind, const matrix::Point& point, const std::map<std::string, StageId>& needs, std::int64_t repeat) const {
  std::string key = kind.name;
  auto add = [&key](std::string_view text) {
    key += '\0';
    key += text;
  };
  for (const std::string& name : kind.reads) {
    const matrix::Value* value = point.parameters.find(name);
    add(value ? std::string_view(value->text) : std::string_view("\x01"));
  }
  for (const std::string& need : kind.needs) add(needs.at(need));
  add(point.model_source);
  add(point.model_revision);
  add(std::to_string(point.warmup));
  add(std::to_string(repeat));
  return key;
}

Stage Instantiator::make(const runner::StageKind& kind, const matrix::Point& point, const std::map<std::string, const Stage*>& needs, std::int64_t repeat, Errors& errors) {
  Stage stage;
  stage.spec = kind;
  stage.repeat = repeat;
  std::map<std::string, std::string> symbols = {{"measure.warmup", std::to_string(point.warmup)},
                                                {"measure.seed", std::to_string(measure_.seed)},
                                                {"measure.blocks", std::to_string(k_prompt_blocks)},
                                                {"repeat", std::to_string(repeat)}};
  for (const std::string& name : kind.reads) {
    const matrix::Value* value = point.parameters.find(name);
    if (!value) continue;
    stage.parameters[name] = *value;
    symbols[name] = value->text;
  }
  for (const auto& [name, needed] : needs) {
    stage.needs[name] = needed->id;
    symbols["stage:" + name] = fmt::format("{{stage:{}}}", needed->id);
  }
  fill_in(stage, symbols);
  render(stage, errors);
  list_components(stage, point, needs, errors);
  stage.digest = stage.components.digest();
  stage.id = fmt::format("{}-{}", kind.name, stage.digest.prefix(12));
  // What decides the digest is the model's identity, not its spelling, and no limit that only judges.
  fill_in(stage, {{"model.source", point.model_source}, {"model.revision", point.model_revision},
                  {"measure.wake_lag_ms", fmt::format("{}", measure_.limits.wake_lag_ms)},
                  {"measure.client_cpu_share", fmt::format("{}", measure_.limits.client_cpu_share)}});
  return stage;
}

void Instantiator::fill_in(Stage& stage, const std::map<std::string, std::string>& symbols) const {
  for_each_text(stage.spec, [&](std::string& text) {
    text = render::replace_symbols(text, [&](std::string_view symbol) -> std::optional<std::string> {
      const auto found = symbols.find(std::string(symbol));
      if (found == symbols.end()) return std::nullopt;
      return found->second;
    });
  });
}

void Instantiator::render(Stage& stage, Errors& errors) {
  for (const runner::Render& render : stage.spec.render) {
    auto text = templates_.find(render.from);
    if (text == templates_.end()) {
      auto read = facts_.template_text(render.from);
      if (!read) {
        if (complained_.insert(render.from).second) errors.push_back(read.error());
        continue;
      }
      text = templates_.emplace(render.from, std::move(*read)).first;
    }
    Errors found;
    stage.rendered[render.to] = render::fill(text->second, render.from, render.values, found);
    if (!found.empty() && complained_.insert(render.from).second) errors.insert(errors.end(), found.begin(), found.end());
  }
}

void Instantiator::list_components(Stage& stage, const matrix::Point& point, const std::map<std::string, const Stage*>& needs, Errors& errors) {
  Components& list = stage.components;
  const runner::StageKind& spec = stage.spec;
  auto add_fact = [&](std::string name, const auto& fact) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(*fact)>, std::optional<std::string>>) {
      if (fact) return list.add(std::move(name), *fact);
    }
    if (complained_.insert(name).second) errors.push_back(fact.error());
  };
  list.add("schema", k_schema);
  list.add("kind", runner::to_string(spec.kind));
  list.add("stage", spec.name);
  for (const auto& [name, value] : stage.parameters) list.add("parameter." + name, value.text);
  std::set<std::string> files(spec.files.begin(), spec.files.end());
  for (std::size_t i = 0; i < spec.argv.size(); ++i) list.add(fmt::format("argv[{}]", i), spec.argv[i]);
  for (const auto& [name, value] : spec.env) list.add("env." + name, value);
  for (const auto& [name, value] : spec.job) list.add("job." + name, value);
  runner::StageKind scanned = spec;
  for_each_text(scanned, [&](const std::string& text) {
    for (const std::string& symbol : render::symbols_of(text))
      if (symbol.starts_with("file:")) files.insert(symbol.substr(5));
  });
  for (const std::string& file : files) add_fact("file." + file, facts_.runner_file(file));
  for (const runner::Copy& copy : spec.copy) add_fact("copy." + copy.to, facts_.runner_file(copy.from));
  for (const auto& [to, text] : stage.rendered) list.add("render." + to, sha256(text));
  for (const runner::Place& place : spec.place) list.add("place." + place.to, place.from);
  auto add_identity = [&](std::string name, const Result<std::optional<std::string>>& identity) {
    if (!identity) add_fact(std::move(name), identity);
    else list.add(std::move(name), identity->value_or("{" + name + "}"));
  };
  for (const std::string& path : spec.executables) add_identity("executable." + path, facts_.executable(path));
  if (mentions(spec, "{model.source}")) add_identity("model.source", facts_.model_source(point.model_source, point.model_revision));
  for (const std::string& output : spec.outputs) list.add("output", output);
  for (const auto& [name, needed] : needs) list.add("needs." + name, needed->digest);
  if (spec.kind == runner::Kind::measure) {
    list.add("repeat", std::to_string(stage.repeat));
    list.add("generator_version", std::to_string(options_.generator_version));
    list.add("machine", facts_.machine_class());
  }
}

}  // namespace orch::plan
