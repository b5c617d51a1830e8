#include "core/base/text.hpp"
#include "spec/container/container.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/manifest_reader.hpp"
#include "spec/runner/manifest_sections.hpp"
#include "spec/runner/stage_reader.hpp"
#include "spec/runner/symbol_check.hpp"

#include <nlohmann/json.hpp>

namespace orch::runner {

namespace {

// Keys that only a service has: ports, readiness, a first request, its end.

// TEXT with each symbol replaced by a number of the same length, so that offsets stay: {"n": {osl}}
// will become JSON.
std::string with_numbers(std::string_view text) {
  std::string out(text);
  for (const render::Symbol& symbol : render::find_symbols(text))
    out.replace(symbol.offset, symbol.name.size() + 2, symbol.name.size() + 2, '1');
  return out;
}

// The offset of the first error in TEXT as JSON; nullopt if it is valid.
std::optional<std::size_t> find_not_json(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return std::nullopt;
  } catch (const nlohmann::json::parse_error& error) {
    return error.byte > 0 ? error.byte - 1 : 0;
  } catch (const nlohmann::json::exception&) {
    return 0;
  }
}

// `container` of a manifest and of its stages: which of them run in an image, and how.

// The values of one `container:`.
class ContainerReader {
 public:
  // TEXTS receives the texts that may contain symbols.
  ContainerReader(const Yaml& node, ManifestReader& reader, Container& container, Nodes& texts)
      : reader_(reader),
        map_(node, keys::k_container, "'container'", reader.errors()),
        container_(container),
        texts_(texts) {
    container_.where = node.where;
  }

  const Yaml* read() {
    const Yaml* when = map_.take_fitting("when");
    for (const auto& [key, text] : {std::pair{"image", &container_.image},
                                    {"engine", &container_.engine},
                                    {"shm_size", &container_.shm_size},
                                    {"network", &container_.network},
                                    {"ipc", &container_.ipc}})
      if (const Yaml* value = map_.take(key, *text)) note(*value);
    for (const Yaml* file : reader_.list(map_, "built")) container_.built.push_back(note(*file));
    if (const Yaml* user = map_.take_fitting("user")) container_.as_user = user->text == "host";
    if (const Yaml* entrypoint = map_.take_fitting("entrypoint"))
      container_.entrypoint = entrypoint->text == "image";
    for (const Yaml::Entry* limit : reader_.entries(map_, "ulimits"))
      container_.ulimits[limit->key.text] = note(limit->value);
    for (const Yaml* folder : reader_.list(map_, "folders"))
      container_.folders.push_back(note(*folder));
    for (const Yaml* word : reader_.items(map_, "probe")) container_.probe.push_back(note(*word));
    container_.caches = texts_of(reader_.list(map_, "caches"));
    read_options();
    if (container_.image.empty() && container_.built.empty())
      reader_.fail(container_.where, "'container' names no image; give it 'image' or 'built'");
    return when;
  }

 private:
  const std::string& note(const Yaml& text) {
    texts_.push_back(&text);
    return text.text;
  }
  // Words, and {words: PARAMETER}.
  void read_options() {
    for (const Yaml* item : reader_.items(map_, "options")) {
      if (!item->is_map()) {
        container_.options.push_back({.text = note(*item), .cut = false});
        continue;
      }
      YamlMap map(*item, keys::k_cut_words, "an option of a container", reader_.errors());
      if (const Yaml* words = map.take_fitting("words"))
        container_.options.push_back({.text = "{" + words->text + "}", .cut = true});
    }
  }

  ManifestReader& reader_;
  YamlMap map_;
  Container& container_;
  Nodes& texts_;
};

}  // namespace

void StageReader::read_ports() {
  if (!has("ports", Kind::service)) return;
  for (const Yaml* port : reader_.items(map_, "ports")) read_port(*port);
}

// NAME, or {NAME: SQL} for a computed number of ports.
void StageReader::read_port(const Yaml& item) {
  const bool counted = item.is_map();
  const Yaml& name = counted ? item.entries.front().key : item;
  if (const auto why = refuse_port_name(name.text))
    fail(name.where, "{} {}", quoted(name.text), *why);
  if (std::ranges::find(stage_.ports, name.text) != stage_.ports.end())
    return fail(name.where, "{} is repeated in 'ports'; remove one of them", quoted(name.text));
  stage_.ports.push_back(name.text);
  if (!counted) return;
  const auto count =
      question(fmt::format("number of ports '{}' of stage '{}'", name.text, stage_.name),
               item.entries.front().value, matrix::Question::Answer::number, false);
  if (count) stage_.port_counts[name.text] = *count;
}

void StageReader::read_ready() {
  if (stage_.kind == Kind::service && kind_known_ && !key_node("ready"))
    fail(key_.where, "service '{}' has no 'ready'; write ready: {{port: NAME, get: [/PATH]}}",
         stage_.name);
  if (!has("ready", Kind::service)) return;
  auto map = *map_.section("ready");
  Ready ready{.port = port(map), .get = {}};
  const Nodes paths = reader_.list(map, "get");
  for (const Yaml* path : paths) {
    for (const render::Symbol& symbol : render::find_symbols(path->text))
      if (std::ranges::find(stage_.reads, symbol.name) == stage_.reads.end())
        fail(path->places.at(symbol.offset),
             "'get' names {{{}}}; only parameters that stage '{}' reads are filled in here",
             symbol.name, stage_.name);
    Yaml filled = *path;  // as it may become for a point
    if (filled.text.starts_with('{')) filled.text.insert(0, "/");
    filled.text = with_numbers(filled.text);
    check_url_path(filled, "get");
  }
  ready.get = texts_of(paths);
  map.take("timeout_s", ready.timeout_s);
  stage_.ready = std::move(ready);
}

void StageReader::read_smoke() {
  if (!has("smoke", Kind::service)) return;
  const Yaml* node = map_.take("smoke");
  if (!node->is_list()) return read_one_smoke(*node);
  for (const Yaml& one : node->items) read_one_smoke(one);
}

void StageReader::read_one_smoke(const Yaml& node) {
  YamlMap map(node, keys::k_smoke, "'smoke'", reader_.errors());
  Smoke smoke{.port = port(map), .post = {}, .body = {}, .answer = {}};
  if (const Yaml* when = map.take_fitting("when"))
    smoke.when = question(fmt::format("'when' of 'smoke' of stage '{}'", stage_.name), *when,
                          matrix::Question::Answer::truth, true);
  if (const Yaml* post = map.take("post", smoke.post)) check_url_path(*post, "post");
  if (const Yaml* body = map.take("body", smoke.body)) {
    filled_.push_back(body);
    if (const auto at = find_not_json(with_numbers(body->text)))
      fail(body->places.at(*at),
           "'body' is no JSON from here on; write a JSON text in single quotes");
  }
  map.take("answer", smoke.answer);
  stage_.smoke.push_back(std::move(smoke));
}

void StageReader::read_identity() {
  if (!has("identity", Kind::service)) return;
  auto map = *map_.section("identity");
  Identity identity;
  identity.get = reader_.texts(map, "get", "'get':", refuse_url_path);
  map.take("without", identity.without);
  stage_.identity = std::move(identity);
}

void StageReader::read_shared_memory() {
  if (has("stop_s", Kind::service)) map_.take("stop_s", stage_.stop_s);
  if (!has("shm_prefix", Kind::service)) return;
  const Yaml* prefix = map_.take("shm_prefix", stage_.shm_prefix);
  if (!prefix) return;
  filled_.push_back(prefix);
  if (prefix->text.find("{token}") == std::string::npos)
    fail(prefix->where,
         "'shm_prefix' of stage '{}' must contain {{token}}: every name that begins with it is "
         "removed",
         stage_.name);
  if (const auto slash = prefix->text.find('/'); slash != std::string::npos)
    fail(prefix->places.at(slash),
         "'shm_prefix' has a '/'; write the beginning of a name in /dev/shm, without a folder");
}

std::string StageReader::port(YamlMap& map) {
  const Yaml* port = map.take_fitting("port");
  if (!port) return "";
  if (std::ranges::find(stage_.ports, port->text) == stage_.ports.end()) {
    const std::string near = reader_.suggest(port->text, stage_.ports);
    fail(port->where, "stage '{}' has no port {}{}", stage_.name, quoted(port->text),
         near.empty() ? "; add it to 'ports'" : near);
  }
  return port->text;
}

void StageReader::check_url_path(const Yaml& path, std::string_view what) {
  if (const auto why = refuse_url_path(path.text))
    fail(path.where, "'{}': {} {}", what, quoted(path.text), *why);
}

void read_default_container(YamlMap& map, Manifest& manifest, ManifestReader& reader) {
  const Yaml* node = map.take("container");
  if (!node) return;
  Container container;
  const Yaml* when = ContainerReader(*node, reader, container, reader.container_texts).read();
  if (when) {
    manifest.questions.push_back({.what = "'when' of 'container'",
                                  .sql = when->text,
                                  .where = when->places,
                                  .answer = matrix::Question::Answer::truth,
                                  .may_read_all = true});
    container.when = manifest.questions.size() - 1;
  }
  manifest.container = std::move(container);
}

void StageReader::read_container() {
  const Yaml* node = map_.take("container");
  if (!node || (node->is_scalar() && node->text == "false")) return;
  if (node->is_scalar()) {
    if (node->text != "true" || !manifest_.container)
      return fail(
          node->where,
          "'container' of stage '{}' is a map, or true where the manifest has a 'container' "
          "that stages share; it is {}",
          stage_.name, quoted(node->text));
    stage_.container = manifest_.container;
    container_texts_ = reader_.container_texts;
  } else {
    Container container;
    if (const Yaml* when = ContainerReader(*node, reader_, container, container_texts_).read())
      container.when = question(fmt::format("'when' of 'container' of stage '{}'", stage_.name),
                                *when, matrix::Question::Answer::truth, true);
    stage_.container = std::move(container);
  }
  if (!key_node("argv"))
    fail(node->where, "stage '{}' runs nothing in its container; give it 'argv'", stage_.name);
  const auto is_word = [](std::string_view text) {
    return [text](const Yaml* word) { return word->text == text; };
  };
  if (!argv_words_.empty() && is_word("{orchestrate}")(argv_words_.front()) &&
      std::ranges::none_of(argv_words_, is_word(container::k_marker)))
    fail(argv_words_.front()->where,
         "stage '{}' runs orchestrate, which is no program of an image; write \"{}\" in front of "
         "the "
         "word where the container begins",
         stage_.name, container::k_marker);
}

// The symbols in a container's texts: parameters, even if not in `reads`, and stages that STAGE
// needs.
void StageReader::check_container() {
  if (!stage_.container) return;
  StageKind reads_all = stage_;
  for (const matrix::Parameter& parameter : manifest_.parameters)
    reads_all.reads.push_back(parameter.name);
  const SymbolCheck symbols(reads_all, manifest_, reader_);
  for (const Yaml* text : container_texts_) symbols.check(*text);
}

}  // namespace orch::runner
