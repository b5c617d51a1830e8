// The values of symbols in the texts of a stage, as far as a plan knows them.
#include "core/base/text.hpp"
#include "plan/graph/stage_draft.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/render/symbols.hpp"
#include "spec/render/template.hpp"

namespace orch::plan {

namespace {

using Known = render::Known;
using Text = std::optional<std::string>;

// Values of symbols for one stage.
struct ValueContext {
  RunnerContext& context;
  StageDraft& draft;
  const matrix::Dataset* fetched;  // the dataset of the point, if a stage fetches it

  const matrix::Point& point() const { return draft.from.point; }
  const matrix::Measure& measure() const { return context.matrix.measure; }
  const Dependencies& needs() const { return context.dependencies(draft.from.kind); }

  // The commit of SOURCE at REVISION; nullopt while it is unknown. IS_SEEN: the stage uses the
  // symbol NAME.revision, which then stays unresolved.
  Text revision(const std::string& name, const std::string& source, const std::string& revision,
                bool is_seen) const {
    Text found = context.facts.revision_to_get(source, revision);
    if (!found && is_seen) draft.stage.unresolved[name + ".revision"] = {source, revision};
    return found;
  }
};

using In = const ValueContext&;
using View = std::string_view;

// The number of the repeat for a kind of stage. If prompts are reused, tasks see only the first.
std::int64_t repeat_of(const Instance& from) {
  const matrix::Value* reuse = from.point.parameters.find("reuse_prompts");
  const bool same = reuse && reuse->text == "true" && from.kind.kind == runner::Kind::task;
  return same ? 0 : from.repeats.measure;
}

// The needed stage whose output has the rows of the point's dataset; "" after an error if none has.
std::string maker_of_dataset(In in) {
  const Instance& from = in.draft.from;
  for (const char* symbol : {"{dataset.tokens}", "{dataset.origin}"})
    for (std::size_t i = 0; i < from.needs.size(); ++i)
      if (from.needs[i] && mentions(*in.context.manifest.find(from.kind.needs[i]), symbol))
        return from.kind.needs[i];
  const auto dataset = in.context.matrix.datasets.find(from.point.dataset_source);
  in.context.complaints.add(
      "dataset of " + from.kind.name,
      invalid(fmt::format("dataset {}: stage '{}' of runner '{}' can read only local "
                          "files, because it needs no stage that fetches a dataset; write "
                          "source: local:PATH of an uncompressed file, without tokens",
                          quoted(dataset->first), from.kind.name, in.context.manifest.name),
              dataset->second.where));
  return "";
}

Text dataset_source(In in, View) {
  if (!in.fetched) return in.point().dataset_source;
  const std::string maker = in.needs().dataset ? maker_of_dataset(in) : "";
  return fmt::format("{}{{stage:{}}}/{}", matrix::k_local_scheme,
                     maker.empty() ? maker : in.draft.stage.needs.at(maker), k_rows_of_dataset);
}

template <double matrix::Limits::*limit> Text limit_of(In in, View) {
  return fmt::format("{}", in.measure().limits.*limit);
}

constexpr render::Provider<std::string, ValueContext> k_provided[] = {
    {"measure.seed", [](In in, View) { return Text(std::to_string(in.measure().seed)); }},
    {"measure.blocks", [](In, View) { return Text(std::to_string(k_prompt_blocks)); }},
    {"measure.prompts", [](In in, View) { return Text(in.measure().prompts); }},
    {"measure.warmup",
     [](In in, View) {
       return is_waiting(in.point(), k_warmup) ? Text() : Text(std::to_string(in.point().warmup));
     }},
    {"measure.wake_lag_ms", limit_of<&matrix::Limits::wake_lag_ms>},
    {"measure.send_lag_ms", limit_of<&matrix::Limits::send_lag_ms>},
    {"measure.client_cpu_share", limit_of<&matrix::Limits::client_cpu_share>},
    {"repeat", [](In in, View) { return Text(std::to_string(repeat_of(in.draft.from))); }},
    {"model.source", [](In in, View) { return Text(in.point().model_source); }},
    {"model.revision",
     [](In in, View) {
       return in.revision("model", in.point().model_source, in.point().model_revision,
                          in.needs().model);
     }},
    {"dataset.source", dataset_source},
    {"dataset.origin",
     [](In in, View) { return in.fetched ? Text(in.fetched->origin()) : Text(); }},
    {"dataset.revision",
     [](In in, View) {
       return in.fetched ? in.revision("dataset", in.fetched->origin(), in.fetched->revision,
                                       in.needs().origin)
                         : Text();
     }},
    {"dataset.files", [](In in, View) { return in.fetched ? Text(in.fetched->files) : Text(); }},
    {"dataset.tokens", [](In in, View) { return in.fetched ? Text(in.fetched->tokens) : Text(); }},
    // For needed stages, filled in by symbol_values().
    {"id:", [](In, View) { return Text(); }},
    // For the arguments of a repeated part, filled in by stage_spec.cpp.
    {"index", [](In, View) { return Text(); }},
};
static_assert(render::provides(k_provided, {Known::planned, Known::hashed}));

// An absolute path may name a file that is not on this machine, but in an image, for example. Then
// the text of the parameter is hashed instead of the content.
void find_paths(RunnerContext& context, StageDraft& draft) {
  for (const matrix::Parameter& parameter : context.manifest.parameters) {
    if (!parameter.is_path) continue;
    const std::string& name = parameter.name;
    const auto value = draft.stage.parameters.find(name);
    if (value == draft.stage.parameters.end() || value->second.text.empty() ||
        is_unknown(draft.from.point, name))
      continue;
    const std::string& text = value->second.text;
    const std::string path = context.facts.local_path(text);
    if (!path.empty()) {
      draft.paths[name] = path;
      draft.stage.inputs.push_back(path);
    } else if (text.starts_with('/')) {
      context.complaints.warn(
          fmt::format("{}: {} is not on this machine; it is hashed by path, not by content", name,
                      quoted(text)));
    } else {
      context.complaints.add(
          name + "=" + text,
          invalid(fmt::format("{}: {} was not found beside the matrix; write the path of a file "
                              "or folder, an absolute one if it is not on this machine",
                              name, quoted(text)),
                  matrix::place_of_setting(context.matrix, name, text)));
    }
  }
}

}  // namespace

std::map<std::string, const matrix::Model*> named_models(const runner::Manifest& manifest,
                                                         const matrix::Matrix& matrix,
                                                         const matrix::Point& point) {
  std::map<std::string, const matrix::Model*> models;
  for (const matrix::Parameter& parameter : manifest.parameters) {
    if (!parameter.is_model || parameter.name == "model") continue;
    const matrix::Value* name = point.parameters.find(parameter.name);
    const auto model = name ? matrix.models.find(name->text) : matrix.models.end();
    if (model != matrix.models.end()) models.emplace(parameter.name, &model->second);
  }
  return models;
}

SymbolValues symbol_values(RunnerContext& context, StageDraft& draft) {
  const Instance& from = draft.from;
  const ValueContext in{context, draft, fetched_dataset(context.matrix, from.point)};
  SymbolValues values;
  for (const auto& provider : k_provided)
    if (Text value = provider.value(in, ""))
      (render::find_known(provider.name)->known == Known::hashed ? values.hashed : values.planned)
          .emplace(provider.name, std::move(*value));
  for (const auto& [name, model] : named_models(context.manifest, context.matrix, from.point)) {
    const auto& seen = in.needs().named_models;
    values.hashed[name + ".source"] = model->source;
    if (Text revision = in.revision(name, model->source, model->revision, contains(seen, name)))
      values.hashed[name + ".revision"] = std::move(*revision);
  }
  for (const std::string& name : from.kind.reads) {
    const matrix::Value* value = from.point.parameters.find(name);
    if (!value) continue;
    draft.stage.parameters[name] = *value;
    values.planned[name] = value->text;
  }
  find_paths(context, draft);
  for (const auto& [name, path] : draft.paths) {
    values.planned.erase(name);
    values.hashed.emplace(name, path);
  }
  for (const auto& [name, id] : draft.stage.needs) {
    values.planned["stage:" + name] = fmt::format("{{stage:{}}}", id);
    values.planned["id:" + name] = id;
  }
  return values;
}

std::string filled(const std::string& text, const SymbolValues::Map& values) {
  if (text.find('{') == std::string::npos) return text;
  return render::replace_symbols(text, [&](std::string_view symbol) -> Text {
    const auto found = values.find(symbol);
    if (found == values.end()) return std::nullopt;
    return found->second;
  });
}

}  // namespace orch::plan
