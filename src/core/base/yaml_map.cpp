#include "core/base/key_table.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml.hpp"

namespace orch {

std::optional<bool> to_bool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

namespace {

std::vector<std::string> names_of(const KeyTable& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys.keys) names.emplace_back(key.name);
  return names;
}

}  // namespace

YamlMap::YamlMap(const Yaml& node, const KeyTable& keys, std::string what, Errors& errors)
    : YamlMap(node, names_of(keys), std::move(what), errors) {}

YamlMap::YamlMap(const Yaml& node, std::vector<std::string> keys, std::string what, Errors& errors)
    : node_(node), what_(std::move(what)), errors_(errors), known_(std::move(keys)) {
  if (!node.is_map() && !node.is_null())
    errors_.push_back(
        invalid(fmt::format("{} must be a map of keys and values, not {}", what_, node.describe()),
                node.where));
}

const Yaml* YamlMap::take(std::string_view key) {
  assert(std::ranges::find(known_, key) != known_.end());
  const Yaml* value = node_.find(key);
  return value && value->idle ? nullptr : value;
}

const Yaml* YamlMap::require(std::string_view key) {
  const Yaml* value = take(key);
  if (!value && (node_.is_map() || node_.is_null()))
    errors_.push_back(invalid(fmt::format("{} has no '{}'; add it", what_, key), node_.where));
  return value;
}

std::optional<std::string> YamlMap::take_text(std::string_view key) {
  const Yaml* value = take(key);
  if (!value) return std::nullopt;
  if (value->is_scalar()) return value->text;
  errors_.push_back(
      invalid(fmt::format("'{}' must be one value, not {}", key, value->describe()), value->where));
  return std::nullopt;
}

std::vector<std::string> YamlMap::take_texts(std::string_view key) {
  const Yaml* value = take(key);
  if (!value) return {};
  if (value->is_scalar()) return {value->text};
  if (!value->is_list())
    errors_.push_back(
        invalid(fmt::format("'{}' must be a list, not {}", key, value->describe()), value->where));
  return take_items(key, *value);
}

std::vector<std::string> YamlMap::take_list(std::string_view key) {
  const Yaml* value = take(key);
  if (!value) return {};
  if (!value->is_list()) {
    const std::string item = value->text.size() <= 60 ? printable(value->text) : "...";
    const std::string remedy = value->is_scalar() ? fmt::format("; write [{}]", item) : "";
    errors_.push_back(
        invalid(fmt::format("'{}' must be a list, not {}{}", key, value->describe(), remedy),
                value->where));
  }
  return take_items(key, *value);
}

std::vector<std::string> YamlMap::take_items(std::string_view key, const Yaml& value) {
  std::vector<std::string> texts;
  for (const Yaml& item : value.items) {
    if (item.is_scalar()) texts.push_back(item.text);
    else
      errors_.push_back(invalid(
          fmt::format("'{}' must be a list of plain values, not of {}", key, item.describe()),
          item.where));
  }
  return texts;
}

std::optional<std::int64_t> YamlMap::take_integer(std::string_view key, std::int64_t least) {
  const Yaml* value = take(key);
  if (!value) return std::nullopt;
  const auto number = value->is_scalar() ? to_integer(value->text) : std::nullopt;
  if (number && *number >= least) return number;
  errors_.push_back(invalid(fmt::format("'{}' must be a whole number, at least {}, not {}", key,
                                        least, value->describe()),
                            value->where));
  return std::nullopt;
}

std::optional<double> YamlMap::take_seconds(std::string_view key) {
  static constexpr double k_most = 1e7;
  const Yaml* value = take(key);
  if (!value) return std::nullopt;
  const auto number = value->is_scalar() ? to_real(value->text) : std::nullopt;
  if (number && *number > 0 && *number <= k_most) return number;
  const std::string_view bounds = number && *number > k_most ? "of at most 10000000" : "above 0";
  errors_.push_back(invalid(
      fmt::format("'{}' must be a number of seconds {}, not {}", key, bounds, value->describe()),
      value->where));
  return std::nullopt;
}

std::optional<bool> YamlMap::take_bool(std::string_view key) {
  const Yaml* value = take(key);
  if (!value) return std::nullopt;
  const auto flag = value->is_scalar() ? to_bool(value->text) : std::nullopt;
  if (!flag)
    errors_.push_back(invalid(
        fmt::format("'{}' must be true or false, not {}", key, value->describe()), value->where));
  return flag;
}

void YamlMap::finish() {
  if (!node_.is_map()) return;
  for (const auto& [key, value] : node_.entries) {
    if (std::ranges::find(known_, key.text) != known_.end()) continue;
    errors_.push_back(invalid(fmt::format("unknown key {} in {}{}", quoted(key.text), what_,
                                          did_you_mean(key.text, known_)),
                              key.where));
  }
}

}  // namespace orch
