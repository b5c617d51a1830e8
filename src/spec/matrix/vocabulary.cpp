#include "spec/matrix/vocabulary.hpp"

#include "core/base/text.hpp"
#include "core/sql/database.hpp"
#include "spec/matrix/expand.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

namespace orch::matrix {

namespace {

struct Older {
  bool operator()(const std::string& a, const std::string& b) const {
    return compare_versions(a, b) < 0;
  }
};

std::string what_is_known(const Versions& versions, const std::string& version) {
  const Versions::Row* row = versions.at(version);
  if (!row) return "";  // rejected by the runner
  if (compare_versions(row->version, version) != 0)
    return fmt::format(
        "is not in the runner's table and is assumed to have the options of {} (inferred)",
        row->version);
  if (row->evidence == Evidence::verified) return "";
  const std::string_view how =
      row->evidence == Evidence::neighbour ? "is known from a neighbouring version" : "is inferred";
  return fmt::format("{}{}{}", how, row->note.empty() ? "" : ": ", row->note);
}

// "0.15" for 0.14.0 and 0.14.2: greater than all versions of this minor release and of older ones.
std::string next_minor(const std::string& version) {
  std::vector<std::string> parts = split(version, '.');
  parts.resize(std::min<std::size_t>(parts.size(), 2));
  const auto number = to_integer(parts.back());
  parts.back() = number ? std::to_string(*number + 1) : parts.back() + "z";
  return join(parts, ".");
}

}  // namespace

std::string known_versions_sql(const Versions& versions) {
  std::vector<std::string> ranges, ends;
  for (const Versions::Row& row : versions.rows) {
    const std::string end = next_minor(row.version);
    if (!ends.empty() && ends.back() == end) continue;
    ends.push_back(end);
    ranges.push_back(fmt::format("{0} >= {1} AND {0} < {2}", versions.parameter,
                                 sql::quote_text(row.version), sql::quote_text(end)));
  }
  return join(ranges, " OR ");
}

std::string instead_of(const Versions& versions, const std::string& version) {
  if (versions.carried_by)
    for (const auto& [release, carried] : versions.carried_by->rows)
      if (release == version)
        return fmt::format("{} {} carries {} {}: write {}", versions.carried_by->of, release,
                           versions.of, carried, carried);
  const Versions::Row* before = versions.at(version);
  const auto after = std::ranges::find_if(versions.rows, [&](const Versions::Row& row) {
    return compare_versions(row.version, version) > 0;
  });
  if (!before) return fmt::format("the oldest is {}", versions.rows.front().version);
  if (after == versions.rows.end())
    return fmt::format("the newest is {}", versions.rows.back().version);
  return fmt::format("the nearest are {} and {}", before->version, after->version);
}

const Versions::Row* Versions::at(std::string_view version) const {
  const Row* found = nullptr;
  for (const Row& row : rows)
    if (compare_versions(row.version, version) <= 0) found = &row;
  return found;
}

std::vector<std::string> warnings_of(const Versions& versions, const Points& points) {
  std::map<std::string, std::size_t, Older> counts;
  for (std::size_t point = 0; point < points.size(); ++point)
    if (!points.is_rejected(point))
      if (const Value* version = points.parameters(point).find(versions.parameter))
        ++counts[version->text];
  std::vector<std::string> warnings;
  for (const auto& [version, count] : counts)
    if (const std::string known = what_is_known(versions, version); !known.empty())
      warnings.push_back(
          fmt::format("{} {} ({}) {}; if the tool is installed, its own --help decides",
                      versions.of, version, plural(count, "point"), known));
  return warnings;
}

std::span<const Parameter> host_facts() {
  static const std::vector<Parameter> k_facts = {
      {.name = "host_gpus", .type = Type::integer, .least = 0, .help = "GPUs of the machine"},
      {.name = "host_nodes",
       .type = Type::integer,
       .least = 1,
       .help = "machines of this kind over which the ranks of a server may be spread"},
      {.name = "host_gpu_model", .type = Type::text, .help = "GPU model"},
      {.name = "host_gpu_memory_gib", .type = Type::real, .help = "memory of one GPU"},
      {.name = "host_mig",
       .type = Type::text,
       .help = "on, or a stated profile, if a GPU is divided by MIG; '' otherwise"},
      {.name = "host_cpu_model", .type = Type::text, .help = "model of the CPU"},
      {.name = "host_cpus", .type = Type::integer, .least = 1, .help = "processors"},
  };
  return k_facts;
}

namespace {

using Json = nlohmann::json;

// The value at PATH ("text_config.num_heads"); nullptr if it is missing or null.
const Json* at_path(const Json& root, const std::string& path) {
  const Json* at = &root;
  for (const std::string& key : split(path, '.')) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(key);
    if (found == at->end() || found->is_null()) return nullptr;
    at = &*found;
  }
  return at;
}

// CONFIG with null instead of the bare words that Python writes for numbers that JSON lacks.
std::string without_bare_words(std::string_view config) {
  static constexpr std::string_view k_words[] = {"-Infinity", "Infinity", "NaN"};
  std::string text;
  text.reserve(config.size());
  bool in_string = false;
  for (std::size_t i = 0; i < config.size();) {
    const char c = config[i];
    if (in_string && c == '\\') {
      text += config.substr(i, 2);
      i += 2;
      continue;
    }
    if (c == '"') in_string = !in_string;
    const auto word = std::ranges::find_if(k_words, [&](std::string_view one) {
      return !in_string && config.substr(i).starts_with(one);
    });
    if (word != std::end(k_words)) {
      text += "null";
      i += word->size();
      continue;
    }
    text += c;
    ++i;
  }
  return text;
}

Json parsed(std::string_view config) {
  Json root = Json::parse(config, nullptr, false);
  return root.is_discarded() ? Json::parse(without_bare_words(config), nullptr, false) : root;
}

// One value for all layers: the mean of numbers, rounded down if INTEGER.
std::optional<std::string> of_all_layers(const Json& list, bool integer) {
  double sum = 0;
  for (const Json& one : list) {
    if (!one.is_number()) return std::nullopt;
    sum += one.get<double>();
  }
  if (list.empty()) return std::nullopt;
  const double mean = sum / static_cast<double>(list.size());
  return integer ? fmt::format("{:.0f}", std::floor(mean)) : fmt::format("{}", mean);
}

bool is_flat(const Json& list) {
  return std::ranges::none_of(list, [](const Json& one) { return one.is_structured(); });
}

Result<Value> read_fact(const Parameter& column, const Json& value, const std::string& key) {
  std::optional<std::string> text;
  if (value.is_string()) text = value.get<std::string>();
  else if (!value.is_structured()) text = value.dump();
  else if (column.type == Type::text)
    text = value.is_array() && is_flat(value) ? value.dump() : value.is_array() ? "[...]" : "{...}";
  else if (value.is_array() && (column.type == Type::integer || column.type == Type::real))
    text = of_all_layers(value, column.type == Type::integer);
  // `multi_query: true` means 1.
  if (column.type == Type::integer && (text == "true" || text == "false"))
    text = text == "true" ? "1" : "0";
  if (!text)
    return invalid(fmt::format("{} must be one value for '{}', not {}", quoted(key), column.name,
                               value.is_array() ? "a list" : "an object"));
  auto read = read_text(column, *text);
  if (read) return read;
  return read.error().within(quoted(key));
}

// The objects in ROOT that contain keys of facts, in order.
std::vector<const Json*> sections_of(const Json& root, const FactPlaces& places) {
  std::vector<const Json*> sections = {&root};
  for (const std::string& path : places.below)
    if (const Json* section = at_path(root, path); section && section->is_object())
      sections.push_back(section);
  return sections;
}

struct Found {
  std::string key;
  Json value;
};

std::optional<Found> find_fact(const ModelFact& fact, const std::vector<const Json*>& sections,
                               const FactPlaces& places) {
  for (const Json* section : sections)
    for (const std::string& key : fact.keys)
      if (const Json* value = at_path(*section, key)) return Found{key, *value};
  // The innermost class has the defaults.
  for (auto section = sections.rbegin(); section != sections.rend(); ++section) {
    const Json* kind = places.kind.empty() ? nullptr : at_path(**section, places.kind);
    if (!kind || !kind->is_string()) continue;
    const auto defaults = places.defaults.find(kind->get<std::string>());
    if (defaults == places.defaults.end()) continue;
    for (const std::string& key : fact.keys)
      if (const auto value = defaults->second.find(key); value != defaults->second.end())
        return Found{key, Json(value->second)};
  }
  return std::nullopt;
}

}  // namespace

Result<ModelFacts> read_model_facts(std::span<const ModelFact> facts, std::string_view config,
                                    const std::string& file, const FactPlaces& places) {
  const Location where{file, 0, 0};
  const Json root = parsed(config);
  if (!root.is_object())
    return invalid("this is not a JSON object, so it has no facts of the model; correct it", where);
  const std::vector<const Json*> sections = sections_of(root, places);
  ModelFacts known{.values = {}, .complete = true};
  for (const ModelFact& fact : facts) {
    const auto found = find_fact(fact, sections, places);
    if (!found) continue;
    auto read = read_fact(fact.column, found->value, found->key);
    if (!read) return invalid(read.error().message, where);
    known.values.emplace(fact.column.name, std::move(*read));
  }
  return known;
}

std::string with_member(std::string_view config, const std::string& name, std::int64_t value) {
  Json root = parsed(config);
  if (!root.is_object()) return std::string(config);
  root[name] = value;
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Parameter* Vocabulary::find(std::string_view name) const {
  for (const Parameter& parameter : parameters)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

bool Vocabulary::is_read(std::string_view name) const {
  return name == "model" || contains(read, name);
}

}  // namespace orch::matrix
