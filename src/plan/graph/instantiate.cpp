#include "plan/graph/instantiate.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "plan/graph/making.hpp"
#include "plan/graph/decide.hpp"
#include "spec/render/template.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

namespace orch::plan {

namespace {

// Words of a command, and rounds of its counted parts, which may be without words.
constexpr std::size_t k_most_words = 100000;

template <class Symbols> std::string filled(const std::string& text, const Symbols& symbols) {
  if (text.find('{') == std::string::npos) return text;
  return render::replace_symbols(text, [&](std::string_view symbol) -> std::optional<std::string> {
    const auto found = symbols.find(symbol);
    if (found == symbols.end()) return std::nullopt;
    return found->second;
  });
}

// The words of FRAGMENT, filled in once, so that a value with braces stays as it is.
template <class Symbols>
void add_words(const runner::Fragment& fragment, const Symbols& symbols,
               std::vector<std::string>& argv) {
  for (const std::string& text : fragment.words) {
    if (!fragment.cut) {
      argv.push_back(filled(text, symbols));
      continue;
    }
    std::istringstream words(filled(text, symbols));
    for (std::string word; words >> word;) argv.push_back(word);
  }
}

// Leaves out the body of the smoke request: readiness does not change the identity of a stage.
template <class Visit>
void for_each_text_of_kind(const runner::StageKind& kind, const Visit& visit) {
  for_each_text(kind, visit);
  for (const runner::Render& render : kind.render)
    for (const auto& [name, value] : render.values) visit(value);
  if (kind.tools) visit(kind.tools->from);
}

// SYMBOLS escaped for the inside of a JSON string. Numbers are unchanged.
template <class Symbols> Symbols in_json(Symbols symbols) {
  for (auto& [name, value] : symbols) {
    const std::string quoted = dump(nlohmann::json(value));
    value = quoted.substr(1, quoted.size() - 2);
  }
  return symbols;
}

template <class Visit>
void for_each_question(const std::vector<runner::Fragment>& fragments, const Visit& visit) {
  for (const runner::Fragment& fragment : fragments) {
    if (fragment.when) visit(*fragment.when);
    for_each_question(fragment.parts, visit);
  }
}

// The texts of a parameter that is a list.
std::vector<std::string> texts_of_list(std::string_view value) {
  const nlohmann::json texts = nlohmann::json::parse(value, nullptr, false);
  std::vector<std::string> out;
  for (const auto& text : texts.is_array() ? texts : nlohmann::json::array())
    out.push_back(text.is_string() ? text.get<std::string>() : dump(text, -1));
  return out;
}

// The repeat that a kind sees: prompts that are used again are those of the first.
std::int64_t repeat_of(const Instance& from) {
  const matrix::Value* reuse = from.point.parameters.find("reuse_prompts");
  const bool same = reuse && reuse->text == "true" && from.kind.kind == runner::Kind::task;
  return same ? 0 : from.repeats.measure;
}

}  // namespace

bool mentions(const runner::StageKind& kind, std::string_view symbol) {
  bool found = false;
  for_each_text_of_kind(kind, [&](const std::string& text) {
    found = found || text.find(symbol) != std::string::npos;
  });
  return found;
}

Instantiator::Instantiator(const Inputs& inputs, Errors& errors)
    : manifest_(inputs.manifest),
      matrix_(inputs.matrix),
      measure_(inputs.matrix.measure),
      facts_(inputs.facts),
      options_(inputs.options),
      errors_(errors),
      fact_stages_(fact_stages(inputs.manifest)) {}

const Instantiator::Sees& Instantiator::sees(const runner::StageKind& kind) {
  const auto [known, is_new] = sees_.try_emplace(&kind);
  Sees& sees = known->second;
  if (!is_new) return sees;
  sees.model = refers_to_model(kind, "model");
  for (const matrix::Parameter& parameter : manifest_.parameters)
    if (parameter.is_model && parameter.name != "model" && refers_to_model(kind, parameter.name))
      sees.named_models.push_back(parameter.name);
  sees.dataset = mentions(kind, "{dataset.source}");
  sees.origin = mentions(kind, "{dataset.origin}");
  sees.any_of_dataset = mentions(kind, "{dataset.");
  sees.warmup = mentions(kind, "{measure.warmup}");
  for (const auto& question :
       {kind.when, kind.container ? kind.container->when : std::nullopt, kind.gpus, kind.driver,
        kind.cores, kind.cpus, kind.memory_gib, kind.disk_gib})
    if (question) sees.answers.push_back(*question);
  for (const auto* times : {&kind.seconds, &kind.expected_seconds})
    sees.answers.insert(sees.answers.end(), times->begin(), times->end());
  for (const auto& [name, count] : kind.tokens) sees.answers.push_back(count);
  if (kind.container) sees.of_container = runner::symbols_of(*kind.container);
  for (const auto* fragments : {&kind.fragments, &kind.version})
    for_each_question(*fragments, [&](std::size_t question) { sees.answers.push_back(question); });
  for (const auto& [port, count] : kind.port_counts) sees.answers.push_back(count);
  for (const runner::Smoke& smoke : kind.smoke)
    if (smoke.when) sees.answers.push_back(*smoke.when);
  return sees;
}

std::string Instantiator::key(const Instance& from) {
  std::string key = from.kind.name;
  auto add = [&key](std::string_view text) {
    key += '\0';
    key += text;
  };
  if (from.provided) {
    add(from.provided->path);
    add(from.point.name);  // each point compares the output with its own parameters
    return key;
  }
  if (from.server) {
    add(std::to_string(from.repeats.serve));
    return key;
  }
  bool waits = false;
  for (const std::string& name : from.kind.reads) {
    const matrix::Value* value = from.point.parameters.find(name);
    add(value ? std::string_view(value->text) : std::string_view("\x01"));
    waits = waits || is_unknown(from.point, name);
  }
  for (const std::string& name : sees(from.kind).of_container) {
    const matrix::Value* value = from.point.parameters.find(name);
    add(value ? std::string_view(value->text) : std::string_view("\x01"));
    waits = waits || is_unknown(from.point, name);
  }
  for (const Stage* needed : from.needs)
    add(needed ? std::string_view(needed->id) : std::string_view("\x01"));
  const Sees& sees = this->sees(from.kind);
  for (const std::size_t question : sees.answers) {
    const double answered = answer(from.point, question);
    waits = waits || std::isnan(answered);
    add({reinterpret_cast<const char*>(&answered), sizeof answered});
  }
  if (sees.model) {
    add(from.point.model_source);
    add(from.point.model_revision);
  }
  if (sees.any_of_dataset) add(from.point.dataset_source);
  const bool warmup_waits = sees.warmup && is_waiting(from.point, k_warmup),
             may_be_provided = this->may_be_provided(from);
  if (sees.warmup) add(warmup_waits ? "\x01" : std::to_string(from.point.warmup));
  if (may_be_provided) add("\x01");
  waits = waits || warmup_waits || may_be_provided;
  if (waits) add(from.point.model);
  const Repeats& repeats = from.repeats;
  add({reinterpret_cast<const char*>(&repeats), sizeof repeats});
  return key;
}

namespace {

bool forgets_prompts(const matrix::Point& point) {
  const matrix::Value* reuse = point.parameters.find("enable_kv_cache_reuse");
  const matrix::Value* reset = point.parameters.find("cache_reset");
  return (reuse && reuse->text == "false") || (reset && !reset->text.empty());
}

}  // namespace

Stage Instantiator::make(const Instance& from) {
  if (from.provided) return make_provided(from);
  if (from.server) return make_running(from);
  Making making{.from = from};
  Stage& stage = making.stage;
  stage.repeat = from.repeats.measure;
  stage.session = from.repeats.build * measure_.serve_repeats + from.repeats.serve;
  for (std::size_t i = 0; i < from.needs.size(); ++i)
    if (from.needs[i]) stage.needs[from.kind.needs[i]] = from.needs[i]->id;
  const Symbols symbols = symbols_of(from, making), late = late_symbols_of(making);
  fill_spec(making, symbols, late);
  render(making, symbols, late);
  point_at_running(making);
  // A server that ran already cannot be started again for its cache.
  stage.forgets_prompts = stage.running || forgets_prompts(from.point);
  refuse_absent(making);
  refuse_ports(making);
  refuse_servers(making);
  list_components(making);
  std::ranges::sort(stage.inputs);
  stage.inputs.erase(std::unique(stage.inputs.begin(), stage.inputs.end()), stage.inputs.end());
  stage.key = stage.components.digest();
  if (stage.unknown.empty()) stage.digest = stage.key;
  stage.id = fmt::format("{}-{}", from.kind.name, stage.key.prefix(12));
  for_each_text(stage.spec, [&](std::string& text) { text = filled(text, late); });
  for (auto& [to, text] : making.written) stage.rendered[to] = std::move(text);
  estimate(making);
  auto& first = first_of_[&from.kind];
  if (!first) first = std::make_shared<Components::List>(stage.components.list());
  stage.components.share(first);
  return std::move(making.stage);
}

Instantiator::Symbols Instantiator::symbols_of(const Instance& from, Making& making) {
  Symbols symbols = {{"measure.seed", std::to_string(measure_.seed)},
                     {"measure.blocks", std::to_string(k_prompt_blocks)},
                     {"measure.prompts", measure_.prompts},
                     {"repeat", std::to_string(repeat_of(from))}};
  if (const matrix::Dataset* dataset = fetched_dataset(matrix_, from.point)) {
    symbols["dataset.files"] = dataset->files;
    symbols["dataset.tokens"] = dataset->tokens;
  }
  if (!is_waiting(from.point, k_warmup))
    symbols["measure.warmup"] = std::to_string(from.point.warmup);
  for (const std::string& name : from.kind.reads) {
    const matrix::Value* value = from.point.parameters.find(name);
    if (!value) continue;
    making.stage.parameters[name] = *value;
    symbols[name] = value->text;
  }
  find_paths(making);
  for (const auto& [name, path] : making.paths) symbols.erase(name);
  for (const auto& [name, id] : making.stage.needs) {
    symbols["stage:" + name] = fmt::format("{{stage:{}}}", id);
    symbols["id:" + name] = id;
  }
  return symbols;
}

// A parameter of type path may name a file elsewhere, for example in an image. Then its text is
// hashed in place of its content.
void Instantiator::find_paths(Making& making) {
  for (const matrix::Parameter& parameter : manifest_.parameters) {
    if (!parameter.is_path) continue;
    const std::string& name = parameter.name;
    const auto value = making.stage.parameters.find(name);
    if (value == making.stage.parameters.end() || value->second.text.empty() ||
        is_unknown(making.from.point, name))
      continue;
    const std::string& text = value->second.text;
    const std::string path = facts_.local_path(text);
    if (!path.empty()) {
      making.paths[name] = path;
      making.stage.inputs.push_back(path);
    } else if (text.starts_with('/')) {
      warnings_.insert(
          fmt::format("{}: {} is not on this machine; it is hashed by path, not by content", name,
                      quoted(text)));
    } else {
      complain(
          name + "=" + text,
          invalid(fmt::format("{}: {} was not found beside the matrix; write the path of a file "
                              "or folder, an absolute one if it is not on this machine",
                              name, quoted(text)),
                  matrix::place_of_setting(matrix_, name, text)));
    }
  }
}

// What decides the digest is the identity of a model, a dataset or a path, not its spelling, and no
// limit that only judges: these are filled in when the digest has been taken.
Instantiator::Symbols Instantiator::late_symbols_of(Making& making) {
  Symbols late(making.paths.begin(), making.paths.end());
  add_model_symbols(making, late);
  late.insert({{"measure.wake_lag_ms", fmt::format("{}", measure_.limits.wake_lag_ms)},
               {"measure.send_lag_ms", fmt::format("{}", measure_.limits.send_lag_ms)},
               {"measure.client_cpu_share", fmt::format("{}", measure_.limits.client_cpu_share)}});
  return late;
}

// TEXT names a stage that the point does without.
bool Instantiator::names_absent(const Instance& from, std::string_view text) {
  for (std::size_t i = 0; i < from.needs.size(); ++i)
    if (!from.needs[i] && text.starts_with(fmt::format("{{stage:{}}}", from.kind.needs[i])))
      return true;
  return false;
}

void Instantiator::fill_spec(Making& making, const Symbols& symbols, const Symbols& late) {
  const runner::StageKind& kind = making.from.kind;
  Spec& spec = making.stage.spec;
  spec = {.name = kind.name,
          .runner = manifest_.name,
          .kind = kind.kind,
          .in_place = kind.in_place,
          .shared = kind.shared,
          .batch = kind.batch,
          .argv = {},
          .launcher = kind.launcher,
          .env = kind.env,
          .job = kind.job,
          .inherit = kind.inherit,
          .secrets = kind.secrets,
          .copy = kind.copy,
          .place = kind.place,
          .outputs = kind.outputs,
          .ports = {},
          .tools = {},
          .version = {},
          .ready = {},
          .smoke = {},
          .server = {},
          .container = {},
          .shm_prefix = kind.shm_prefix,
          .timeout_s = kind.timeout_s,
          .stop_s = kind.stop_s};
  std::erase_if(spec.place,
                [&](const runner::Place& place) { return names_absent(making.from, place.from); });
  pick_ports(making);
  if (kind.fragments.empty()) spec.argv = kind.argv;
  for_each_text(spec, [&](std::string& text) { text = filled(text, symbols); });
  leave_out_absent(spec.job, making);
  spec.argv.reserve(kind.argv.size());
  pick_words(making, kind.fragments, symbols, spec.argv);
  if (!kind.version.empty()) {
    Version version{.argv = {}, .answer = {}, .where = kind.version_where};
    pick_words(making, kind.version, symbols, version.argv);
    for (std::string& word : version.argv) word = filled(word, late);
    if (!version.argv.empty()) spec.version = std::make_shared<Version>(std::move(version));
  }
  if (kind.tools)
    spec.tools = std::make_shared<runner::Tools>(runner::Tools{
        .from = filled(filled(kind.tools->from, symbols), late), .names = kind.tools->names});
  fill_container(making);
  fill_ready(making, symbols);
  fill_smoke(making, symbols, late);
}

void Instantiator::fill_ready(Making& making, const Symbols& symbols, double most_s) {
  if (!making.from.kind.ready) return;
  auto ready = std::make_shared<runner::Ready>(*making.from.kind.ready);
  for (std::string& path : ready->get) path = filled(path, symbols);
  ready->timeout_s = std::min(ready->timeout_s, most_s);
  making.stage.spec.ready = std::move(ready);
}

void Instantiator::fill_smoke(Making& making, const Symbols& symbols, const Symbols& late) const {
  const runner::StageKind& kind = making.from.kind;
  const auto chosen = std::ranges::find_if(kind.smoke, [&](const auto& one) {
    return !one.when || answer(making.from.point, *one.when) > 0;
  });
  if (chosen == kind.smoke.end()) return;
  auto smoke = std::make_shared<runner::Smoke>(*chosen);
  smoke->body = filled(filled(smoke->body, in_json(symbols)), in_json(late));
  making.stage.spec.smoke = std::move(smoke);
}

// A member of a job that is a parameter without a value is left out.
void Instantiator::leave_out_absent(std::map<std::string, std::string>& job,
                                    const Making& making) const {
  for (const std::string& name : making.from.kind.reads)
    if (!making.stage.parameters.contains(name) && !is_unknown(making.from.point, name))
      std::erase_if(
          job, [&](const auto& member) { return member.second == fmt::format("{{{}}}", name); });
}

// A counted port becomes NAME.1 and so on; a single port while its count is unknown.
void Instantiator::pick_ports(Making& making) {
  const runner::StageKind& kind = making.from.kind;
  std::vector<std::string>& ports = making.stage.spec.ports;
  for (const std::string& port : kind.ports) {
    const auto counted = kind.port_counts.find(port);
    if (counted == kind.port_counts.end()) {
      ports.push_back(port);
      continue;
    }
    const double asked = answer(making.from.point, counted->second);
    if (asked < 1 || asked > k_most_ports)
      complain(fmt::format("ports {} of {}", port, kind.name),
               invalid(fmt::format(
                           "point {} has {:g} ports '{}' of stage '{}'; a name has 1 to {:g} ports",
                           making.from.point.name, asked, port, kind.name, k_most_ports),
                       kind.where));
    const double count = std::isnan(asked) ? 1 : std::clamp(asked, 1.0, k_most_ports);
    for (int i = 1; i <= count; ++i) ports.push_back(fmt::format("{}.{}", port, i));
  }
}

// The words once for each text of a parameter that is a list.
void Instantiator::add_each(const runner::Fragment& fragment, Symbols symbols,
                            std::vector<std::string>& argv) {
  const auto list = symbols.find(fragment.each);
  if (list == symbols.end()) return;
  for (std::string& text : texts_of_list(list->second)) {
    symbols[fragment.each] = std::move(text);
    add_words(fragment, symbols, argv);
  }
}

// The fragments that apply to the point. A fragment whose question waits for a fact is left out and
// listed with that fact.
void Instantiator::pick_words(Making& making, const std::vector<runner::Fragment>& fragments,
                              const Symbols& symbols, std::vector<std::string>& argv) {
  for (const runner::Fragment& fragment : fragments) {
    const double answered = fragment.when ? answer(making.from.point, *fragment.when) : 1;
    const double times =
        fragment.counted ? answered : answered > 0;  // false while the answer is unknown
    for (int index = 1; index <= times; ++index) {
      if (fragment.counted && std::max(++making.rounds, argv.size()) > k_most_words)
        return refuse_rounds(making);
      if (!fragment.counted && fragment.each.empty()) {
        add_words(fragment, symbols, argv);
        pick_words(making, fragment.parts, symbols, argv);
        continue;
      }
      Symbols known = symbols;
      if (fragment.counted)
        known[fragment.index.empty() ? "index" : fragment.index] = std::to_string(index);
      if (fragment.each.empty()) add_words(fragment, known, argv);
      else add_each(fragment, known, argv);
      pick_words(making, fragment.parts, known, argv);
    }
  }
}

void Instantiator::refuse_rounds(const Making& making) {
  const runner::StageKind& kind = making.from.kind;
  complain("times of " + kind.name,
           invalid(fmt::format("argv of stage '{}' has more than {} words or repeated parts for "
                               "point {}; lower 'times'",
                               kind.name, k_most_words, making.from.point.name),
                   kind.where));
}

void Instantiator::render(Making& making, const Symbols& symbols, const Symbols& late) {
  for (const runner::Render& render : making.from.kind.render) {
    auto text = templates_.find(render.from);
    if (text == templates_.end()) {
      auto read = facts_.template_text(manifest_.name, render.from);
      if (!read) {
        complain(render.from, read.error());
        continue;
      }
      text = templates_.emplace(render.from, std::move(*read)).first;
    }
    making.stage.inputs.push_back(facts_.project_path(manifest_.name, render.from));
    std::map<std::string, std::string> values, late_values;
    for (const auto& [name, value] : render.values) {
      values[name] = filled(value, symbols);
      late_values[name] = filled(values[name], late);
    }
    Errors found;
    making.stage.rendered[render.to] = render::fill(text->second, render.from, values, found);
    Errors same;
    if (late_values != values)
      making.written[render.to] = render::fill(text->second, render.from, late_values, same);
    if (!found.empty() && complained_.insert(render.from).second)
      errors_.insert(errors_.end(), found.begin(), found.end());
  }
}

double Instantiator::answer(const matrix::Point& point, std::size_t question) const {
  return question < point.answers.size() ? point.answers[question] : matrix::k_no_answer;
}

// The facts that READER, as in Point::Waiting, waits for; all of the point's when it is not listed.
std::vector<std::string> Instantiator::facts_awaited_by(const matrix::Point& point,
                                                        std::string_view reader) const {
  std::vector<std::string> facts, all;
  for (const matrix::Point::Waiting& waiting : point.waiting) {
    all.push_back(waiting.fact);
    if (std::string_view(waiting.reader).ends_with(reader)) facts.push_back(waiting.fact);
  }
  return facts.empty() ? all : facts;
}

void Instantiator::complain(const std::string& cause, Error error) {
  if (complained_.insert(cause).second) errors_.push_back(std::move(error));
}

}  // namespace orch::plan
