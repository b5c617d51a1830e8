// The sections of a matrix about measuring and about limits.
#include "core/base/text.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/matrix/parse/matrix_sections.hpp"

namespace orch::matrix {

namespace {

constexpr std::int64_t k_most_repeats = 1000;
constexpr std::int64_t k_most_points = 100'000'000;

void read_client_limits(SectionReader& reader, const Yaml& node) {
  YamlMap map(node, keys::k_client_limits, "'measure.limits'", reader.errors());
  Limits& limits = reader.matrix().measure.limits;
  auto read = [&](const char* key, double& limit) {
    const Yaml* value = map.take(key);
    if (!value) return;
    const auto number = value->is_scalar() ? to_real(value->text) : std::nullopt;
    if (number && *number > 0) limit = *number;
    else
      reader.fail(value->where, fmt::format("'measure.limits.{}' must be a number above 0, not {}",
                                            key, value->describe()));
  };
  read("wake_lag_ms", limits.wake_lag_ms);
  read("send_lag_ms", limits.send_lag_ms);
  read("client_cpu_share", limits.client_cpu_share);
  map.finish();
}

void read_repeats(SectionReader& reader, const Yaml& node) {
  if (node.is_scalar())
    return reader.fail(node.where,
                       fmt::format("'measure.repeats' must be a map; write {{measure: {}}}",
                                   to_integer(node.text) ? node.text : "3"));
  Measure& measure = reader.matrix().measure;
  YamlMap map(node, keys::k_repeats, "'measure.repeats'", reader.errors());
  reader.matrix().measure.repeats_where = node.where;
  auto read = [&](const char* level, std::int64_t& repeats) {
    const SectionReader::Count count{
        .section = "measure.repeats", .key = level, .most = k_most_repeats, .counted = "made"};
    repeats = reader.count(map, node, count).value_or(1);
  };
  read("measure", measure.repeats);
  read("serve", measure.serve_repeats);
  read("build", measure.build_repeats);
  map.finish();
}

void read_isolation(SectionReader& reader, const Yaml& node) {
  for (const Isolation one : {Isolation::strict, Isolation::gpu, Isolation::none})
    if (node.is_scalar() && node.text == to_string(one)) {
      reader.matrix().measure.isolation = one;
      return;
    }
  reader.fail(node.where,
              fmt::format("'measure.isolation' is strict, gpu or none, not {}", node.describe()));
}

// The axes may be read after this section, or come from a base: their names are checked by
// refuse_unvaried().
void read_prune(SectionReader& reader, YamlMap& map) {
  reader.matrix().measure.prune = map.take_list("prune");
}

void read_prompts(SectionReader& reader, const Yaml& node) {
  Measure& measure = reader.matrix().measure;
  const auto& datasets = reader.matrix().datasets;
  measure.prompts_where = node.where;
  if (!node.is_scalar())
    return reader.fail(
        node.where,
        fmt::format("'measure.prompts' must be synthetic or the name of a dataset, not {}",
                    node.describe()));
  if (node.text == "synthetic") return;
  if (datasets.contains(node.text)) {
    measure.prompts = node.text;
    return;
  }
  if (reader.matrix().incomplete) return;
  std::vector<std::string> known = {"synthetic"};
  for (const auto& [name, dataset] : datasets) known.push_back(name);
  const std::string near = reader.suggest(node.text, known);
  reader.fail(node.where, fmt::format("'measure.prompts' is {}, which is not under 'datasets'{}",
                                      quoted(node.text),
                                      near.empty() ? "; add it there, or write synthetic" : near));
}

}  // namespace

void read_measure(SectionReader& reader, const Yaml& node) {
  Measure& measure = reader.matrix().measure;
  YamlMap map(node, keys::k_measure, "'measure'", reader.errors());
  if (const Yaml* warmup = map.take("warmup");
      warmup && !(measure.warmup = reader.expression("", "'measure.warmup'", *warmup)))
    reader.break_name("measure.warmup");
  if (const auto seed = map.take_integer("seed", 0)) measure.seed = *seed;
  if (const Yaml* repeats = map.take("repeats")) read_repeats(reader, *repeats);
  if (const Yaml* limits = map.take("limits")) read_client_limits(reader, *limits);
  if (const Yaml* prompts = map.take("prompts")) read_prompts(reader, *prompts);
  if (const Yaml* reuse = map.take("reuse_prompts")) {
    Settings& defaults = reader.matrix().defaults;
    if (std::ranges::any_of(defaults,
                            [](const auto& setting) { return setting.first == "reuse_prompts"; }))
      reader.fail(reuse->where,
                  "'measure.reuse_prompts' is the default of the parameter 'reuse_prompts', which "
                  "'defaults' sets as well; keep one");
    else defaults.emplace_back("reuse_prompts", *reuse);
  }
  if (const Yaml* goodput = map.take("goodput"))
    measure.goodput = reader.expression("", "'measure.goodput'", *goodput);
  if (const Yaml* isolation = map.take("isolation")) read_isolation(reader, *isolation);
  if (const Yaml* checks = node.find("check_isolation")) measure.check_where = checks->where;
  if (const auto checks = map.take_integer("check_isolation", 0)) measure.check_isolation = *checks;
  if (const Yaml* clock = node.find("gpu_clock_mhz")) measure.gpu_clock_where = clock->where;
  measure.gpu_clock_mhz =
      reader
          .count(map, node,
                 {.section = "measure", .key = "gpu_clock_mhz", .most = 10'000, .counted = "set"})
          .value_or(0);
  if (const Yaml* prune = node.find("prune")) measure.prune_where = prune->where;
  read_prune(reader, map);
  read_until_difference(reader, map);
  map.finish();
}

void read_keep(SectionReader& reader, const Yaml& node) {
  for (const Keep one : {Keep::all, Keep::engines, Keep::results})
    if (node.is_scalar() && node.text == to_string(one)) {
      reader.matrix().keep = one;
      return;
    }
  reader.fail(node.where,
              fmt::format("'keep' is all, engines or results, not {}", node.describe()));
}

void read_limits(SectionReader& reader, const Yaml& node) {
  YamlMap map(node, keys::k_limits, "'limits'", reader.errors());
  reader.matrix().most_points = reader.count(
      map, node,
      {.section = "limits", .key = "points", .most = k_most_points, .counted = "planned"});
  map.finish();
}

}  // namespace orch::matrix
