// The files that a stage writes and reads: `tools`, `outputs`, `render`, `copy`, `place`, `agree`.
#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/manifest_reader.hpp"
#include "spec/runner/stage_entry.hpp"

namespace orch::runner {

namespace {

// The path under KEY of MAP, which must stay inside its folder; "" if there is none.
std::string inner_path(StageEntry& entry, YamlMap& map, std::string_view key) {
  const Yaml* path = map.take_fitting(key);
  if (!path) return "";
  if (const auto why = refuse_inner_path(path->text))
    entry.fail(path->where, "'{}': {} {}", key, quoted(path->text), *why);
  return path->text;
}

// Checks the form "{stage:NAME}/path"; check_symbols() checks the stage.
void check_upstream(StageEntry& entry, const Yaml& text, std::string_view what) {
  const auto symbols = render::find_symbols(text.text);
  const bool begins =
      !symbols.empty() && symbols.front().offset == 0 && symbols.front().name.starts_with("stage:");
  if (!begins)
    return entry.fail(
        text.where,
        "'{}' must begin with the folder of a stage it needs, not {}; write {{stage:NAME}}/PATH",
        what, quoted(text.text));
  const std::string rest = render::replace_symbols(
      text.text.substr(symbols.front().name.size() + 2), [](std::string_view) { return "x"; });
  if (rest.empty()) return;
  const auto why = rest[0] == '/' ? refuse_inner_path(rest.substr(1))
                                  : "has no '/' after the folder; write {stage:NAME}/PATH";
  if (why) entry.fail(text.where, "'{}': {} {}", what, quoted(text.text), *why);
}

// The text under `from` of MAP, a path in the folder of another stage; "" if there is none.
std::string upstream_path(StageEntry& entry, YamlMap& map, std::string_view what) {
  const Yaml* from = map.take_fitting("from");
  if (!from) return "";
  entry.filled.push_back({from});
  check_upstream(entry, *from, what);
  return from->text;
}

void read_tools(StageEntry& entry) {
  auto map = entry.map.section("tools");
  if (!map) return;
  Tools tools{.from = upstream_path(entry, *map, "tools.from"), .names = {}};
  tools.names = members_of(entry.reader.list(*map, "names"), &Yaml::text);
  entry.stage.tools = std::move(tools);
}

void read_outputs(StageEntry& entry) {
  StageKind& stage = entry.stage;
  for (const Yaml* output : entry.reader.list(entry.map, "outputs")) {
    if (const auto why = refuse_inner_path(output->text))
      entry.fail(output->where, "output {} {}", quoted(output->text), *why);
    for (const std::string& other : stage.outputs) {
      const bool shorter = output->text.size() < other.size();
      const std::string& above = shorter ? output->text : other;
      const std::string& below = shorter ? other : output->text;
      if (below.starts_with(above + "/"))
        entry.fail(output->where, "output {} is below the output {}; keep one of them",
                   quoted(below), quoted(above));
    }
    stage.outputs.push_back(output->text);
  }
  if (const Yaml* outputs = entry.node.find("outputs");
      outputs && outputs->is_list() && outputs->items.empty() && stage.kind != Kind::service)
    entry.fail(outputs->where,
               "stage '{}' declares no 'outputs'; name the files that prove it worked", stage.name);
  if (entry.has("in_place", Kind::task)) entry.map.take("in_place", stage.in_place);
  if (entry.has("shared", Kind::task)) entry.map.take("shared", stage.shared);
  if (entry.has("keep", Kind::task)) entry.map.take("keep", stage.keep);
  if (stage.shared && !stage.in_place)
    entry.fail(entry.key_node("shared")->where,
               "'shared' is for an output that cannot be moved; add 'in_place: true' to stage '{}'",
               stage.name);
}

// Whether another entry of `render` or `copy` writes the path TO; that is an error at WHERE.
bool is_written(StageEntry& entry, const std::string& to, const Location& where) {
  const auto writes = [&](const auto& one) { return one.to == to; };
  if (to.empty() || (std::ranges::none_of(entry.stage.render, writes) &&
                     std::ranges::none_of(entry.stage.copy, writes)))
    return false;
  entry.fail(where, "{} is written twice; remove one of the entries", quoted(to));
  return true;
}

void read_rendered(StageEntry& entry) {
  for (const Yaml* item : entry.reader.items(entry.map, "render")) {
    YamlMap map(*item, keys::k_render, "a 'render' entry", entry.reader.errors());
    Render render{.from = inner_path(entry, map, "from"),
                  .to = inner_path(entry, map, "to"),
                  .values = {},
                  .where = item->where};
    for (const Yaml::Entry* value : entry.reader.entries(map, "values")) {
      render.values[value->key.text] = value->value.text;
      entry.filled.push_back({&value->value});
    }
    if (!is_written(entry, render.to, item->where)) entry.stage.render.push_back(std::move(render));
  }
}

void read_copied(StageEntry& entry) {
  for (const Yaml* item : entry.reader.items(entry.map, "copy")) {
    YamlMap map(*item, keys::k_copy, "a 'copy' entry", entry.reader.errors());
    Copy copy{.from = inner_path(entry, map, "from"),
              .to = inner_path(entry, map, "to"),
              .where = item->where};
    entry.stage.named_files.emplace(copy.from, item->where);
    if (!is_written(entry, copy.to, item->where)) entry.stage.copy.push_back(std::move(copy));
  }
}

void read_placed(StageEntry& entry) {
  StageKind& stage = entry.stage;
  if (!entry.has("place", Kind::service)) return;
  for (const Yaml* item : entry.reader.items(entry.map, "place")) {
    YamlMap map(*item, keys::k_place, "a 'place' entry", entry.reader.errors());
    Place place{.from = upstream_path(entry, map, "place.from"),
                .to = inner_path(entry, map, "to"),
                .stages = {}};
    for (const Yaml* name : entry.reader.list(map, "stages")) {
      if (!contains(stage.needs, name->text))
        entry.fail(
            name->where,
            "'place' fills in {}, which stage '{}' does not list under 'needs'; add it there",
            quoted("{stage:" + name->text + "}"), stage.name);
      place.stages.push_back(name->text);
    }
    stage.place.push_back(std::move(place));
  }
}

void read_compared(StageEntry& entry, YamlMap& map, std::string_view key,
                   std::map<std::string, std::string>& into) {
  const auto parameters = members_of(entry.manifest.parameters, &matrix::Parameter::name);
  for (const Yaml::Entry* compared : entry.reader.entries(map, key)) {
    const auto& [name, path] = *compared;
    if (!contains(parameters, name.text))
      entry.fail(name.where, "'agree' compares {}, which is not among the parameters{}",
                 quoted(name.text), entry.reader.suggest(name.text, parameters));
    if (const auto why = refuse_dotted_path(path.text))
      entry.fail(path.where, "{} {}", quoted(path.text), *why);
    into[name.text] = path.text;
  }
}

void read_agree(StageEntry& entry) {
  if (!entry.has("agree", Kind::task)) return;
  auto map = *entry.map.section("agree");
  Agree agree{.file = inner_path(entry, map, "file"),
              .values = {},
              .at_least = {},
              .may_lack = {},
              .where = map.node().where};
  read_compared(entry, map, "values", agree.values);
  read_compared(entry, map, "at_least", agree.at_least);
  for (const Yaml* name : entry.reader.list(map, "may_lack")) {
    if (!agree.values.contains(name->text) && !agree.at_least.contains(name->text))
      entry.fail(name->where,
                 "'may_lack' under 'agree' names {}, which 'agree' does not compare; remove it",
                 quoted(name->text));
    agree.may_lack.push_back(name->text);
  }
  entry.stage.agree = std::move(agree);
}

}  // namespace

void read_files(StageEntry& entry) {
  read_tools(entry);
  read_outputs(entry);
  read_rendered(entry);
  read_copied(entry);
  read_placed(entry);
  read_agree(entry);
}

}  // namespace orch::runner
