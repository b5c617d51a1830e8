// The components of a stage's key. Any change of this list or its order makes every store stale: it
// needs a new schema number, and tests/plan/graph/golden_digests.txt fails. The list excludes
// everything that only decides whether a stage succeeds: time limits, `inherit` and `secrets`, and
// readiness with its smoke request.
#include "core/base/text.hpp"
#include "plan/graph/stage_draft.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/render/symbols.hpp"
#include "spec/render/template.hpp"

#include <cmath>

namespace orch::plan {

namespace {

std::string in_braces(std::string_view text) { return fmt::format("{{{}}}", text); }

// SOURCE at REVISION as spelled in messages and components.
std::string spelled(const std::string& source, const std::string& revision) {
  return revision.empty() ? source : source + "@" + revision;
}

// TEXT as it enters the digest: symbols that do not affect outputs, such as {bind}, have their
// usual values.
std::string as_hashed(const std::string& text) {
  if (text.find('{') == std::string::npos) return text;
  return render::replace_symbols(text, [](std::string_view name) -> std::optional<std::string> {
    const render::KnownSymbol* symbol = render::find_known(name);
    if (!symbol || symbol->in_digest.empty()) return std::nullopt;
    return std::string(symbol->in_digest);
  });
}

// The facts that READER (the end of a Point::Waiting::reader) waits for; if it is not listed, all
// facts that POINT waits for.
std::vector<std::string> facts_awaited_by(const matrix::Point& point, std::string_view reader) {
  std::vector<std::string> facts, all;
  for (const matrix::Point::Waiting& waiting : point.waiting) {
    all.push_back(waiting.fact);
    if (std::string_view(waiting.reader).ends_with(reader)) facts.push_back(waiting.fact);
  }
  return facts.empty() ? all : facts;
}

// Lists the components of one stage.
class ComponentList {
 public:
  ComponentList(RunnerContext& context, StageDraft& draft)
      : context_(context),
        draft_(draft),
        stage_(draft.stage),
        kind_(draft.from.kind),
        point_(draft.from.point) {}

  void fill() {
    add("schema", k_schema);
    add("kind", to_string(stage_.spec.kind));
    add("stage", stage_.spec.name);
    list_texts();
    list_files();
    list_identities();
    for (const std::string& output : stage_.spec.outputs) add("output", output);
    list_needs();
    list_circumstances();
  }

 private:
  void add(std::string_view component, std::string_view value) {
    stage_.components.add(component, value);
  }

  // Adds COMPONENT, or NAME in braces while VALUE is unknown.
  void add_or_miss(std::string_view component, const std::string& name,
                   const std::optional<std::string>& value) {
    add(component, value.value_or(in_braces(name)));
    if (!value) draft_.miss(name);
  }

  // The answer of ASK, a Result of a Digest or text; nullopt if it is an error.
  template <class Ask> std::optional<std::string> look_up(const std::string& name, const Ask& ask) {
    return context_.answers.identity(name, [&]() -> Result<std::optional<std::string>> {
      ORCH_ASSIGN(const auto found, ask());
      if constexpr (std::is_same_v<std::decay_t<decltype(found)>, Digest>)
        return std::optional(found.hex());
      else return std::optional<std::string>(found);
    });
  }

  // Adds the answer of ASK unless it is an error.
  template <class Ask>
  void add_fact(const std::string& component, const std::string& name, const Ask& ask) {
    if (const auto value = look_up(name, ask)) add(component, *value);
  }

  // Adds COMPONENT, whose value depends on the facts that READER waits for, as WHAT in braces.
  void wait_for(const std::string& component, const std::string& what, std::string_view reader) {
    // WHAT stands for a different value with each model.
    add(component,
        in_braces(point_.model.empty() ? what : fmt::format("{} of {}", what, point_.model)));
    auto facts = facts_awaited_by(point_, reader);
    if (facts.empty()) facts.push_back(what);
    for (const std::string& fact : facts) draft_.miss(fact);
  }

  // While the answer to QUESTION waits for a fact, so does COMPONENT.
  void wait_for_answer(const std::string& component, std::optional<std::size_t> question) {
    if (!question || !std::isnan(answer(point_, *question))) return;
    const matrix::Question& asked = context_.manifest.questions.at(*question);
    wait_for(component, asked.sql, asked.what);
  }

  void list_texts() {
    for (const auto& [name, value] : stage_.parameters) list_parameter(name, value);
    if (context_.dependencies(kind_).warmup && is_waiting(point_, k_warmup))
      wait_for("measure.warmup", "measure.warmup", k_warmup);
    if (may_be_provided(context_, draft_.from))
      wait_for("provided", "provided", provided_when(kind_));
    std::size_t number = 0;  // without container::k_marker: the container has its own components
    for (const std::string& word : stage_.spec.argv)
      if (word != container::k_marker) add(fmt::format("argv[{}]", number++), as_hashed(word));
    for (const auto& [name, value] : stage_.spec.env) add("env." + name, as_hashed(value));
    for (const auto& [name, value] : stage_.spec.job) add("job." + name, as_hashed(value));
  }

  void list_parameter(const std::string& name, const matrix::Value& value) {
    if (const auto path = draft_.paths.find(name); path != draft_.paths.end())
      return add_fact("parameter." + name, "path:" + path->second,
                      [&] { return context_.facts.provided(path->second); });
    if (is_unknown(point_, name))
      return wait_for("parameter." + name, name, fmt::format("'{}'", name));
    // The name of a dataset does not affect outputs; list_dataset() lists its content.
    const bool is_dataset = std::ranges::any_of(context_.manifest.parameters, [&](const auto& one) {
      return one.name == name && matrix::names_dataset(one, value.text);
    });
    add("parameter." + name, is_dataset ? "dataset" : value.text);
  }

  void list_files() {
    std::set<std::string> files(kind_.files.begin(), kind_.files.end());
    auto look = [&files](const std::string& text) {
      if (text.find("{file:") == std::string::npos) return;
      for (const std::string& symbol : render::symbols_of(text))
        if (const auto file = render::file_of(symbol)) files.emplace(*file);
    };
    for_each_text(stage_.spec, look);
    for (const runner::Render& render : kind_.render)
      for (const auto& [name, value] : render.values) look(value);
    if (stage_.spec.tools) look(stage_.spec.tools->from);
    const std::string program =
        stage_.spec.container || stage_.spec.argv.empty() ? "" : stage_.spec.argv.front();
    for (const std::string& file : files)
      for (const std::string& read :
           context_.facts.files_read(context_.manifest.name, file, program))
        list_file("file." + read, read);
    for (const runner::Copy& copy : kind_.copy) list_file("copy." + copy.to, copy.from);
    for (const auto& [to, text] : stage_.rendered)
      stage_.components.add("render." + to, sha256(text));
    for (const runner::Place& place : stage_.spec.place) {
      add("place." + place.to, place.from);
      for (const std::string& name : place.stages) add("place." + place.to + ".stage", name);
    }
  }

  void list_file(const std::string& component, const std::string& file) {
    const std::string& runner = context_.manifest.name;
    stage_.inputs.push_back(context_.facts.runner_path(runner, file));
    const auto content =
        look_up("file." + file, [&] { return context_.facts.runner_file(runner, file); });
    if (!content) return;
    const std::string counted = context_.facts.in_digests(runner, *content);
    if (counted != *content) stage_.equivalents.push_back(file);
    if (!counted.empty()) add(component, counted);
  }

  void list_identities() {
    // In a container, executables are files of the image.
    for (const std::string& path :
         stage_.spec.container ? std::vector<std::string>() : kind_.executables) {
      const std::string name = fmt::format("{}{}", k_executable, path);
      add_or_miss("executable." + path, name,
                  context_.answers.identity(name, [&] { return context_.facts.executable(path); }));
      stage_.inputs.push_back(path);
    }
    list_container();
    list_version();
    list_models();
    list_dataset();
    if (kind_.per_gpu_model)
      add_or_miss("gpu", "host_gpu_model",
                  context_.answers.identity("gpu", [&]() -> Result<std::optional<std::string>> {
                    return context_.facts.gpu_model();
                  }));
    wait_for_answer("when", kind_.when);
    wait_for_fragments("when", kind_.fragments);
    wait_for_fragments("version.when", kind_.version);
    for (const auto& [port, count] : kind_.port_counts) wait_for_answer("ports." + port, count);
  }

  void wait_for_fragments(const std::string& of, const std::vector<runner::Fragment>& fragments) {
    for (std::size_t i = 0; i < fragments.size(); ++i) {
      const std::string here = fmt::format("{}[{}]", of, i);
      wait_for_answer(here, fragments[i].when);
      wait_for_fragments(here, fragments[i].parts);
    }
  }

  // Lists the image and the engine's options, but not the mounts, nor the engine: each engine
  // starts the same image.
  void list_container() {
    if (!kind_.container) return;
    wait_for_answer("container.when", kind_.container->when);
    if (!stage_.spec.container) return;
    for (const std::string& name : draft_.container_waits)
      wait_for("container." + name, name, fmt::format("'{}'", name));
    auto settings = std::make_shared<container::Settings>(*stage_.spec.container);
    if (!settings->image.empty()) list_image(*settings);
    for (std::size_t i = 0; i < settings->options.size(); ++i)
      add(fmt::format("container.options[{}]", i), settings->options[i]);
    if (!settings->shm_size.empty()) add("container.shm_size", settings->shm_size);
    if (!settings->ipc.empty()) add("container.ipc", settings->ipc);
    if (settings->network != "host") add("container.network", settings->network);
    for (const auto& [name, limit] : settings->ulimits) add("container.ulimits." + name, limit);
    if (!settings->as_user) add("container.user", "image");
    if (settings->entrypoint) add("container.entrypoint", "image");
    stage_.spec.container = std::move(settings);
  }

  void list_image(container::Settings& settings) {
    const std::string& image = settings.image;
    if (const std::string digest = container::digest_of(image); !digest.empty()) {
      settings.pinned = image;
      return add("container.image", digest);
    }
    if (container::is_file(image)) return list_image_file(settings);
    const std::string name = fmt::format("{}{} {}", k_image, to_string(settings.engine), image);
    const auto pinned = context_.answers.identity(
        name, [&] { return context_.facts.image(settings.engine, image); });
    settings.pinned = pinned.value_or("");
    add_or_miss("container.image", name,
                pinned ? std::optional(container::digest_of(*pinned)) : std::nullopt);
  }

  void list_image_file(container::Settings& settings) {
    const std::string path = context_.facts.local_path(settings.image);
    settings.pinned = path.empty() ? settings.image : path;
    if (path.empty()) {
      context_.complaints.warn(
          fmt::format("image {} is not on this machine; it is hashed by path, not by content",
                      quoted(settings.image)));
      return add("container.image", settings.image);
    }
    stage_.inputs.push_back(path);
    add_fact("container.image", "path:" + path, [&] { return context_.facts.provided(path); });
  }

  // While an argument of the version command waits for a fact, the command cannot be run. The fact
  // is already listed as unknown, with the parameter that waits for it.
  void list_version() {
    const std::shared_ptr<const Version> asked = stage_.spec.version;
    if (!asked) return;
    bool waits = false;
    for (const std::string& word : asked->argv)
      for (const std::string& symbol : render::symbols_of(word))
        waits = waits || !render::file_of(symbol);
    const std::string name = fmt::format("{}{}", k_version, join(asked->argv, " "));
    if (waits) return add("version", in_braces(name));
    const auto answer = context_.answers.identity(
        name + "\n" + stage_.spec.name, [&] { return context_.facts.version(stage_.spec); });
    add_or_miss("version", name, answer);
    if (!answer) return;
    stage_.spec.version = std::make_shared<Version>(
        Version{.argv = asked->argv, .answer = *answer, .where = asked->where});
  }

  void list_models() {
    const Dependencies& needs = context_.dependencies(kind_);
    if (needs.model) list_model("model", point_.model_source, point_.model_revision);
    if (needs.named_models.empty()) return;
    const auto models = named_models(context_.manifest, context_.matrix, point_);
    for (const std::string& name : needs.named_models)
      if (const auto model = models.find(name); model != models.end())
        list_model(name, model->second->source, model->second->revision);
  }

  void list_model(const std::string& parameter, const std::string& source,
                  const std::string& revision) {
    const std::string name = spelled(source, revision);
    add_or_miss(parameter + ".source", name, context_.answers.identity("model:" + name, [&] {
      return context_.facts.model_source(source, revision);
    }));
    if (const auto path = matrix::local_source_path(source)) stage_.inputs.push_back(*path);
  }

  void list_dataset() {
    const Dependencies& needs = context_.dependencies(kind_);
    const matrix::Dataset* fetched = fetched_dataset(context_.matrix, point_);
    if (needs.origin && fetched) {
      if (matrix::local_source_path(fetched->source)) list_dataset_file(fetched->source);
      else list_model("dataset", fetched->origin(), fetched->revision);
    }
    if (!needs.dataset) return;
    if (fetched) add("dataset", "fetched");
    else list_dataset_file(point_.dataset_source);
    // Version 1 is implied, so that digests in earlier stores stay valid.
    if ((fetched || !point_.dataset_source.empty()) && context_.options.rows_version > 1)
      add("dataset_rows", std::to_string(context_.options.rows_version));
  }

  void list_dataset_file(const std::string& source) {
    if (!source.empty())
      stage_.inputs.push_back(matrix::local_source_path(source).value_or(source));
    add_fact("dataset", "dataset:" + source, [&]() -> Result<std::string> {
      if (source.empty()) return std::string("synthetic");
      Result<std::string> found = context_.facts.dataset_source(source);
      const auto& datasets = context_.matrix.datasets;
      const auto written = std::ranges::find_if(
          datasets, [&](const auto& one) { return one.second.source == source; });
      if (found || written == datasets.end()) return found;
      return Error{found.error().kind, found.error().message, written->second.where};
    });
  }

  void list_needs() {
    std::map<std::string_view, const Stage*> needs;
    for (std::size_t i = 0; i < draft_.from.needs.size(); ++i)
      if (draft_.from.needs[i]) needs[kind_.needs[i]] = draft_.from.needs[i];
    for (const auto& [name, needed] : needs) {
      add(fmt::format("needs.{}", name),
          needed->unknown.empty() ? needed->digest.hex() : in_braces(needed->key.hex()));
      for (const std::string& fact : needed->unknown) draft_.miss(fact);
    }
  }

  void list_circumstances() {
    const Repeats& repeats = draft_.from.repeats;
    if (kind_.repeat_build && repeats.build > 0) add("build_repeat", std::to_string(repeats.build));
    if (kind_.kind == runner::Kind::service && repeats.serve > 0)
      add("serve_repeat", std::to_string(repeats.serve));
    if (kind_.kind != runner::Kind::measure) return;
    add("repeat", std::to_string(repeats.measure));
    // Strict adds nothing: such a measurement satisfies weaker matrices as well (Planner).
    if (draft_.from.isolation != matrix::Isolation::strict)
      add("isolation", to_string(draft_.from.isolation));
    if (context_.matrix.measure.gpu_clock_mhz > 0 && !stage_.running)
      add("gpu_clock_mhz", std::to_string(context_.matrix.measure.gpu_clock_mhz));
    add("generator_version", std::to_string(context_.options.generator_version));
    if (!stage_.running)
      return add_fact("machine", "machine",
                      [&]() -> Result<std::string> { return context_.facts.machine_class(); });
    // The matrix's description of the server; this machine is only the client.
    add("machine", "stated: " + stage_.running->server.machine);
    for (const std::string& name : draft_.from.stated)
      if (const matrix::Value* value = point_.parameters.find(name))
        add("stated." + name, value->text);
  }

  RunnerContext& context_;
  StageDraft& draft_;
  Stage& stage_;
  const runner::StageKind& kind_;
  const matrix::Point& point_;
};

}  // namespace

void list_components(RunnerContext& context, StageDraft& draft) {
  ComponentList(context, draft).fill();
}

bool may_be_provided(const RunnerContext& context, const Instance& from) {
  return !from.provided && !from.point.waiting.empty() &&
         !context.fact_stages.contains(from.kind.name) &&
         is_waiting(from.point, provided_when(from.kind));
}

}  // namespace orch::plan
