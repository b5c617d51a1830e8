// `container` of a manifest and of its stages: which of them run in an image, and how.
#include "core/base/text.hpp"
#include "spec/container/container.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/render/symbols.hpp"
#include "spec/runner/forms.hpp"
#include "spec/runner/manifest_sections.hpp"
#include "spec/runner/stage_reader.hpp"
#include "spec/runner/symbol_check.hpp"

namespace orch::runner {

namespace {

constexpr std::string_view k_users[] = {"host", "image"};
constexpr std::string_view k_entrypoints[] = {"none", "image"};

// The values of one `container:`.
class ContainerReader {
 public:
  // TEXTS receives the texts that may have symbols.
  ContainerReader(const Yaml& node, ManifestReader& reader, Container& container, Nodes& texts)
      : reader_(reader),
        map_(node, keys::k_container, "'container'", reader.errors()),
        container_(container),
        texts_(texts) {
    container_.where = node.where;
  }

  const Yaml* read() {
    const Yaml* when = reader_.filled(map_, "when");
    take("image", container_.image);
    for (const Yaml* file : reader_.list(map_, "built")) container_.built.push_back(note(*file));
    take("engine", container_.engine);
    take("shm_size", container_.shm_size);
    take("network", container_.network);
    take("ipc", container_.ipc);
    container_.as_user = choice("user", k_users) == 0;
    container_.entrypoint = choice("entrypoint", k_entrypoints) == 1;
    for (const auto& [name, limit] : reader_.pairs(map_, "ulimits"))
      container_.ulimits[name->text] = note(*limit);
    for (const Yaml* folder : reader_.list(map_, "folders"))
      container_.folders.push_back(note(*folder));
    for (const Yaml* word : reader_.words(map_, "probe", false))
      container_.probe.push_back(note(*word));
    for (const Yaml* name : reader_.list(map_, "caches")) container_.caches.push_back(name->text);
    read_options();
    map_.finish();
    if (container_.image.empty() && container_.built.empty())
      reader_.fail(container_.where, "'container' names no image; give it 'image' or 'built'");
    return when;
  }

 private:
  const std::string& note(const Yaml& text) {
    texts_.push_back(&text);
    return text.text;
  }
  void take(std::string_view key, std::string& into) {
    if (const Yaml* value = reader_.filled(map_, key)) into = note(*value);
  }
  // The place of the value of KEY among WORDS; 0 without one.
  std::size_t choice(std::string_view key, std::span<const std::string_view> words) {
    const Yaml* value = reader_.filled(map_, key);
    if (!value) return 0;
    const auto found = std::ranges::find(words, value->text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    reader_.fail(value->where, "'{}' of a container is {} or {}, not {}", key, words[0], words[1],
                 quoted(value->text));
    return 0;
  }
  // Words, and {words: PARAMETER}.
  void read_options() {
    for (const Yaml* item : reader_.words(map_, "options", true)) {
      if (!item->is_map()) {
        container_.options.push_back({.text = note(*item), .cut = false});
        continue;
      }
      YamlMap map(*item, keys::k_cut_words, "an option of a container", reader_.errors());
      if (const Yaml* words = reader_.required(map, "words"))
        container_.options.push_back({.text = "{" + words->text + "}", .cut = true});
      map.finish();
    }
  }

  ManifestReader& reader_;
  YamlMap map_;
  Container& container_;
  Nodes& texts_;
};

}  // namespace

void read_default_container(const Yaml& node, Manifest& manifest, ManifestReader& reader) {
  Container container;
  const Yaml* when = ContainerReader(node, reader, container, reader.container_texts).read();
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

// The symbols of a container's texts: parameters, which need not be among `reads`, and stages that
// STAGE needs.
void StageReader::check_container() {
  if (!stage_.container) return;
  StageKind reads_all = stage_;
  for (const matrix::Parameter& parameter : manifest_.parameters)
    reads_all.reads.push_back(parameter.name);
  const SymbolCheck symbols(reads_all, manifest_, reader_);
  for (const Yaml* text : container_texts_) symbols.check(*text);
}

}  // namespace orch::runner
