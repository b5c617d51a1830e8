// The components of a stage's key. A change of this list or of its order makes every store stale:
// it needs a new schema number, and tests/plan/graph/golden_digests.txt fails. The list leaves out
// whatever decides only whether a stage succeeds: time limits, the values of `inherit` and
// `secrets`, and readiness with its smoke request.
#include "core/base/text.hpp"
#include "spec/matrix/name_rules.hpp"
#include "plan/graph/making.hpp"
#include "spec/render/template.hpp"

#include <cmath>

namespace orch::plan {

namespace {

std::string in_braces(std::string_view text) { return fmt::format("{{{}}}", text); }

// TEXT with the usual address in place of the symbols of addresses, which decide nothing: so the
// digest is that of a manifest that has the usual one written out.
std::string as_hashed(const std::string& text) {
  if (text.find('{') == std::string::npos) return text;
  return render::replace_symbols(text, [](std::string_view name) -> std::optional<std::string> {
    if (name == "bind" || name == "connect") return "127.0.0.1";
    return std::nullopt;
  });
}

}  // namespace

void Instantiator::list_components(Making& making) {
  Components& list = making.stage.components;
  list.add("schema", k_schema);
  list.add("kind", to_string(making.stage.spec.kind));
  list.add("stage", making.stage.spec.name);
  list_texts(making);
  list_files(making);
  list_identities(making);
  for (const std::string& output : making.stage.spec.outputs) list.add("output", output);
  list_needs(making);
  list_circumstances(making);
}

void Instantiator::list_texts(Making& making) {
  const matrix::Point& point = making.from.point;
  Components& list = making.stage.components;
  for (const auto& [name, value] : making.stage.parameters) {
    if (const auto path = making.paths.find(name); path != making.paths.end()) {
      add_fact(making, "parameter." + name, "path:" + path->second,
               [&] { return facts_.provided(path->second); });
      continue;
    }
    if (!is_unknown(point, name)) {
      list.add("parameter." + name, names_dataset(name, value.text) ? "dataset" : value.text);
      continue;
    }
    wait_for(making, "parameter." + name, name, fmt::format("'{}'", name));
  }
  if (sees(making.from.kind).warmup && is_waiting(point, k_warmup))
    wait_for(making, "measure.warmup", "measure.warmup", k_warmup);
  if (may_be_provided(making.from))
    wait_for(making, "provided", "provided", provided_when(making.from.kind));
  const auto& argv = making.stage.spec.argv;
  std::size_t number = 0;  // the marker decides nothing that the container does not
  for (const std::string& word : argv)
    if (word != container::k_marker) list.add(fmt::format("argv[{}]", number++), as_hashed(word));
  for (const auto& [name, value] : making.stage.spec.env) list.add("env." + name, as_hashed(value));
  for (const auto& [name, value] : making.stage.spec.job) list.add("job." + name, as_hashed(value));
}

// Adds COMPONENT, whose value depends on the facts that READER waits for, as WHAT in braces.
void Instantiator::wait_for(Making& making, const std::string& component, const std::string& what,
                            std::string_view reader) const {
  const matrix::Point& point = making.from.point;
  // The same words wait for another value with another model.
  making.stage.components.add(
      component,
      in_braces(point.model.empty() ? what : fmt::format("{} of {}", what, point.model)));
  auto facts = facts_awaited_by(point, reader);
  if (facts.empty()) facts.push_back(what);
  for (const std::string& fact : facts) making.miss(fact);
}

template <class Ask>
void Instantiator::add_fact(Making& making, const std::string& component, const std::string& name,
                            const Ask& ask) {
  const auto value = identity(name, [&]() -> Result<std::optional<std::string>> {
    ORCH_ASSIGN(const auto found, ask());
    if constexpr (std::is_same_v<std::decay_t<decltype(found)>, Digest>)
      return std::optional(found.hex());
    else return std::optional<std::string>(found);
  });
  if (value) making.stage.components.add(component, *value);
}

void Instantiator::list_files(Making& making) {
  const runner::StageKind& kind = making.from.kind;
  Stage& stage = making.stage;
  std::set<std::string> files(kind.files.begin(), kind.files.end());
  auto look = [&files](const std::string& text) {
    if (text.find("{file:") == std::string::npos) return;
    for (const std::string& symbol : render::symbols_of(text))
      if (symbol.starts_with("file:")) files.insert(symbol.substr(5));
  };
  for_each_text(stage.spec, look);
  for (const runner::Render& render : kind.render)
    for (const auto& [name, value] : render.values) look(value);
  if (stage.spec.tools) look(stage.spec.tools->from);
  auto add = [&](const std::string& component, const std::string& file) {
    add_fact(making, component, "file." + file,
             [&] { return facts_.runner_file(manifest_.name, file); });
    stage.inputs.push_back(facts_.runner_path(manifest_.name, file));
  };
  for (const std::string& file : files) add("file." + file, file);
  for (const runner::Copy& copy : kind.copy) add("copy." + copy.to, copy.from);
  for (const auto& [to, text] : stage.rendered)
    making.stage.components.add("render." + to, sha256(text));
  for (const runner::Place& place : stage.spec.place) {
    making.stage.components.add("place." + place.to, place.from);
    for (const std::string& name : place.stages)
      making.stage.components.add("place." + place.to + ".stage", name);
  }
}

void Instantiator::list_identities(Making& making) {
  const matrix::Point& point = making.from.point;
  const runner::StageKind& kind = making.from.kind;
  auto add = [&](const std::string& component, const std::string& name,
                 const std::optional<std::string>& value) {
    making.stage.components.add(component, value.value_or(in_braces(name)));
    if (!value) making.miss(name);
  };
  // Inside a container, they are files of the image.
  for (const std::string& path :
       making.stage.spec.container ? std::vector<std::string>() : kind.executables) {
    const std::string name = fmt::format("{}{}", k_executable, path);
    add("executable." + path, name, identity(name, [&] { return facts_.executable(path); }));
    making.stage.inputs.push_back(path);
  }
  list_container(making);
  list_version(making);
  list_models(making);
  list_dataset(making);
  if (kind.per_gpu_model)
    add("gpu", "host_gpu_model", identity("gpu", [&]() -> Result<std::optional<std::string>> {
          return facts_.gpu_model();
        }));
  auto answer_or_wait = [&](const std::string& component, std::size_t question) {
    if (!std::isnan(answer(point, question))) return;
    const matrix::Question& asked = manifest_.questions.at(question);
    wait_for(making, component, asked.sql, asked.what);
  };
  if (kind.when) answer_or_wait("when", *kind.when);
  const std::function<void(const std::string&, const std::vector<runner::Fragment>&)> ask =
      [&](const std::string& of, const std::vector<runner::Fragment>& fragments) {
        for (std::size_t i = 0; i < fragments.size(); ++i) {
          const std::string here = fmt::format("{}[{}]", of, i);
          if (fragments[i].when) answer_or_wait(here, *fragments[i].when);
          ask(here, fragments[i].parts);
        }
      };
  ask("when", kind.fragments);
  ask("version.when", kind.version);
  for (const auto& [port, count] : kind.port_counts) answer_or_wait("ports." + port, count);
}

void Instantiator::list_dataset(Making& making) {
  const matrix::Point& point = making.from.point;
  const Sees& sees = this->sees(making.from.kind);
  const auto list_file = [&](const std::string& source) {
    if (!source.empty())
      making.stage.inputs.push_back(matrix::local_source_path(source).value_or(source));
    add_fact(making, "dataset", "dataset:" + source, [&]() -> Result<std::string> {
      if (source.empty()) return std::string("synthetic");
      Result<std::string> found = facts_.dataset_source(source);
      const auto written = std::ranges::find_if(
          matrix_.datasets, [&](const auto& one) { return one.second.source == source; });
      if (found || written == matrix_.datasets.end()) return found;
      return Error{found.error().kind, found.error().message, written->second.where};
    });
  };
  const matrix::Dataset* fetched = fetched_dataset(matrix_, point);
  if (sees.origin && fetched) {
    if (matrix::local_source_path(fetched->source)) list_file(fetched->source);
    else list_model(making, "dataset", fetched->origin(), fetched->revision);
  }
  if (!sees.dataset) return;
  if (fetched) making.stage.components.add("dataset", "fetched");
  else list_file(point.dataset_source);
  // Version 1 is implied, so that digests of earlier stores stay.
  if ((fetched || !point.dataset_source.empty()) && options_.rows_version > 1)
    making.stage.components.add("dataset_rows", std::to_string(options_.rows_version));
}

// A word that waits for a fact is waited for as the parameter, and the question cannot be asked
// yet.
void Instantiator::list_version(Making& making) {
  const auto& asked = making.stage.spec.version;
  if (!asked) return;
  bool waits = false;
  for (const std::string& word : asked->argv)
    for (const std::string& symbol : render::symbols_of(word))
      waits = waits || !symbol.starts_with("file:");
  const std::string name = fmt::format("{}{}", k_version, join(asked->argv, " "));
  const auto answer = waits ? std::nullopt : identity(name + "\n" + making.stage.spec.name, [&] {
    return facts_.version(making.stage.spec);
  });
  making.stage.components.add("version", answer.value_or(in_braces(name)));
  if (!answer) return waits ? void() : making.miss(name);
  making.stage.spec.version = std::make_shared<Version>(
      Version{.argv = asked->argv, .answer = *answer, .where = asked->where});
}

void Instantiator::list_needs(Making& making) {
  std::map<std::string_view, const Stage*> needs;
  for (std::size_t i = 0; i < making.from.needs.size(); ++i)
    if (making.from.needs[i]) needs[making.from.kind.needs[i]] = making.from.needs[i];
  for (const auto& [name, needed] : needs) {
    making.stage.components.add(fmt::format("needs.{}", name), needed->unknown.empty()
                                                                   ? needed->digest.hex()
                                                                   : in_braces(needed->key.hex()));
    for (const std::string& fact : needed->unknown) making.miss(fact);
  }
}

void Instantiator::list_circumstances(Making& making) {
  Components& list = making.stage.components;
  const runner::StageKind& kind = making.from.kind;
  const Repeats& repeats = making.from.repeats;
  if (kind.repeat_build && repeats.build > 0)
    list.add("build_repeat", std::to_string(repeats.build));
  if (kind.kind == runner::Kind::service && repeats.serve > 0)
    list.add("serve_repeat", std::to_string(repeats.serve));
  if (kind.kind != runner::Kind::measure) return;
  list.add("repeat", std::to_string(repeats.measure));
  // Strict adds nothing: such a measurement answers weaker matrices as well (Planner).
  if (making.from.isolation != matrix::Isolation::strict)
    list.add("isolation", std::string(to_string(making.from.isolation)));
  if (measure_.gpu_clock_mhz > 0 && !making.stage.running)
    list.add("gpu_clock_mhz", std::to_string(measure_.gpu_clock_mhz));
  list.add("generator_version", std::to_string(options_.generator_version));
  if (!making.stage.running) {
    add_fact(making, "machine", "machine",
             [&]() -> Result<std::string> { return facts_.machine_class(); });
    return;
  }
  // What the matrix says of the server; this machine is only the client's.
  list.add("machine", "stated: " + making.stage.running->server.machine);
  for (const std::string& name : making.from.stated)
    if (const matrix::Value* value = making.from.point.parameters.find(name))
      list.add("stated." + name, value->text);
}

std::optional<std::string> Instantiator::identity(
    const std::string& name, const std::function<Result<std::optional<std::string>>()>& ask) {
  const auto known = identities_.find(name);
  if (known != identities_.end()) return known->second;
  auto found = ask();
  if (!found) complain(name, found.error());
  return identities_[name] = found ? *found : std::nullopt;
}

}  // namespace orch::plan
