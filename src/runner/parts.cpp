#include "runner/parts.hpp"

#include "base/text.hpp"
#include "keys/runner_keys.hpp"
#include "runner/forms.hpp"

#include <filesystem>

namespace orch::runner {

namespace {

bool is_section(std::string_view name) {
  const auto& sections = keys::k_part.keys;
  return std::any_of(sections.begin(), sections.end(),
                     [&](const Key& key) { return key.name == name; });
}

std::string beside(const std::string& file, const std::string& part) {
  return (std::filesystem::path(file).parent_path() / part).string();
}

class Joiner {
 public:
  Joiner(Yaml& root, ManifestReader& reader) : root_(root), reader_(reader) {}

  void join(Yaml part, const std::string& file) {
    if (!part.is_map())
      return reader_.fail(part.where, "{} must be a map of parameters, rules and stages, not {}",
                          file, part.describe());
    for (Yaml::Entry& entry : part.entries) {
      if (!is_section(entry.key.text))
        reader_.fail(entry.key.where,
                     "a part has parameters, rules and stages; write {} into the manifest itself",
                     quoted(entry.key.text));
      else add(std::move(entry));
    }
  }

 private:
  void add(Yaml::Entry section) {
    const auto found =
        std::find_if(root_.entries.begin(), root_.entries.end(),
                     [&](const Yaml::Entry& entry) { return entry.key.text == section.key.text; });
    if (found == root_.entries.end()) return root_.entries.push_back(std::move(section));
    Yaml& whole = found->value;
    if (whole.kind != section.value.kind)
      return reader_.fail(section.value.where, "{} is {} here and {} at {}; write both alike",
                          quoted(section.key.text), section.value.describe(), whole.describe(),
                          to_string(whole.where));
    std::move(section.value.items.begin(), section.value.items.end(),
              std::back_inserter(whole.items));
    for (Yaml::Entry& entry : section.value.entries)
      if (whole.entries.size() <= k_most_entries)
        add_named(whole, std::move(entry));  // the check of the limit follows when it is read
  }

  void add_named(Yaml& whole, Yaml::Entry entry) {
    const auto first =
        std::find_if(whole.entries.begin(), whole.entries.end(),
                     [&](const Yaml::Entry& one) { return one.key.text == entry.key.text; });
    if (first == whole.entries.end()) whole.entries.push_back(std::move(entry));
    else
      reader_.fail(entry.key.where, "{} is at {} as well; remove one of them",
                   quoted(entry.key.text), to_string(first->key.where));
  }

  Yaml& root_;
  ManifestReader& reader_;
};

}  // namespace

void join_parts(Yaml& root, const std::string& file, const ReadPart& read, ManifestReader& reader) {
  if (!root.is_map() || !root.find("parts")) return;
  Errors unknown;  // the other keys are read later
  YamlMap map(root, keys::k_manifest, "the manifest", unknown);
  std::vector<std::pair<std::string, Location>> parts;
  for (const Yaml* part : reader.list(map, "parts")) parts.emplace_back(part->text, part->where);
  std::erase_if(root.entries, [](const Yaml::Entry& entry) { return entry.key.text == "parts"; });
  Joiner joiner(root, reader);
  for (const auto& [name, where] : parts) {
    if (const auto why = refuse_inner_path(name)) {
      reader.fail(where, "part {} {}", quoted(name), *why);
      continue;
    }
    const std::string path = beside(file, name);
    const auto text = read ? read(path) : Result<std::string>(invalid("nothing reads parts here"));
    if (!text) {
      reader.fail(where, "part {} cannot be read: {}", quoted(name), text.error().message);
      continue;
    }
    auto part = parse_yaml(*text, path);
    if (part) joiner.join(std::move(*part), path);
    else reader.add(part.error());
  }
}

}  // namespace orch::runner
