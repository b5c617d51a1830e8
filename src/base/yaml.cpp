#include "base/yaml.hpp"

#include "base/text.hpp"

#include <yaml-cpp/yaml.h>

#include <set>

namespace orch {

const Yaml* Yaml::find(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name.text == key) return &value;
  return nullptr;
}

std::string Yaml::describe() const {
  switch (kind) {
    case Kind::null: return "nothing";
    case Kind::scalar: return fmt::format("the value '{}'", text);
    case Kind::list: return "a list";
    case Kind::map: return "a map";
  }
  return "";
}

namespace {

class Converter {
 public:
  Converter(const std::string& file, const YamlLimits& limits) : file_(file), limits_(limits) {}

  Result<Yaml> convert(const YAML::Node& node, std::size_t depth) {
    Yaml out;
    out.where = {file_, node.Mark().line + 1, node.Mark().column + 1};
    if (depth > limits_.depth) return invalid(fmt::format("nested deeper than {} levels; flatten the file", limits_.depth), out.where);
    if (++nodes_ > limits_.nodes)
      return invalid(fmt::format("more than {} nodes after aliases are expanded; shorten the file", limits_.nodes), out.where);
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null: return out;
      case YAML::NodeType::Scalar:
        out.kind = Yaml::Kind::scalar;
        out.text = node.Scalar();
        out.quoted = node.Tag() == "!";
        return out;
      case YAML::NodeType::Sequence:
        out.kind = Yaml::Kind::list;
        for (const auto& item : node) {
          ORCH_ASSIGN(Yaml child, convert(item, depth + 1));
          out.items.push_back(std::move(child));
        }
        return out;
      case YAML::NodeType::Map: return convert_map(node, std::move(out), depth);
    }
    return out;
  }

 private:
  Result<Yaml> convert_map(const YAML::Node& node, Yaml out, std::size_t depth) {
    out.kind = Yaml::Kind::map;
    std::set<std::string> seen;
    for (const auto& entry : node) {
      ORCH_ASSIGN(Yaml key, convert(entry.first, depth + 1));
      if (!key.is_scalar()) return invalid(fmt::format("a key must be a plain word, not {}", key.describe()), key.where);
      if (!seen.insert(key.text).second) return invalid(fmt::format("duplicate key '{}'; keep one of the two", key.text), key.where);
      ORCH_ASSIGN(Yaml value, convert(entry.second, depth + 1));
      if (value.is_null()) value.where = key.where;
      out.entries.emplace_back(std::move(key), std::move(value));
    }
    return out;
  }

  const std::string& file_;
  const YamlLimits& limits_;
  std::size_t nodes_ = 0;
};

// yaml-cpp 0.7 stops at 500 levels by itself and calls it a bad file.
std::string_view words_of(const YAML::Exception& error) {
  return error.msg == "bad file" ? std::string_view("nested too deep, or not a text; flatten the file") : std::string_view(error.msg);
}

}  // namespace

Result<Yaml> parse_yaml(std::string_view text, std::string file, const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    return invalid(fmt::format("the file has {}; at most {} are read", human_bytes(text.size()), human_bytes(limits.bytes)), {file, 0, 0});
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    const int line = static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n')) + 1;
    return invalid("a NUL byte; this is not a YAML text", {file, line, 0});
  }
  if (const auto bad = find_not_utf8(text); bad != std::string_view::npos) {
    const std::string_view before = text.substr(0, bad);
    const auto line_start = before.rfind('\n');
    return invalid("a byte that is not UTF-8; save the file as UTF-8", {file, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
                                                                       static_cast<int>(line_start == std::string_view::npos ? bad : bad - line_start - 1) + 1});
  }
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.empty()) return Yaml{.kind = Yaml::Kind::null, .text = {}, .quoted = false, .items = {}, .entries = {}, .where = {file, 1, 1}};
    if (documents.size() > 1)
      return invalid("more than one document ('---') in the file; keep one",
                     {file, documents[1].Mark().line + 1, documents[1].Mark().column + 1});
    return Converter(file, limits).convert(documents.front(), 0);
  } catch (const YAML::Exception& error) {
    return invalid(fmt::format("not valid YAML: {}", words_of(error)), {file, error.mark.line + 1, error.mark.column + 1});
  }
}

std::optional<bool> to_bool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

YamlMap::YamlMap(const Yaml& node, std::string what, Errors& errors) : node_(node), what_(std::move(what)), errors_(errors) {
  if (!node.is_map() && !node.is_null())
    errors_.push_back(invalid(fmt::format("{} must be a map of keys and values, not {}", what_, node.describe()), node.where));
}

const Yaml* YamlMap::take(std::string_view key) {
  known_.emplace_back(key);
  return node_.find(key);
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
  errors_.push_back(invalid(fmt::format("'{}' must be one value, not {}", key, value->describe()), value->where));
  return std::nullopt;
}

std::vector<std::string> YamlMap::take_texts(std::string_view key) {
  std::vector<std::string> texts;
  const Yaml* value = take(key);
  if (!value) return texts;
  if (value->is_scalar()) return {value->text};
  if (!value->is_list()) errors_.push_back(invalid(fmt::format("'{}' must be a list, not {}", key, value->describe()), value->where));
  for (const Yaml& item : value->items) {
    if (item.is_scalar()) texts.push_back(item.text);
    else errors_.push_back(invalid(fmt::format("'{}' must be a list of plain values, not of {}", key, item.describe()), item.where));
  }
  return texts;
}

std::optional<std::int64_t> YamlMap::take_integer(std::string_view key, std::int64_t least) {
  const Yaml* value = take(key);
  if (!value) return std::nullopt;
  const auto number = value->is_scalar() ? to_integer(value->text) : std::nullopt;
  if (number && *number >= least) return number;
  errors_.push_back(invalid(fmt::format("'{}' must be a whole number, at least {}, not {}", key, least, value->describe()), value->where));
  return std::nullopt;
}

std::optional<double> YamlMap::take_seconds(std::string_view key) {
  const Yaml* value = take(key);
  if (!value) return std::nullopt;
  const auto number = value->is_scalar() ? to_real(value->text) : std::nullopt;
  if (number && *number > 0) return number;
  errors_.push_back(invalid(fmt::format("'{}' must be a number of seconds above 0, not {}", key, value->describe()), value->where));
  return std::nullopt;
}

std::optional<bool> YamlMap::take_bool(std::string_view key) {
  const Yaml* value = take(key);
  if (!value) return std::nullopt;
  const auto flag = value->is_scalar() ? to_bool(value->text) : std::nullopt;
  if (!flag) errors_.push_back(invalid(fmt::format("'{}' must be true or false, not {}", key, value->describe()), value->where));
  return flag;
}

void YamlMap::finish() {
  if (!node_.is_map()) return;
  for (const auto& [key, value] : node_.entries) {
    if (std::find(known_.begin(), known_.end(), key.text) != known_.end()) continue;
    errors_.push_back(invalid(fmt::format("unknown key '{}' in {}{}", key.text, what_, did_you_mean(key.text, known_)), key.where));
  }
}

}  // namespace orch
