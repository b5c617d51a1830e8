#include "spec/runner/manifest_reader.hpp"

#include "core/base/text.hpp"
#include "spec/render/template.hpp"

#include <filesystem>
#include <set>

namespace orch::runner {

namespace {

constexpr std::size_t k_longest_stage = 32;
constexpr std::size_t k_longest_rule = 64;
constexpr std::string_view k_loader = "LD_";

bool is_control(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

template <class Test> bool all(std::string_view text, Test test) {
  return std::ranges::all_of(text, test);
}

// For texts in which symbols are not replaced.
Refusal refuse_symbols(std::string_view text) {
  const auto symbols = render::find_symbols(text);
  if (symbols.empty()) return std::nullopt;
  return fmt::format("is taken literally: {{{}}} is not filled in here; write it without symbols",
                     symbols.front().name);
}

// PATH without redundant parts: "a//./b" becomes "a/b".
std::string plain_path(std::string_view path) {
  std::vector<std::string> parts = split(path, '/');
  std::erase_if(parts, [](const std::string& part) { return part.empty() || part == "."; });
  return join(parts, "/");
}

bool has_parent(std::string_view path) {
  const auto parts = split(path, '/');
  return contains(parts, "..");
}

}  // namespace

void ManifestReader::add(Error error) {
  if (!is_full()) errors_.push_back(std::move(error));
}

std::string ManifestReader::suggest(std::string_view word, const std::vector<std::string>& known,
                                    std::string_view otherwise) const {
  return is_full() ? std::string(otherwise) : did_you_mean(word, known, otherwise);
}

bool ManifestReader::has_too_many(const Yaml& node, std::string_view what) {
  const std::size_t size = node.entries.size() + node.items.size();
  if (size <= k_most_entries) return false;
  fail(node.where, "'{}' has {} entries; at most {} are read", what, size, k_most_entries);
  return true;
}

Nodes ManifestReader::list(YamlMap& map, std::string_view key) {
  std::set<std::string> seen;
  Nodes nodes = items(map, key);
  std::erase_if(nodes, [&](const Yaml* item) {
    const bool is_new = seen.insert(item->text).second;
    if (!is_new)
      fail(item->where, "{} is repeated in '{}'; remove one of them", quoted(item->text), key);
    return !is_new;
  });
  return nodes;
}

std::vector<std::string> ManifestReader::texts(YamlMap& map, std::string_view key,
                                               std::string_view what,
                                               Refusal (*refuse)(std::string_view)) {
  std::vector<std::string> texts;
  for (const Yaml* item : list(map, key)) {
    if (const auto why = refuse(item->text))
      fail(item->where, "{} {} {}", what, quoted(item->text), *why);
    else texts.push_back(item->text);
  }
  return texts;
}

Nodes ManifestReader::items(YamlMap& map, std::string_view key) {
  const Yaml* list = map.take(key);
  if (!list || has_too_many(*list, key)) return {};
  Nodes nodes = map.take_items(key);
  std::erase_if(nodes, [&](const Yaml* item) {
    const bool is_empty = item->is_scalar() && item->text.empty();
    if (is_empty) fail(item->where, "'{}' has an empty value; remove it", key);
    return is_empty;
  });
  return nodes;
}

std::vector<const Yaml::Entry*> ManifestReader::entries(YamlMap& map, std::string_view key) {
  const Yaml* names = map.take(key);
  if (!names || has_too_many(*names, key)) return {};
  return map.take_entries(key);
}

std::string beside(const std::string& file, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return ((is_common(path) ? folder.parent_path() : folder) / path).string();
}

Refusal refuse_inner_path(std::string_view path) {
  if (std::ranges::any_of(path, is_control)) return "has a control character; choose another name";
  if (auto why = refuse_symbols(path)) return why;
  if (has_parent(path)) return "leaves its folder; write a path without '..'";
  const std::string plain = plain_path(path);
  if (path.starts_with('/'))
    return fmt::format("is absolute; write a path inside its folder{}",
                       plain.empty() ? "" : ", such as " + quoted(plain));
  if (plain.empty()) return "is not a path of a file or folder; write one";
  if (plain != path) return fmt::format("has an empty part or a '.'; write {}", quoted(plain));
  return std::nullopt;
}

Refusal refuse_absolute_path(std::string_view path) {
  if (std::ranges::any_of(path, is_control)) return "has a control character; choose another name";
  if (auto why = refuse_symbols(path)) return why;
  if (!path.starts_with('/'))
    return fmt::format("must be an absolute path, such as {}",
                       quoted(fmt::format("/usr/bin/{}", path.substr(path.rfind('/') + 1))));
  return std::nullopt;
}

Refusal refuse_program(std::string_view word) {
  const auto symbols = render::find_symbols(word);
  const std::string symbol =
      symbols.empty() || symbols.front().offset > 0 ? "" : symbols.front().name;
  const std::string_view rest = symbol.empty() ? word : word.substr(symbol.size() + 2);
  if (word.starts_with('/') || symbol == "orchestrate" || symbol.starts_with("file:"))
    return std::nullopt;
  if (symbol.starts_with("stage:") && rest.size() > 1 && rest.starts_with('/')) return std::nullopt;
  if (symbol.starts_with("stage:"))
    return "is a folder; name the program below it: {" + symbol + "}/bin/NAME";
  return "is not searched for on PATH; begin with an absolute path, {stage:NAME}/PATH, "
         "{file:PATH} or "
         "{orchestrate}";
}

Refusal refuse_url_path(std::string_view path) {
  if (!all(path, [](char c) { return !is_control(c) && c != ' '; }))
    return "has a space or a control character; write it as %20 or the like";
  if (auto why = refuse_symbols(path)) return why;
  if (!path.starts_with('/'))
    return fmt::format("must begin with '/'; write {}", quoted(fmt::format("/{}", path)));
  return std::nullopt;
}

Refusal refuse_dotted_path(std::string_view path) {
  if (path.empty() || path.starts_with('.') || path.ends_with('.') ||
      path.find("..") != std::string_view::npos)
    return "is not a path of names separated by dots, such as text_config.num_heads";
  return std::nullopt;
}

Refusal refuse_environment_name(std::string_view name) {
  if (is_variable_name(name)) return std::nullopt;
  return "is not the name of an environment variable: A-Z, a-z, 0-9 and _, not a digit first";
}

Refusal refuse_inherited(std::string_view name) {
  const std::string_view prefix = name.substr(0, name.find('*'));
  if (prefix.size() + 1 < name.size())
    return "has a '*' that is not at its end; write a name, or PREFIX_*";
  if (name == "*") return "would match every variable; write names, or PREFIX_*";
  if (refuse_environment_name(prefix))
    return "is neither the name of an environment variable nor PREFIX_*";
  const bool is_pattern = prefix.size() < name.size();
  if (name.starts_with(k_loader) || (is_pattern && k_loader.starts_with(prefix)))
    return "would match LD_*, which changes what every program loads; set what the stage needs "
           "under 'env'";
  return std::nullopt;
}

Refusal refuse_stage_name(std::string_view name) {
  if (name.size() <= k_longest_stage && is_column_name(name)) return std::nullopt;
  return fmt::format(
      "is not a stage name; use a-z, 0-9 and _, a letter first, at most {} characters",
      k_longest_stage);
}

Refusal refuse_port_name(std::string_view name) {
  if (is_column_name(name)) return std::nullopt;
  return "is not a port name; use a-z, 0-9 and _, a letter first";
}

Refusal refuse_index(std::string_view name) {
  if (!name.empty() && is_lower(name[0]) &&
      all(name, [](char c) { return is_lower(c) || c == '_'; }))
    return std::nullopt;
  return "is not an index name; use a-z and _, a letter first";
}

Refusal refuse_rule_name(std::string_view name) {
  if (!name.empty() && name.size() <= k_longest_rule &&
      all(name, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; }))
    return std::nullopt;
  return fmt::format("is not a rule name; use a-z, 0-9 and -, at most {} characters",
                     k_longest_rule);
}

}  // namespace orch::runner
