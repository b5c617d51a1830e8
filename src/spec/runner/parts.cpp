#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/runner/manifest_reader.hpp"
#include "spec/runner/manifest_sections.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace orch::runner {

namespace {

constexpr std::string_view k_own_remedy = "write this file, or correct the name";
constexpr std::string_view k_common_remedy =
    "correct the name. A folder common/ beside the runner's own folder replaces the installed "
    "one";

bool is_section(std::string_view name) {
  const auto& sections = keys::k_part.keys;
  return std::ranges::any_of(sections, [&](const Key& key) { return key.name == name; });
}

// Whether a shared KEY would contradict OWN about the default.
bool contradicts(const Yaml& own, std::string_view key) {
  if (key == "default" || key == "sql") return own.find("default") || own.find("sql");
  return key == "optional" && own.find("default");
}

// Adds to OWN the keys of SHARED that it lacks.
void fill_up(Yaml& own, Yaml shared) {
  for (Yaml::Entry& entry : shared.entries)
    if (!own.find(entry.key.text) && !contradicts(own, entry.key.text))
      own.entries.push_back(std::move(entry));
}

class Joiner {
 public:
  Joiner(Yaml& root, ManifestReader& reader) : root_(root), reader_(reader) {}

  // COMMON: the part is shared with other runners.
  void join(Yaml part, const std::string& file, bool common) {
    if (!part.is_map())
      return reader_.fail(
          part.where, "{} must be a map of parameters, rules, facts, fragments and stages, not {}",
          file, part.describe());
    for (Yaml::Entry& entry : part.entries) {
      if (!is_section(entry.key.text))
        reader_.fail(entry.key.where,
                     "a part may have parameters, facts, rules, resolve, container, fragments and "
                     "stages; write {} "
                     "into the manifest itself",
                     quoted(entry.key.text));
      else add(std::move(entry), common);
    }
  }

 private:
  void add(Yaml::Entry section, bool common) {
    auto found = std::ranges::find_if(root_.entries, [&](const Yaml::Entry& entry) {
      return entry.key.text == section.key.text;
    });
    if (found == root_.entries.end()) {
      Yaml empty = section.value;
      empty.items.clear();
      empty.entries.clear();
      root_.entries.push_back({.key = section.key, .value = std::move(empty)});
      found = std::prev(root_.entries.end());
    }
    Yaml& whole = found->value;
    if (whole.kind != section.value.kind)
      return reader_.fail(section.value.where, "{} is {} here but {} at {}; write both alike",
                          quoted(section.key.text), section.value.describe(), whole.describe(),
                          to_string(whole.where));
    std::move(section.value.items.begin(), section.value.items.end(),
              std::back_inserter(whole.items));
    for (Yaml::Entry& entry : section.value.entries)
      if (whole.entries.size() <= k_most_entries)
        // the reader of the section checks the limit
        add_named(whole, std::move(entry), section.key.text == "parameters", common);
  }

  // A runner may redeclare some keys of a parameter that a shared part declares.
  void add_named(Yaml& whole, Yaml::Entry entry, bool is_parameter, bool common) {
    const auto first = std::ranges::find_if(
        whole.entries, [&](const Yaml::Entry& one) { return one.key.text == entry.key.text; });
    const std::string name = entry.key.text;
    if (first == whole.entries.end()) {
      if (is_parameter && common) shared_.insert(name);
      return whole.entries.push_back(std::move(entry));
    }
    const bool was_shared = shared_.contains(name);
    if (!is_parameter || common == was_shared || !entry.value.is_map() || !first->value.is_map())
      return reader_.fail(entry.key.where, "{} is also at {}; remove one of them", quoted(name),
                          to_string(first->key.where));
    if (was_shared) {
      std::swap(first->value, entry.value);
      std::swap(first->key, entry.key);
    }
    shared_.erase(name);
    fill_up(first->value, std::move(entry.value));
  }

  Yaml& root_;
  ManifestReader& reader_;
  std::set<std::string> shared_;  // parameters that only a shared part declares
};

constexpr std::string_view k_lists[] = {"needs", "reads", "files"};
constexpr std::string_view k_maps[] = {"env", "job"};
constexpr std::size_t k_deepest = 16;

Yaml* find(Yaml& map, std::string_view key) {
  const auto found = std::ranges::find_if(
      map.entries, [&](const Yaml::Entry& entry) { return entry.key.text == key; });
  return found == map.entries.end() ? nullptr : &found->value;
}

bool is_use(const Yaml& item) { return item.is_map() && item.find("fragment"); }

bool has_item(const Yaml& list, const Yaml& item) {
  return item.is_scalar() && std::ranges::any_of(list.items, [&](const Yaml& one) {
           return one.is_scalar() && one.text == item.text;
         });
}

class Inserter {
 public:
  explicit Inserter(ManifestReader& reader) : reader_(reader) {}

  void read(const Yaml& fragments) {
    if (!fragments.is_map())
      return reader_.fail(fragments.where,
                          "'fragments' must be a map, not {}; write NAME: {{reads: [...], argv: "
                          "[...]}}",
                          fragments.describe());
    if (reader_.has_too_many(fragments, "fragments")) return;
    for (const auto& [name, fragment] : fragments.entries) add(name, fragment);
  }

  void insert_into(Yaml& stage, const std::string& name) {
    Yaml* argv = stage.is_map() ? find(stage, "argv") : nullptr;
    if (!argv || !argv->is_list()) return;
    used_.clear();
    insert_items(*argv, name, 0);
    for (const std::string& one : used_) merge(stage, *fragments_.at(one), name);
  }

 private:
  void add(const Yaml& name, const Yaml& fragment) {
    YamlMap map(fragment, keys::k_fragment, fmt::format("fragment {}", quoted(name.text)),
                reader_.errors());
    const Yaml* argv = map.take("argv");
    for (const std::string_view key : k_lists) check_kind(map.take(key), key, true);
    for (const std::string_view key : k_maps) check_kind(map.take(key), key, false);
    if (argv && argv->is_list()) refuse_inner(*argv, name.text, 0);
    else if (argv)
      reader_.fail(argv->where, "'argv' of fragment {} must be a list of words and maps",
                   quoted(name.text));
    fragments_.emplace(name.text, &fragment);
  }

  void check_kind(const Yaml* value, std::string_view key, bool list) {
    if (value && !(list ? value->is_list() : value->is_map()))
      reader_.fail(value->where, "'{}' of a fragment must be a {}, not {}", key,
                   list ? "list" : "map", value->describe());
  }

  void refuse_inner(const Yaml& items, const std::string& name, std::size_t depth) {
    if (depth > k_deepest) return;
    for (const Yaml& item : items.items) {
      if (is_use(item))
        reader_.fail(item.where, "fragment {} is inside fragment {}; write its items here",
                     quoted(item.find("fragment")->text), quoted(name));
      if (const Yaml* then = item.is_map() ? item.find("then") : nullptr)
        refuse_inner(*then, name, depth + 1);
    }
  }

  void insert_items(Yaml& list, const std::string& stage, std::size_t depth) {
    if (depth > k_deepest) return;
    std::vector<Yaml> items;
    for (Yaml& item : list.items) {
      if (!is_use(item)) {
        if (Yaml* then = item.is_map() ? find(item, "then") : nullptr; then && then->is_list())
          insert_items(*then, stage, depth + 1);
        items.push_back(std::move(item));
      } else if (const Yaml* argv = argv_of(item, stage)) {
        items.insert(items.end(), argv->items.begin(), argv->items.end());
      }
    }
    list.items = std::move(items);
  }

  // The items of the fragment named by USE; null, with an error, if there is no such fragment.
  const Yaml* argv_of(const Yaml& use, const std::string& stage) {
    YamlMap map(use, keys::k_fragment_words, "a part of 'argv'", reader_.errors());
    const Yaml* name = map.take_fitting("fragment");
    if (!name) return nullptr;
    const auto found = fragments_.find(name->text);
    if (found == fragments_.end()) {
      std::vector<std::string> known;
      for (const auto& [one, node] : fragments_) known.push_back(one);
      reader_.fail(name->where, "stage {} uses the fragment {}, which is not under 'fragments'{}",
                   quoted(stage), quoted(name->text),
                   reader_.suggest(name->text, known, "; add it there"));
      return nullptr;
    }
    used_.insert(name->text);
    const Yaml* argv = found->second->find("argv");
    return argv && argv->is_list() ? argv : nullptr;
  }

  void merge(Yaml& stage, const Yaml& fragment, const std::string& name) {
    for (const auto& [key, value] : fragment.entries) {
      if (key.text == "argv") continue;
      Yaml* own = find(stage, key.text);
      if (!own) stage.entries.push_back({.key = key, .value = value});
      else if (own->kind == value.kind) merge_values(*own, value, key.text, name);
    }
  }

  void merge_values(Yaml& own, const Yaml& shared, const std::string& key,
                    const std::string& stage) {
    for (const Yaml& item : shared.items)
      if (!has_item(own, item)) own.items.push_back(item);
    for (const Yaml::Entry& entry : shared.entries) {
      if (const Yaml* there = own.find(entry.key.text))
        reader_.fail(there->where,
                     "'{}' of stage {} sets {}, which a fragment at {} sets as well; "
                     "remove one of them",
                     key, quoted(stage), quoted(entry.key.text), to_string(entry.key.where));
      else own.entries.push_back(entry);
    }
  }

  ManifestReader& reader_;
  std::map<std::string, const Yaml*> fragments_;
  std::set<std::string> used_;  // of the current stage
};

}  // namespace

bool join_parts(Yaml& root, const std::string& file, const ReadPart& read, ManifestReader& reader) {
  const auto section = std::ranges::find_if(
      root.entries, [](const Yaml::Entry& entry) { return entry.key.text == "parts"; });
  if (section == root.entries.end()) return true;
  Yaml alone;  // the root's other keys are read later
  alone.kind = Yaml::Kind::map;
  alone.entries.push_back(std::move(*section));
  root.entries.erase(section);
  YamlMap map(alone, keys::k_manifest, "the manifest", reader.errors(), true);
  std::vector<std::pair<std::string, Location>> parts;
  for (const Yaml* part : reader.list(map, "parts")) parts.emplace_back(part->text, part->where);
  Joiner joiner(root, reader);
  bool all_read = true;
  for (const auto& [name, where] : parts) {
    if (const auto why = refuse_inner_path(name)) {
      reader.fail(where, "part {} {}", quoted(name), *why);
      all_read = false;
      continue;
    }
    const std::string path = beside(file, name);
    const auto text = read ? read(path) : Result<std::string>(invalid("nothing reads parts here"));
    if (!text) {
      reader.fail(where, "part {} cannot be read: {}; {}", quoted(name), text.error().message,
                  is_common(name) ? k_common_remedy : k_own_remedy);
      all_read = false;
      continue;
    }
    auto part = parse_yaml(*text, path);
    if (part) joiner.join(std::move(*part), path, is_common(name));
    else reader.add(part.error());
    all_read = all_read && part;
  }
  return all_read;
}

void insert_fragments(Yaml& root, ManifestReader& reader) {
  if (!root.is_map()) return;
  Yaml fragments;
  fragments.kind = Yaml::Kind::map;
  if (Yaml* section = find(root, "fragments")) fragments = std::move(*section);
  std::erase_if(root.entries,
                [](const Yaml::Entry& entry) { return entry.key.text == "fragments"; });
  Inserter inserter(reader);
  inserter.read(fragments);
  Yaml* stages = find(root, "stages");
  if (!stages || !stages->is_map()) return;
  for (Yaml::Entry& stage : stages->entries) inserter.insert_into(stage.value, stage.key.text);
}

}  // namespace orch::runner
