#include "core/base/text.hpp"
#include "spec/container/container.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/manifest_reader.hpp"
#include "spec/runner/manifest_sections.hpp"
#include "spec/runner/stage_entry.hpp"
#include "spec/runner/symbol_check.hpp"

#include <nlohmann/json.hpp>

namespace orch::runner {

using Answer = matrix::Question::Answer;

namespace {

// Keys that only a service has: ports, readiness, a first request, its end.

// TEXT with each symbol replaced by a number of the same length, so that offsets stay: {"n": {osl}}
// becomes JSON.
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

// NAME, or {NAME: SQL} for a computed number of ports.
void read_port(StageEntry& entry, const Yaml& item) {
  StageKind& stage = entry.stage;
  const bool counted = item.is_map();
  const Yaml& name = counted ? item.entries.front().key : item;
  if (const auto why = refuse_port_name(name.text))
    entry.fail(name.where, "{} {}", quoted(name.text), *why);
  if (contains(stage.ports, name.text))
    return entry.fail(name.where, "{} is repeated in 'ports'; remove one of them",
                      quoted(name.text));
  stage.ports.push_back(name.text);
  if (!counted) return;
  stage.port_counts[name.text] = entry.ask(fmt::format("number of ports '{}'", name.text),
                                           item.entries.front().value, Answer::number, false);
}

void read_ports(StageEntry& entry) {
  if (!entry.has("ports", Kind::service)) return;
  for (const Yaml* port : entry.reader.items(entry.map, "ports")) read_port(entry, *port);
}

// The port under `port` of MAP; "" if there is none.
std::string port_in(StageEntry& entry, YamlMap& map) {
  const std::vector<std::string>& ports = entry.stage.ports;
  const Yaml* port = map.take_fitting("port");
  if (!port) return "";
  if (!contains(ports, port->text))
    entry.fail(port->where, "stage '{}' has no port {}{}", entry.stage.name, quoted(port->text),
               entry.reader.suggest(port->text, ports, "; add it to 'ports'"));
  return port->text;
}

void check_url_path(StageEntry& entry, const Yaml& path, std::string_view what) {
  if (const auto why = refuse_url_path(path.text))
    entry.fail(path.where, "'{}': {} {}", what, quoted(path.text), *why);
}

void read_ready(StageEntry& entry) {
  StageKind& stage = entry.stage;
  if (stage.kind == Kind::service && entry.kind_known && !entry.key_node("ready"))
    entry.fail(entry.key.where,
               "service '{}' has no 'ready'; write ready: {{port: NAME, get: [/PATH]}}",
               stage.name);
  if (!entry.has("ready", Kind::service)) return;
  auto map = *entry.map.section("ready");
  Ready ready{.port = port_in(entry, map), .get = {}};
  const Nodes paths = entry.reader.list(map, "get");
  for (const Yaml* path : paths) {
    for (const render::Symbol& symbol : render::find_symbols(path->text))
      if (!contains(stage.reads, symbol.name))
        entry.fail(path->places.at(symbol.offset),
                   "'get' names {{{}}}; only parameters that stage '{}' reads are filled in here",
                   symbol.name, stage.name);
    Yaml filled = *path;  // as it may become for a point
    if (filled.text.starts_with('{')) filled.text.insert(0, "/");
    filled.text = with_numbers(filled.text);
    check_url_path(entry, filled, "get");
  }
  ready.get = members_of(paths, &Yaml::text);
  map.take("timeout_s", ready.timeout_s);
  stage.ready = std::move(ready);
}

void read_one_smoke(StageEntry& entry, const Yaml& node) {
  YamlMap map(node, keys::k_smoke, "'smoke'", entry.reader.errors());
  Smoke smoke{.port = port_in(entry, map), .post = {}, .body = {}, .answer = {}};
  if (const Yaml* when = map.take_fitting("when"))
    smoke.when = entry.ask("'when' of 'smoke'", *when, Answer::truth);
  if (const Yaml* post = map.take("post", smoke.post)) check_url_path(entry, *post, "post");
  if (const Yaml* body = map.take("body", smoke.body)) {
    entry.filled.push_back({body});
    if (const auto at = find_not_json(with_numbers(body->text)))
      entry.fail(body->places.at(*at),
                 "'body' is not JSON from here on; write a JSON text in single quotes");
  }
  map.take("answer", smoke.answer);
  entry.stage.smoke.push_back(std::move(smoke));
}

void read_smoke(StageEntry& entry) {
  if (!entry.has("smoke", Kind::service)) return;
  const Yaml* node = entry.map.take("smoke");
  if (!node->is_list()) return read_one_smoke(entry, *node);
  for (const Yaml& one : node->items) read_one_smoke(entry, one);
}

void read_identity(StageEntry& entry) {
  if (!entry.has("identity", Kind::service)) return;
  auto map = *entry.map.section("identity");
  Identity identity;
  identity.get = entry.reader.texts(map, "get", "'get':", refuse_url_path);
  map.take("without", identity.without);
  entry.stage.identity = std::move(identity);
}

void read_shared_memory(StageEntry& entry) {
  StageKind& stage = entry.stage;
  if (!entry.has("shm_prefix", Kind::service)) return;
  const Yaml* prefix = entry.map.take("shm_prefix", stage.shm_prefix);
  if (!prefix) return;
  entry.filled.push_back({prefix});
  if (prefix->text.find("{token}") == std::string::npos)
    entry.fail(
        prefix->where,
        "'shm_prefix' of stage '{}' must contain {{token}}: every name that begins with it is "
        "removed",
        stage.name);
  if (const auto slash = prefix->text.find('/'); slash != std::string::npos)
    entry.fail(
        prefix->places.at(slash),
        "'shm_prefix' has a '/'; write the beginning of a name in /dev/shm, without a folder");
}

}  // namespace

void read_service(StageEntry& entry) {
  read_ports(entry);
  read_ready(entry);
  read_smoke(entry);
  read_identity(entry);
  if (entry.has("stop_s", Kind::service)) entry.map.take("stop_s", entry.stage.stop_s);
  read_shared_memory(entry);
}

namespace {

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
    container_.caches = members_of(reader_.list(map_, "caches"), &Yaml::text);
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

void read_default_container(YamlMap& map, Manifest& manifest, ManifestReader& reader) {
  const Yaml* node = map.take("container");
  if (!node) return;
  Container container;
  const Yaml* when = ContainerReader(*node, reader, container, reader.container_texts).read();
  if (when) {
    manifest.questions.push_back({.what = "'when' of 'container'",
                                  .sql = when->text,
                                  .where = when->places,
                                  .answer = Answer::truth,
                                  .may_read_all = true});
    container.when = manifest.questions.size() - 1;
  }
  manifest.container = std::move(container);
}

Nodes read_container(StageEntry& entry, const ArgvReader& argv) {
  StageKind& stage = entry.stage;
  Nodes texts;
  const Yaml* node = entry.map.take("container");
  if (!node || (node->is_scalar() && node->text == "false")) return texts;
  if (node->is_scalar()) {
    if (node->text != "true" || !entry.manifest.container) {
      entry.fail(
          node->where,
          "'container' of stage '{}' must be a map, or true if the manifest has a 'container' "
          "that stages share, not {}",
          stage.name, quoted(node->text));
      return texts;
    }
    stage.container = entry.manifest.container;
    texts = entry.reader.container_texts;
  } else {
    Container container;
    if (const Yaml* when = ContainerReader(*node, entry.reader, container, texts).read())
      container.when = entry.ask("'when' of 'container'", *when, Answer::truth);
    stage.container = std::move(container);
  }
  if (!entry.key_node("argv"))
    entry.fail(node->where, "stage '{}' runs nothing in its container; give it 'argv'", stage.name);
  const auto is_word = [](std::string_view text) {
    return [text](const FilledText& word) { return word.text->text == text; };
  };
  const std::vector<FilledText>& words = argv.words();
  if (!words.empty() && is_word("{orchestrate}")(words.front()) &&
      std::ranges::none_of(words, is_word(container::k_marker)))
    entry.fail(
        words.front().text->where,
        "stage '{}' runs orchestrate, which is not a program of the image; write \"{}\" before "
        "the word where the container begins",
        stage.name, container::k_marker);
  return texts;
}

// A container's texts may name parameters, even if not in `reads`, and stages that the stage needs.
void check_container(const StageEntry& entry, const Nodes& texts) {
  if (!entry.stage.container) return;
  StageKind reads_all = entry.stage;
  for (const matrix::Parameter& parameter : entry.manifest.parameters)
    reads_all.reads.push_back(parameter.name);
  const SymbolCheck symbols(reads_all, entry.manifest, entry.reader);
  for (const Yaml* text : texts) symbols.check(*text);
}

}  // namespace orch::runner
