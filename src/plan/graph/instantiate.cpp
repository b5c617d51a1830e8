#include "plan/graph/instantiate.hpp"

#include "core/base/text.hpp"
#include "plan/graph/decide.hpp"
#include "plan/graph/stage_draft.hpp"

#include <bit>
#include <cmath>

namespace orch::plan {

namespace {

template <class Visit>
void for_each_question(const std::vector<runner::Fragment>& fragments, const Visit& visit) {
  for (const runner::Fragment& fragment : fragments) {
    if (fragment.when) visit(*fragment.when);
    for_each_question(fragment.parts, visit);
  }
}

// Whether STAGE, a StageKind or a Spec, or a text visited by MORE, contains SYMBOL.
template <class StageType, class More>
bool is_in_texts(const StageType& stage, std::string_view symbol, const More& more) {
  bool found = false;
  const auto look = [&](const std::string& text) {
    found = found || text.find(symbol) != std::string::npos;
  };
  for_each_text(stage, look);
  more(look);
  return found;
}

// Whether KIND has {PARAMETER.source} or {PARAMETER.revision}.
bool refers_to_model(const runner::StageKind& kind, std::string_view parameter) {
  return mentions(kind, fmt::format("{{{}.source}}", parameter)) ||
         mentions(kind, fmt::format("{{{}.revision}}", parameter));
}

Dependencies dependencies_of(const runner::Manifest& manifest, const runner::StageKind& kind) {
  Dependencies needs;
  needs.model = refers_to_model(kind, "model");
  for (const matrix::Parameter& parameter : manifest.parameters)
    if (parameter.is_model && parameter.name != "model" && refers_to_model(kind, parameter.name))
      needs.named_models.push_back(parameter.name);
  needs.dataset = mentions(kind, "{dataset.source}");
  needs.origin = mentions(kind, "{dataset.origin}");
  needs.any_of_dataset = mentions(kind, "{dataset.");
  needs.warmup = mentions(kind, "{measure.warmup}");
  for (const auto& question :
       {kind.when, kind.container ? kind.container->when : std::nullopt, kind.gpus, kind.driver,
        kind.cores, kind.cpus, kind.memory_gib, kind.disk_gib})
    if (question) needs.answers.push_back(*question);
  for (const auto* times : {&kind.seconds, &kind.expected_seconds})
    needs.answers.insert(needs.answers.end(), times->begin(), times->end());
  for (const auto& [name, count] : kind.tokens) needs.answers.push_back(count);
  if (kind.container) needs.of_container = runner::symbols_of(*kind.container);
  for (const auto* fragments : {&kind.fragments, &kind.version})
    for_each_question(*fragments, [&](std::size_t question) { needs.answers.push_back(question); });
  for (const auto& [port, count] : kind.port_counts) needs.answers.push_back(count);
  for (const runner::Smoke& smoke : kind.smoke)
    if (smoke.when) needs.answers.push_back(*smoke.when);
  return needs;
}

// A text that differs if any of the added values differs.
class StageKey {
 public:
  explicit StageKey(std::string_view name) : text_(name) {}

  void add(std::string_view value) { (text_ += '\0') += value; }
  void add(std::int64_t value) { add(std::string_view(std::to_string(value))); }
  // By its bits, so that missing answers (NaN) are equal.
  void add(double value) { add(std::bit_cast<std::int64_t>(value)); }
  void add(const Repeats& repeats) {
    for (const std::int64_t one : {repeats.build, repeats.serve, repeats.measure}) add(one);
  }
  void add_absent() { add(std::string_view("\x01")); }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

bool forgets_prompts(const matrix::Point& point) {
  const matrix::Value* reuse = point.parameters.find("enable_kv_cache_reuse");
  const matrix::Value* reset = point.parameters.find("cache_reset");
  return (reuse && reuse->text == "false") || (reset && !reset->text.empty());
}

}  // namespace

bool mentions(const Spec& spec, std::string_view symbol) {
  return is_in_texts(spec, symbol, [](const auto&) {});
}

bool mentions(const runner::StageKind& kind, std::string_view symbol) {
  return is_in_texts(kind, symbol, [&](const auto& look) {
    for (const runner::Render& render : kind.render)
      for (const auto& [name, value] : render.values) look(value);
    if (kind.tools) look(kind.tools->from);
  });
}

std::optional<std::string> Answers::identity(const std::string& name, const AskIdentity& ask) {
  const auto known = identities_.find(name);
  if (known != identities_.end()) return known->second;
  auto found = ask();
  if (!found) complaints_.add(name, found.error());
  return identities_[name] = found ? *found : std::nullopt;
}

Result<const std::string*> Answers::text(const std::string& name, const AskText& ask) {
  auto text = texts_.find(name);
  if (text == texts_.end()) {
    ORCH_ASSIGN(std::string read, ask());
    text = texts_.emplace(name, std::move(read)).first;
  }
  return &text->second;
}

RunnerContext::RunnerContext(const Inputs& inputs, Errors& errors)
    : manifest(inputs.manifest),
      matrix(inputs.matrix),
      facts(inputs.facts),
      options(inputs.options),
      fact_stages(plan::fact_stages(inputs.manifest)),
      complaints(errors),
      answers(complaints) {}

const Dependencies& RunnerContext::dependencies(const runner::StageKind& kind) {
  const auto known = dependencies_.find(&kind);
  if (known != dependencies_.end()) return known->second;
  return dependencies_[&kind] = dependencies_of(manifest, kind);
}

std::string Instantiator::key(const Instance& from) {
  StageKey key(from.kind.name);
  if (from.provided) {
    key.add(from.provided->path);
    key.add(from.point.name);  // each point compares the output with its own parameters
    return key.take();
  }
  if (from.server) {
    key.add(from.repeats.serve);
    return key.take();
  }
  const Dependencies& needs = context_.dependencies(from.kind);
  bool waits = false;
  for (const auto* names : {&from.kind.reads, &needs.of_container})
    for (const std::string& name : *names) {
      const matrix::Value* value = from.point.parameters.find(name);
      if (value) key.add(value->text);
      else key.add_absent();
      waits = waits || is_unknown(from.point, name);
    }
  for (const Stage* needed : from.needs) {
    if (needed) key.add(needed->id);
    else key.add_absent();
  }
  for (const std::size_t question : needs.answers) {
    const double answered = answer(from.point, question);
    waits = waits || std::isnan(answered);
    key.add(answered);
  }
  if (needs.model) {
    key.add(from.point.model_source);
    key.add(from.point.model_revision);
  }
  if (needs.any_of_dataset) key.add(from.point.dataset_source);
  const bool warmup_waits = needs.warmup && is_waiting(from.point, k_warmup),
             is_perhaps_provided = may_be_provided(context_, from);
  if (warmup_waits) key.add_absent();
  else if (needs.warmup) key.add(from.point.warmup);
  if (is_perhaps_provided) key.add_absent();
  if (waits || warmup_waits || is_perhaps_provided) key.add(from.point.model);
  key.add(from.repeats);
  return key.take();
}

Stage Instantiator::make(const Instance& from) {
  if (from.provided) return make_provided(context_, from);
  if (from.server) return make_running(context_, from);
  StageDraft draft{.from = from};
  Stage& stage = draft.stage;
  stage.repeat = from.repeats.measure;
  stage.session = from.repeats.build * context_.matrix.measure.serve_repeats + from.repeats.serve;
  for (std::size_t i = 0; i < from.needs.size(); ++i)
    if (from.needs[i]) stage.needs[from.kind.needs[i]] = from.needs[i]->id;
  const SymbolValues values = symbol_values(context_, draft);
  fill_spec(context_, draft, values);
  render_files(context_, draft, values);
  point_at_running(context_, draft);
  // A running server cannot be restarted to clear its cache.
  stage.forgets_prompts = stage.running || forgets_prompts(from.point);
  refuse_absent(context_, draft);
  refuse_ports(context_, draft);
  refuse_servers(context_, draft);
  list_components(context_, draft);
  std::ranges::sort(stage.inputs);
  stage.inputs.erase(std::unique(stage.inputs.begin(), stage.inputs.end()), stage.inputs.end());
  take_key(stage);
  for_each_text(stage.spec, [&](std::string& text) { text = filled(text, values.hashed); });
  for (auto& [to, text] : draft.written) stage.rendered[to] = std::move(text);
  estimate(context_, draft);
  auto& first = first_of_[&from.kind];
  if (!first) first = std::make_shared<Components::List>(stage.components.list());
  stage.components.share(first);
  return std::move(draft.stage);
}

void Instantiator::refuse_varied(const matrix::RunningServer& server, const std::string& parameter,
                                 const std::string& one, const std::string& other) {
  context_.complaints.add(
      "stated " + parameter,
      invalid(fmt::format("service: {0} was started with one {1}, but points have {2} and {3}; "
                          "set {1} to that value under defaults",
                          server.url.text(), parameter, quoted(one), quoted(other)),
              server.where));
}

}  // namespace orch::plan
