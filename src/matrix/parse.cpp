// matrix.yaml -> Matrix: the shape of the file and its names. Types and meanings are expand()'s.
#include "base/text.hpp"
#include "base/yaml.hpp"
#include "matrix/matrix.hpp"
#include "matrix/names.hpp"

namespace orch::matrix {

namespace {

// A key of the language that this version cannot act on, and what to do meanwhile.
struct LaterKey {
  std::string_view key;
  std::string_view remedy;
};
constexpr LaterKey k_later_keys[] = {
    {"zip", "write the values that go together as one axis of maps: [{a: 1, b: 2}, {a: 3, b: 4}]"},
    {"base", "copy what you need from the other file"},
    {"include", "write a matrix of its own for these points"},
    {"datasets", "prompts are synthetic"},
    {"provide", "let the runner make it"},
};
constexpr std::int64_t k_most_repeats = 1000;
constexpr std::size_t k_names_shown = 5;
constexpr std::size_t k_values_told = 10;
constexpr std::string_view k_sources[] = {"hf:", "local:", "generate:"};

class Parser {
 public:
  Parser(const std::string& file, Errors& errors) : errors_(errors) { matrix_.file = file; }

  Matrix parse(const Yaml& root) {
    YamlMap map(root, "the matrix", errors_);
    read_name(map.require("name"), "name", matrix_.name);
    if (const Yaml* runner = map.require("runner")) {
      read_name(runner, "runner", matrix_.runner);
      matrix_.runner_where = runner->where;
    }
    if (const Yaml* node = map.take("defaults")) read_defaults(*node);
    if (const Yaml* node = map.take("axes")) read_axes(*node);
    if (const Yaml* node = map.take("let")) read_let(*node);
    if (const Yaml* node = map.take("exclude")) read_exclude(*node);
    if (const Yaml* node = map.take("models")) read_models(*node);
    if (const Yaml* node = map.take("measure")) read_measure(*node);
    refuse_later_keys(map, root);
    map.finish();
    refuse_clashes();
    return std::move(matrix_);
  }

 private:
  void fail(const Location& where, std::string message) { errors_.push_back(invalid(std::move(message), where)); }

  void refuse_later_keys(YamlMap& map, const Yaml& root) {
    for (const auto& [key, value] : root.entries)
      for (const LaterKey& later : k_later_keys)
        if (key.text == later.key) fail(key.where, fmt::format("'{}' is not in this version yet; {}", later.key, later.remedy));
    for (const LaterKey& later : k_later_keys) map.take(later.key);
  }

  bool read_name(const Yaml* node, std::string_view what, std::string& name) {
    if (!node) return false;
    if (!node->is_scalar()) {
      fail(node->where, fmt::format("'{}' must be one word, not {}", what, node->describe()));
      return false;
    }
    name = node->text;
    if (auto why = refuse_free_name(name)) fail(node->where, fmt::format("{} '{}': {}", what, name, *why));
    return true;
  }

  void check_column_name(const Yaml& key, std::string_view what) {
    if (auto why = refuse_column_name(key.text)) fail(key.where, fmt::format("{} '{}': {}", what, key.text, *why));
  }

  bool is_map(const Yaml& node, std::string_view key, std::string_view example) {
    if (node.is_map()) return true;
    if (!node.is_null()) fail(node.where, fmt::format("'{}' must be a map, not {}; write {}", key, node.describe(), example));
    return false;
  }

  void read_defaults(const Yaml& node) {
    if (!is_map(node, "defaults", "defaults: {tp: 1}")) return;
    for (const auto& [key, value] : node.entries) {
      check_column_name(key, "default");
      if (value.is_list() || value.is_map())
        fail(value.where, fmt::format("default '{}' must be one value, not {}; several values make an axis", key.text, value.describe()));
      else matrix_.defaults.emplace_back(key.text, value);
    }
  }

  void read_axes(const Yaml& node) {
    if (!is_map(node, "axes", "axes: {batch_size: [4, 8]}")) return;
    for (const auto& [key, value] : node.entries) {
      check_column_name(key, "axis");
      if (!value.is_list() || value.items.empty()) {
        const std::string instead = value.is_scalar() ? fmt::format("[{}]", value.text) : "[VALUE, ...]";
        fail(value.where, fmt::format("axis '{}' must be a list of values, not {}; write {}: {}", key.text,
                                      value.is_list() ? "an empty one" : value.describe(), key.text, instead));
        continue;
      }
      Axis axis{.name = key.text, .values = {}, .where = key.where};
      for (const Yaml& item : value.items) read_axis_value(axis, item, value.items.front().is_map());
      check_same_parameters(axis);
      matrix_.axes.push_back(std::move(axis));
    }
  }

  void read_axis_value(Axis& axis, const Yaml& item, bool maps) {
    if (item.is_map() != maps) {
      fail(item.where, fmt::format("axis '{}' mixes plain values and maps; write all of them as maps: {{{}: VALUE}}", axis.name,
                                   maps && !axis.values.empty() ? axis.values.front().sets.front().first : axis.name));
    } else if (item.is_scalar()) {
      axis.values.push_back({.sets = {{axis.name, item}}, .where = item.where});
    } else if (item.is_map() && !item.entries.empty()) {
      read_map_value(axis, item);
    } else {
      fail(item.where, fmt::format("axis '{}': a value is one word or a map of parameters, not {}", axis.name,
                                   item.is_map() ? "an empty map" : item.describe()));
    }
  }

  void read_map_value(Axis& axis, const Yaml& item) {
    AxisValue value{.sets = {}, .where = item.where};
    for (const auto& [key, scalar] : item.entries) {
      check_column_name(key, "parameter");
      if (scalar.is_scalar()) value.sets.emplace_back(key.text, scalar);
      else fail(scalar.where, fmt::format("axis '{}': '{}' must be one value, not {}", axis.name, key.text, scalar.describe()));
    }
    if (value.sets.size() == item.entries.size()) axis.values.push_back(std::move(value));
  }

  // A parameter that only some values set would have no value in the other points.
  void check_same_parameters(const Axis& axis) {
    const auto names = [](const AxisValue& value) {
      std::set<std::string> out;
      for (const auto& [name, scalar] : value.sets) out.insert(name);
      return out;
    };
    if (axis.values.empty()) return;
    const std::set<std::string> first = names(axis.values.front());
    std::size_t told = 0;
    for (const AxisValue& value : axis.values) {
      const std::set<std::string> own = names(value);
      if (own == first) continue;
      if (++told > k_values_told) return;
      std::vector<std::string> differing;
      std::set_symmetric_difference(first.begin(), first.end(), own.begin(), own.end(), std::back_inserter(differing));
      fail(value.where, fmt::format("axis '{}': every value must set the same parameters; this one and the first one differ in {}{}", axis.name,
                                    join(std::span(differing).first(std::min(differing.size(), k_names_shown)), ", "),
                                    differing.size() > k_names_shown ? ", ..." : ""));
    }
  }

  std::optional<Expression> read_expression(std::string name, std::string_view what, const Yaml& node) {
    if (node.is_scalar()) return Expression{.name = std::move(name), .sql = node.text, .where = node.where};
    fail(node.where, fmt::format("{} must be an SQL expression, not {}; put it in quotes if it has a ':', '{{' or '['", what, node.describe()));
    return std::nullopt;
  }

  void read_let(const Yaml& node) {
    if (!is_map(node, "let", "let: {total: isl + osl}")) return;
    for (const auto& [key, value] : node.entries) {
      check_column_name(key, "let");
      if (auto expression = read_expression(key.text, fmt::format("let '{}'", key.text), value)) matrix_.let.push_back(std::move(*expression));
    }
  }

  void read_exclude(const Yaml& node) {
    if (node.is_null()) return;
    if (!node.is_list()) return fail(node.where, fmt::format("'exclude' must be a list, not {}; write - and the predicate on a line below", node.describe()));
    for (const Yaml& item : node.items)
      if (auto expression = read_expression("", "a predicate of exclude", item)) matrix_.exclude.push_back(std::move(*expression));
  }

  void read_models(const Yaml& node) {
    if (!is_map(node, "models", "models: {NAME: {source: \"local:PATH\"}}")) return;
    for (const auto& [key, value] : node.entries) {
      if (auto why = refuse_free_name(key.text)) fail(key.where, fmt::format("model '{}': {}", key.text, *why));
      YamlMap map(value, fmt::format("model '{}'", key.text), errors_);
      Model model{.source = {}, .revision = map.take_text("revision").value_or(""), .where = key.where};
      if (const Yaml* source = map.require("source")) read_source(key.text, *source, model);
      map.finish();
      matrix_.models.emplace(key.text, std::move(model));
    }
  }

  void read_source(const std::string& name, const Yaml& source, Model& model) {
    model.source = source.text;
    const bool known = std::any_of(std::begin(k_sources), std::end(k_sources), [&](std::string_view prefix) {
      return model.source.starts_with(prefix) && model.source.size() > prefix.size();
    });
    if (!known)
      fail(source.where, fmt::format("model '{}': 'source' must be hf:OWNER/NAME, local:PATH or generate:SHAPE, not {}", name, source.describe()));
  }

  void read_measure(const Yaml& node) {
    YamlMap map(node, "'measure'", errors_);
    if (const Yaml* warmup = map.take("warmup")) matrix_.measure.warmup = read_expression("", "'measure.warmup'", *warmup);
    if (const auto seed = map.take_integer("seed", 0)) matrix_.measure.seed = *seed;
    if (const Yaml* repeats = map.take("repeats")) read_repeats(*repeats);
    if (const Yaml* limits = map.take("limits")) read_limits(*limits);
    if (const Yaml* prompts = map.take("prompts"); prompts && prompts->text != "synthetic")
      fail(prompts->where, fmt::format("'measure.prompts' can only be synthetic in this version, not {}", prompts->describe()));
    if (const Yaml* goodput = map.take("goodput")) fail(goodput->where, "'measure.goodput' is not in this version yet; take it out");
    map.finish();
  }

  void read_limits(const Yaml& node) {
    YamlMap map(node, "'measure.limits'", errors_);
    Limits& limits = matrix_.measure.limits;
    auto read = [&](const char* key, double& limit) {
      const Yaml* value = map.take(key);
      if (!value) return;
      const auto number = value->is_scalar() ? to_real(value->text) : std::nullopt;
      if (number && *number > 0) limit = *number;
      else fail(value->where, fmt::format("'measure.limits.{}' must be a number above 0, not {}", key, value->describe()));
    };
    read("wake_lag_ms", limits.wake_lag_ms);
    read("client_cpu_share", limits.client_cpu_share);
    map.finish();
  }

  void read_repeats(const Yaml& node) {
    if (node.is_scalar()) return fail(node.where, fmt::format("'measure.repeats' must be a map; write {{measure: {}}}", node.text));
    YamlMap map(node, "'measure.repeats'", errors_);
    const Yaml* written = node.find("measure");
    if (const auto repeats = map.take_integer("measure", 1)) {
      matrix_.measure.repeats = std::min(*repeats, k_most_repeats);
      if (*repeats > k_most_repeats) fail(written->where, fmt::format("'measure.repeats.measure' is {}; at most {} are made", *repeats, k_most_repeats));
    }
    for (const char* level : {"serve", "build"})
      if (const Yaml* value = map.take(level); value && value->text != "1")
        fail(value->where, fmt::format("'measure.repeats.{}' can only be 1 in this version, not {}", level, value->describe()));
    map.finish();
  }

  // Two places that set one name.
  void refuse_clashes() {
    struct Setter {
      std::string what;
      Location where;
    };
    std::map<std::string, Setter> setters;
    auto claim = [&](const std::string& name, const std::string& what, const Location& where) {
      const auto [first, fresh] = setters.try_emplace(name, Setter{what, where});
      if (!fresh)
        fail(where, fmt::format("{} sets '{}', which {} at {} sets too; keep one", what, name, first->second.what, to_string(first->second.where)));
    };
    for (const Axis& axis : matrix_.axes) {
      if (axis.values.empty()) continue;
      for (const auto& [name, scalar] : axis.values.front().sets) claim(name, fmt::format("axis '{}'", axis.name), scalar.where);
    }
    for (const Expression& let : matrix_.let) claim(let.name, "let", let.where.first());
    for (const Axis& axis : matrix_.axes) {
      const auto other = setters.find(axis.name);
      if (!is_map_axis(axis) || other == setters.end() || other->second.what == fmt::format("axis '{}'", axis.name)) continue;
      fail(axis.where, fmt::format("axis '{}' has the name of what {} at {} sets; rename the axis", axis.name, other->second.what, to_string(other->second.where)));
    }
  }

  static bool is_map_axis(const Axis& axis) {
    return !axis.values.empty() && (axis.values.front().sets.size() > 1 || axis.values.front().sets.front().first != axis.name);
  }

  Matrix matrix_;
  Errors& errors_;
};

}  // namespace

Matrix parse_matrix(std::string_view text, const std::string& file, Errors& errors, const ReadBase&) {
  const std::size_t before = errors.size();
  const auto root = parse_yaml(text, file);
  if (!root) {
    errors.push_back(root.error());
    return {};
  }
  Matrix matrix = Parser(file, errors).parse(*root);
  sort_by_place(errors, before);
  return matrix;
}

}  // namespace orch::matrix
