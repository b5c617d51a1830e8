#include "spec/runner/manifest_reader.hpp"

#include "core/base/text.hpp"

#include <set>

namespace orch::runner {

namespace {

// TEXT as one value of a list in brackets.
std::string flow_word(const std::string& text) {
  static constexpr std::string_view k_plain = "_-./=+";
  const auto is_plain = [](char c) {
    return is_letter_or_digit(c) || k_plain.find(c) != std::string_view::npos;
  };
  if (std::ranges::all_of(text, is_plain)) return text;
  const char quote = text.find('"') == std::string::npos ? '"' : '\'';
  return quote + text + quote;
}

// TEXT as the list that its author most likely meant.
std::string flow_list(const std::string& text, bool of_words) {
  std::vector<std::string> words;
  for (const std::string& word : of_words ? split(text, ' ') : std::vector{text})
    if (!word.empty()) words.push_back(flow_word(word));
  return "[" + join(words, ", ") + "]";
}

}  // namespace

std::vector<std::string> texts_of(const Nodes& nodes) {
  std::vector<std::string> texts;
  for (const Yaml* node : nodes) texts.push_back(node->text);
  return texts;
}

void ManifestReader::add(Error error) {
  if (!is_full()) errors_.push_back(std::move(error));
}

std::string ManifestReader::suggest(std::string_view word,
                                    const std::vector<std::string>& known) const {
  return is_full() ? "" : did_you_mean(word, known);
}

bool ManifestReader::has_too_many(const Yaml& node, std::string_view what) {
  const std::size_t size = node.entries.size() + node.items.size();
  if (size <= k_most_entries) return false;
  fail(node.where, "'{}' has {} entries; at most {} are read", what, size, k_most_entries);
  return true;
}

const Yaml* ManifestReader::text(YamlMap& map, std::string_view key) {
  const Yaml* value = map.take(key);
  if (!value) return nullptr;
  if (value->is_scalar()) return value;
  fail(value->where, "'{}' must be one value, not {}", key, value->describe());
  return nullptr;
}

const Yaml* ManifestReader::required(YamlMap& map, std::string_view key) {
  return map.require(key) ? filled(map, key) : nullptr;
}

const Yaml* ManifestReader::filled(YamlMap& map, std::string_view key) {
  const Yaml* value = text(map, key);
  if (!value || !value->text.empty()) return value;
  fail(value->where, "'{}' is empty; give it a value", key);
  return nullptr;
}

std::string ManifestReader::required_text(YamlMap& map, std::string_view key) {
  const Yaml* value = required(map, key);
  return value ? value->text : "";
}

const Yaml* ManifestReader::take_list(YamlMap& map, std::string_view key, bool of_words) {
  const Yaml* value = map.take(key);
  if (!value || (value->is_list() && !has_too_many(*value, key))) return value;
  if (value->is_list()) return nullptr;
  std::string instead = value->is_null() ? "[] or leave it out" : "[VALUE, ...]";
  if (value->is_scalar()) instead = flow_list(value->text, of_words);
  fail(value->where, "'{}' must be a list, not {}; write {}", key, value->describe(), instead);
  return nullptr;
}

bool ManifestReader::is_good(const Yaml& item, std::string_view key) {
  if (!item.is_scalar()) {
    fail(item.where, "'{}' must be a list of plain values, not of {}", key, item.describe());
    return false;
  }
  if (item.text.empty()) {
    fail(item.where, "'{}' has an empty value; remove it", key);
    return false;
  }
  return true;
}

Nodes ManifestReader::list(YamlMap& map, std::string_view key) {
  Nodes nodes;
  std::set<std::string> seen;
  const Yaml* list = take_list(map, key, false);
  if (!list) return nodes;
  for (const Yaml& item : list->items) {
    if (!is_good(item, key)) continue;
    if (seen.insert(item.text).second) nodes.push_back(&item);
    else fail(item.where, "{} is repeated in '{}'; remove one of them", quoted(item.text), key);
  }
  return nodes;
}

Nodes ManifestReader::words(YamlMap& map, std::string_view key, bool fragments) {
  Nodes nodes;
  const Yaml* list = take_list(map, key, true);
  if (!list) return nodes;
  for (const Yaml& item : list->items)
    if ((fragments && item.is_map()) || is_good(item, key)) nodes.push_back(&item);
  return nodes;
}

Nodes ManifestReader::maps(YamlMap& map, std::string_view key) {
  Nodes nodes;
  const Yaml* value = map.take(key);
  if (!value) return nodes;
  if (!value->is_list())
    fail(value->where, "'{}' must be a list of maps, not {}; write [{{KEY: VALUE, ...}}, ...]", key,
         value->describe());
  else if (has_too_many(*value, key)) return nodes;
  for (const Yaml& item : value->items) nodes.push_back(&item);
  return nodes;
}

std::vector<std::pair<const Yaml*, const Yaml*>> ManifestReader::pairs(YamlMap& map,
                                                                       std::string_view key) {
  std::vector<std::pair<const Yaml*, const Yaml*>> pairs;
  const Yaml* node = map.take(key);
  if (!node) return pairs;
  if (!node->is_map())
    fail(node->where, "'{}' must be a map of names and values, not {}; write {{NAME: VALUE}}", key,
         node->describe());
  else if (has_too_many(*node, key)) return pairs;
  for (const auto& [name, value] : node->entries) {
    if (!value.is_scalar())
      fail(value.where, "{} in '{}' must be one value, not {}{}", quoted(name.text), key,
           value.describe(), value.is_null() ? "; write '' for the empty text" : "");
    else pairs.emplace_back(&name, &value);
  }
  return pairs;
}

}  // namespace orch::runner
