// The sections of a matrix that make points: defaults, axes, let, exclude, include and zip.
#include "core/base/text.hpp"
#include "spec/matrix/assignment.hpp"
#include "spec/matrix/parse/section_reader.hpp"
#include "spec/matrix/runners.hpp"

namespace orch::matrix {

namespace {

// One value, or the texts of a list parameter.
bool is_value(const Yaml& node) {
  return node.is_scalar() ||
         (node.is_list() &&
          std::ranges::all_of(node.items, [](const Yaml& item) { return item.is_scalar(); }));
}

// Adds ENTRY to SETS. WHAT and REMEDY are for the message if it is not a value.
void add_setting(SectionReader& reader, Settings& sets, const Yaml::Entry& entry,
                 std::string_view what, std::string_view remedy) {
  const auto& [name, value] = entry;
  if (is_value(value)) return static_cast<void>(sets.emplace_back(name.text, value));
  reader.fail(value.where, "{} must be one value, not {}{}", what, value.describe(), remedy);
  reader.break_name(name.text);
}

constexpr std::string_view k_make_an_axis = "; several values make an axis";

class AxisReader {
 public:
  AxisReader(SectionReader& reader, const Yaml& key)
      : reader_(reader), key_(key), axis_{.name = key.text, .values = {}, .where = key.where} {}

  Axis read(const Yaml& items) {
    for (const Yaml& item : items.items) read_value(item, items.items.front().is_map());
    return std::move(axis_);
  }

 private:
  void fail(const Location& where, const std::string& what) {
    reader_.fail(where, "axis {}{}", quoted(axis_.name), what);
    reader_.break_name(axis_.name);
  }

  void read_value(const Yaml& item, bool maps) {
    if (item.is_map() != maps) {
      const std::string& name =
          maps && !axis_.values.empty() ? axis_.values.front().sets.front().first : axis_.name;
      fail(item.where,
           fmt::format(" mixes plain values and maps; write all of them as maps: {{{}: VALUE}}",
                       printable(name)));
      for (const auto& [key, value] : item.entries) reader_.break_name(key.text);
    } else if (is_value(item)) {
      if (axis_.name == k_runner_key) reader_.check_parameter(key_, item);
      axis_.values.push_back({.sets = {{axis_.name, item}}, .where = item.where});
    } else if (item.is_map() && !item.entries.empty()) {
      read_map(item);
    } else {
      fail(item.where, fmt::format(": a value is one word, a list of words or a map of parameters, "
                                   "not {}",
                                   item.is_map() ? "an empty map" : item.describe()));
    }
  }

  void read_map(const Yaml& item) {
    AxisValue value{.sets = {}, .where = item.where};
    for (const Yaml::Entry& entry : item.entries) {
      reader_.check_parameter(entry.key, entry.value);
      if (!is_value(entry.value)) reader_.break_name(axis_.name);
      add_setting(reader_, value.sets, entry,
                  fmt::format("axis {}: {}", quoted(axis_.name), quoted(entry.key.text)), "");
    }
    if (!value.sets.empty()) axis_.values.push_back(std::move(value));
  }

  SectionReader& reader_;
  const Yaml& key_;
  Axis axis_;
};

bool is_map_axis(const Axis& axis) {
  return std::ranges::any_of(axis.values, [&](const AxisValue& value) {
    return value.sets.size() > 1 || value.sets.front().first != axis.name;
  });
}

// "[1, 4, 8]" for a list that was written without brackets: "1 4 8", "1, 4, 8".
std::string as_list(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" ,", begin), text.size());
    if (end > begin)
      out += fmt::format("{}{}", out.empty() ? "" : ", ", text.substr(begin, end - begin));
    begin = end + 1;
  }
  return fmt::format("[{}]", out);
}

}  // namespace

std::vector<SetByAxis> set_by(const Axis& axis) {
  std::vector<SetByAxis> out;
  std::map<std::string_view, std::size_t> known;
  for (const AxisValue& value : axis.values) {
    for (const auto& [name, scalar] : value.sets) {
      const auto [place, fresh] = known.try_emplace(name, out.size());
      if (fresh) out.push_back({.name = name, .where = scalar.where, .values = 0});
      ++out[place->second].values;
    }
  }
  return out;
}

namespace {

// The defaults of runner KEY.
void read_runner_defaults(SectionReader& reader, const Yaml& key, const Yaml& node) {
  RunnerDefaults defaults{.runner = key.text, .sets = {}, .where = node.where};
  for (const Yaml::Entry& entry : node.entries) {
    reader.check_column_name(entry.key, "default");
    add_setting(reader, defaults.sets, entry,
                fmt::format("default {} of {}", quoted(entry.key.text), quoted(key.text)),
                k_make_an_axis);
  }
  reader.matrix().runner_defaults.push_back(std::move(defaults));
}

}  // namespace

void read_defaults(SectionReader& reader, const Yaml& node) {
  if (!reader.is_map(node, "defaults", "defaults: {tp: 1}")) return;
  for (const Yaml::Entry& entry : node.entries) {
    const auto& [key, value] = entry;
    if (value.is_map()) {
      read_runner_defaults(reader, key, value);
      continue;
    }
    if (key.text == k_runner_key) {
      reader.fail(key.where,
                  "'runner' cannot be a default: write runner: NAME at the top of the matrix, "
                  "and {{runner: NAME}} in the maps of an axis for other runners");
      continue;
    }
    reader.check_column_name(key, "default");
    if (value.is_null()) reader.matrix().defaults.emplace_back(key.text, value);
    else
      add_setting(reader, reader.matrix().defaults, entry,
                  fmt::format("default {}", quoted(key.text)), k_make_an_axis);
  }
}

void refuse_strange_defaults(SectionReader& reader) {
  const auto names = members_of(runners_of(reader.matrix()), &NamedRunner::name);
  for (const RunnerDefaults& defaults : reader.matrix().runner_defaults) {
    if (contains(names, defaults.runner)) continue;
    reader.fail(defaults.where,
                "default {} must be one value, not a map; several values make an axis{}",
                quoted(defaults.runner),
                names.size() < 2
                    ? ""
                    : "; a map is for one of the runners of this matrix: " + join(names, ", "));
    reader.break_name(defaults.runner);
  }
}

void read_axes(SectionReader& reader, const Yaml& node) {
  if (!reader.is_map(node, "axes", "axes: {batch_size: [4, 8]}")) return;
  for (const auto& [key, value] : node.entries) {
    if (key.text != k_runner_key) reader.check_column_name(key, "axis");
    if (!value.is_list() || value.items.empty()) {
      const std::string instead = value.is_scalar() && !value.quoted && value.text.size() < 60
                                      ? as_list(printable(value.text))
                                      : "[VALUE, ...]";
      reader.fail(value.where, "axis {} must be a list of values, not {}; write {}: {}",
                  quoted(key.text), value.is_list() ? "an empty one" : value.describe(),
                  key.text.size() < 60 ? printable(key.text) : "NAME", instead);
      reader.break_name(key.text);
      continue;
    }
    Axis axis = AxisReader(reader, key).read(value);
    if (!axis.values.empty()) reader.matrix().axes.push_back(std::move(axis));
  }
}

void read_let(SectionReader& reader, const Yaml& node) {
  if (!reader.is_map(node, "let", "let: {total: isl + osl}")) return;
  for (const auto& [key, value] : node.entries) {
    const std::size_t before = reader.errors().size();
    reader.check_column_name(key, "let");
    auto expression = reader.expression(key.text, fmt::format("let {}", quoted(key.text)), value);
    if (reader.errors().size() == before) reader.matrix().let.push_back(std::move(*expression));
    else reader.break_name(key.text);
  }
}

void read_exclude(SectionReader& reader, const Yaml& node) {
  if (node.is_null()) return;
  const std::size_t before = reader.errors().size();
  if (!node.is_list())
    reader.fail(node.where,
                "'exclude' must be a list, not {}; write - and the predicate on a line below",
                node.describe());
  for (const Yaml& item : node.items)
    if (auto expression = reader.expression("", "a predicate of exclude", item))
      reader.matrix().exclude.push_back(std::move(*expression));
  if (reader.errors().size() != before) reader.break_name("exclude");
}

void read_include(SectionReader& reader, const Yaml& node) {
  if (node.is_null()) return;
  if (!node.is_list())
    return reader.fail(
        node.where, "'include' must be a list of maps, not {}; write - {{tp: 1}} on a line below",
        node.describe());
  for (const Yaml& item : node.items) {
    if (!item.is_map() || item.entries.empty()) {
      reader.fail(item.where,
                  "an entry of include must be a map of parameters, not {}; write {{tp: 1}}",
                  item.is_map() ? "an empty one" : item.describe());
      continue;
    }
    Include entry{.sets = {}, .where = item.where};
    for (const Yaml::Entry& one : item.entries) {
      reader.check_parameter(one.key, one.value);
      add_setting(reader, entry.sets, one, fmt::format("include: {}", quoted(one.key.text)),
                  "; write one entry for each value");
    }
    reader.matrix().include.push_back(std::move(entry));
  }
}

namespace {

struct Setter {
  std::string what;
  Location where;
};

// An axis and a `let` may share a parameter that not every value of the axis sets.
bool may_share(const Axis& axis, const SetByAxis& set) { return set.values < axis.values.size(); }

}  // namespace

void refuse_clashes(SectionReader& reader) {
  std::map<std::string, Setter> setters;
  std::set<std::string> shared;
  auto claim = [&](const std::string& name, const std::string& what, const Location& where) {
    const auto [first, fresh] = setters.try_emplace(name, Setter{what, where});
    if (!fresh)
      reader.fail(where, "{} sets {}, which {} at {} sets too; keep one", what, quoted(name),
                  first->second.what, to_string(first->second.where));
  };
  const Matrix& matrix = reader.matrix();
  for (const Axis& axis : matrix.axes) {
    for (const SetByAxis& set : set_by(axis)) {
      claim(set.name, fmt::format("axis {}", quoted(axis.name)), set.where);
      if (may_share(axis, set)) shared.insert(set.name);
    }
  }
  for (const Expression& let : matrix.let)
    if (!shared.contains(let.name)) claim(let.name, "let", let.where.first());
  for (const Axis& axis : matrix.axes) {
    const auto other = setters.find(axis.name);
    if (!is_map_axis(axis) || other == setters.end() ||
        other->second.what == fmt::format("axis {}", quoted(axis.name)))
      continue;
    reader.fail(axis.where, "axis {}: {} at {} sets a value of the same name; rename the axis",
                quoted(axis.name), other->second.what, to_string(other->second.where));
  }
}

namespace {

class Zipper {
 public:
  explicit Zipper(SectionReader& reader) : reader_(reader), axes_(reader.matrix().axes) {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      names_.push_back(axes_[i].name);
      places_.emplace(axes_[i].name, i);
    }
  }

  void zip(const Yaml& group) {
    std::vector<std::size_t> members;
    for (const Yaml& name : group.items)
      if (const auto index = find(name)) members.push_back(*index);
    if (members.size() != group.items.size()) return;
    if (members.size() < 2)
      return reader_.fail(
          group.where,
          "zip: a single axis has nothing to advance with; name two axes or more: [isl, osl]");
    for (std::size_t i = 1; i < members.size(); ++i)
      if (!same_length(members[0], members[i], group.items[i])) return;
    join_axes(members);
  }

 private:
  // The axis named by SCALAR. `zip` may name each axis only once.
  std::optional<std::size_t> find(const Yaml& scalar) {
    if (!scalar.is_scalar())
      return fail(scalar.where,
                  fmt::format("zip: an axis is named by one word, not {}", scalar.describe()));
    const auto found = places_.find(scalar.text);
    if (found == places_.end()) {
      if (reader_.matrix().broken.contains(scalar.text)) return std::nullopt;
      return fail(scalar.where, fmt::format("zip: {} is not an axis{}", quoted(scalar.text),
                                            reader_.suggest(scalar.text, names_)));
    }
    if (!taken_.insert(scalar.text).second)
      return fail(scalar.where, fmt::format("zip: axis {} is named twice; keep it in one group",
                                            quoted(scalar.text)));
    return found->second;
  }

  std::nullopt_t fail(const Location& where, std::string message) {
    reader_.fail(where, "{}", std::move(message));
    return std::nullopt;
  }

  bool same_length(std::size_t first, std::size_t other, const Yaml& scalar) {
    const Axis &a = axes_[first], &b = axes_[other];
    const auto& broken = reader_.matrix().broken;
    if (a.values.size() == b.values.size()) return true;
    if (!broken.contains(a.name) && !broken.contains(b.name))
      reader_.fail(scalar.where,
                   "zip: axis {} has {} values and axis {} has {}; give both the same number",
                   quoted(a.name), a.values.size(), quoted(b.name), b.values.size());
    return false;
  }

  void join_axes(const std::vector<std::size_t>& members) {
    Axis& first = axes_[members[0]];
    for (std::size_t i = 1; i < members.size(); ++i) {
      Axis& other = axes_[members[i]];
      first.name += "+" + other.name;
      for (std::size_t value = 0; value < first.values.size(); ++value)
        for (auto& set : other.values[value].sets)
          first.values[value].sets.push_back(std::move(set));
      other.values.clear();
    }
  }

  SectionReader& reader_;
  std::vector<Axis>& axes_;
  std::vector<std::string> names_;  // the axes as written
  std::map<std::string, std::size_t> places_;
  std::set<std::string> taken_;
};

}  // namespace

void read_zip(SectionReader& reader, const Yaml& node) {
  if (node.is_null()) return;
  constexpr std::string_view k_example = "zip: [isl, osl] or zip: [[isl, osl], [tp, pp]]";
  if (!node.is_list() || node.items.empty())
    return reader.fail(node.where, "'zip' must be a list of axes, not {}; write {}",
                       node.is_list() ? "an empty one" : node.describe(), k_example);
  Zipper zipper(reader);
  if (!node.items.front().is_list()) {
    zipper.zip(node);
  } else {
    for (const Yaml& group : node.items) {
      if (group.is_list()) zipper.zip(group);
      else
        reader.fail(group.where, "'zip' mixes lists and {}; write {}", group.describe(), k_example);
    }
  }
  std::erase_if(reader.matrix().axes, [](const Axis& axis) { return axis.values.empty(); });
}

}  // namespace orch::matrix
