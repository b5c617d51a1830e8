// The files that a stage writes and reads: `outputs`, `render`, `copy`, `place`, `agree`.
#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/manifest_reader.hpp"
#include "spec/runner/stage_reader.hpp"

namespace orch::runner {

void StageReader::read_outputs() {
  for (const Yaml* output : reader_.list(map_, "outputs")) {
    if (const auto why = refuse_inner_path(output->text))
      fail(output->where, "output {} {}", quoted(output->text), *why);
    for (const std::string& other : stage_.outputs) {
      const bool shorter = output->text.size() < other.size();
      const std::string& above = shorter ? output->text : other;
      const std::string& below = shorter ? other : output->text;
      if (below.size() > above.size() && below[above.size()] == '/' && below.starts_with(above))
        fail(output->where, "output {} is below the output {}; name one of them", quoted(below),
             quoted(above));
    }
    stage_.outputs.push_back(output->text);
  }
  if (const Yaml* outputs = node_.find("outputs");
      outputs && outputs->is_list() && outputs->items.empty() && stage_.kind != Kind::service)
    fail(outputs->where, "stage '{}' declares no 'outputs'; name the files that prove it worked",
         stage_.name);
  if (has("in_place", Kind::task)) map_.take("in_place", stage_.in_place);
  if (has("shared", Kind::task)) map_.take("shared", stage_.shared);
  if (has("keep", Kind::task)) map_.take("keep", stage_.keep);
  if (stage_.shared && !stage_.in_place)
    fail(key_node("shared")->where,
         "'shared' is for an output that cannot be moved; add 'in_place: true' to stage '{}'",
         stage_.name);
}

void StageReader::read_rendered() {
  for (const Yaml* item : reader_.items(map_, "render")) {
    YamlMap map(*item, keys::k_render, "a 'render' entry", reader_.errors());
    Render render{.from = inner_path(map, "from"),
                  .to = inner_path(map, "to"),
                  .values = {},
                  .where = item->where};
    for (const Yaml::Entry* value : reader_.entries(map, "values")) {
      render.values[value->key.text] = value->value.text;
      filled_.push_back(&value->value);
    }
    if (writes(render.to, item->where)) stage_.render.push_back(std::move(render));
  }
}

void StageReader::read_copied() {
  for (const Yaml* item : reader_.items(map_, "copy")) {
    YamlMap map(*item, keys::k_copy, "a 'copy' entry", reader_.errors());
    Copy copy{.from = inner_path(map, "from"), .to = inner_path(map, "to"), .where = item->where};
    stage_.named_files.emplace(copy.from, item->where);
    if (writes(copy.to, item->where)) stage_.copy.push_back(std::move(copy));
  }
}

void StageReader::read_placed() {
  if (!has("place", Kind::service)) return;
  for (const Yaml* item : reader_.items(map_, "place")) {
    YamlMap map(*item, keys::k_place, "a 'place' entry", reader_.errors());
    Place place;
    if (const Yaml* from = map.take("from", place.from)) {
      filled_.push_back(from);
      check_upstream(*from, "place.from");
    }
    place.to = inner_path(map, "to");
    for (const Yaml* name : reader_.list(map, "stages")) {
      if (std::ranges::find(stage_.needs, name->text) == stage_.needs.end())
        fail(name->where,
             "'place' fills in {}, which stage '{}' does not list under 'needs'; add it there",
             quoted("{stage:" + name->text + "}"), stage_.name);
      place.stages.push_back(name->text);
    }
    stage_.place.push_back(std::move(place));
  }
}

void StageReader::read_agree() {
  if (!has("agree", Kind::task)) return;
  auto map = *map_.section("agree");
  Agree agree{.file = inner_path(map, "file"),
              .values = {},
              .at_least = {},
              .may_lack = {},
              .where = map.node().where};
  read_compared(map, "values", agree.values);
  read_compared(map, "at_least", agree.at_least);
  for (const Yaml* name : reader_.list(map, "may_lack")) {
    if (!agree.values.contains(name->text) && !agree.at_least.contains(name->text))
      fail(name->where, "'may_lack' of 'agree' names {}, which it does not compare; remove it",
           quoted(name->text));
    agree.may_lack.push_back(name->text);
  }
  stage_.agree = std::move(agree);
}

void StageReader::read_compared(YamlMap& map, std::string_view key,
                                std::map<std::string, std::string>& into) {
  std::vector<std::string> parameters;
  for (const matrix::Parameter& parameter : manifest_.parameters)
    parameters.push_back(parameter.name);
  for (const Yaml::Entry* entry : reader_.entries(map, key)) {
    const auto& [name, path] = *entry;
    if (std::ranges::find(parameters, name.text) == parameters.end())
      fail(name.where, "'agree' compares {}, which is not among the parameters{}",
           quoted(name.text), reader_.suggest(name.text, parameters));
    if (const auto why = refuse_dotted_path(path.text))
      fail(path.where, "{} {}", quoted(path.text), *why);
    into[name.text] = path.text;
  }
}

std::string StageReader::inner_path(YamlMap& map, std::string_view key) {
  const Yaml* path = map.take_fitting(key);
  if (!path) return "";
  if (const auto why = refuse_inner_path(path->text))
    fail(path->where, "'{}': {} {}", key, quoted(path->text), *why);
  return path->text;
}

// False: another entry already writes TO.
bool StageReader::writes(const std::string& to, const Location& where) {
  if (std::ranges::find(written_, to) != written_.end()) {
    fail(where, "{} is written twice; remove one of the entries", quoted(to));
    return false;
  }
  if (!to.empty()) written_.push_back(to);
  return true;
}

// Checks the form "{stage:NAME}/path"; check_symbols() checks the stage.
void StageReader::check_upstream(const Yaml& text, std::string_view what) {
  const auto symbols = render::find_symbols(text.text);
  const bool begins =
      !symbols.empty() && symbols.front().offset == 0 && symbols.front().name.starts_with("stage:");
  if (!begins)
    return fail(
        text.where,
        "'{}' must begin with the folder of a stage it needs, not {}; write {{stage:NAME}}/PATH",
        what, quoted(text.text));
  const std::string rest = render::replace_symbols(
      text.text.substr(symbols.front().name.size() + 2), [](std::string_view) { return "x"; });
  if (rest.empty()) return;
  const auto why = rest[0] == '/' ? refuse_inner_path(rest.substr(1))
                                  : "has no '/' after the folder; write {stage:NAME}/PATH";
  if (why) fail(text.where, "'{}': {} {}", what, quoted(text.text), *why);
}

}  // namespace orch::runner
