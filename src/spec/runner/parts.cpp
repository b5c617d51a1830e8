#include "spec/runner/parts.hpp"

#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/runner/forms.hpp"

#include <algorithm>
#include <set>

namespace orch::runner {

namespace {

constexpr std::string_view k_own_remedy = "write this file, or correct the name";
constexpr std::string_view k_common_remedy =
    "correct the name. A folder common/ beside the runner's own takes the place of the installed "
    "one";

bool is_section(std::string_view name) {
  const auto& sections = keys::k_part.keys;
  return std::ranges::any_of(sections, [&](const Key& key) { return key.name == name; });
}

// Whether a shared KEY would contradict what OWN says of the default.
bool contradicts(const Yaml& own, std::string_view key) {
  if (key == "default" || key == "sql") return own.find("default") || own.find("sql");
  return key == "optional" && own.find("default");
}

// OWN with those keys of SHARED that it lacks.
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
                     "a part has parameters, facts, rules, resolve, container, fragments and "
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
      return reader_.fail(section.value.where, "{} is {} here and {} at {}; write both alike",
                          quoted(section.key.text), section.value.describe(), whole.describe(),
                          to_string(whole.where));
    std::move(section.value.items.begin(), section.value.items.end(),
              std::back_inserter(whole.items));
    for (Yaml::Entry& entry : section.value.entries)
      if (whole.entries.size() <= k_most_entries)
        // the check of the limit follows when it is read
        add_named(whole, std::move(entry), section.key.text == "parameters", common);
  }

  // Of a parameter that a shared part declares, a runner may declare some keys anew.
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
      return reader_.fail(entry.key.where, "{} is at {} as well; remove one of them", quoted(name),
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

}  // namespace

bool join_parts(Yaml& root, const std::string& file, const ReadPart& read, ManifestReader& reader) {
  if (!root.is_map() || !root.find("parts")) return true;
  Errors unknown;  // the other keys are read later
  YamlMap map(root, keys::k_manifest, "the manifest", unknown);
  std::vector<std::pair<std::string, Location>> parts;
  for (const Yaml* part : reader.list(map, "parts")) parts.emplace_back(part->text, part->where);
  std::erase_if(root.entries, [](const Yaml::Entry& entry) { return entry.key.text == "parts"; });
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

}  // namespace orch::runner
