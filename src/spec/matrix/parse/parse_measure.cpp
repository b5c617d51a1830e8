#include "core/base/text.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/matrix/parse/section_reader.hpp"

#include <algorithm>

namespace orch::matrix {

namespace {

// The sections of a matrix about measuring and about limits.

void read_client_limits(YamlMap& section, Limits& limits) {
  auto map = section.section("limits");
  if (!map) return;
  map->take("wake_lag_ms", limits.wake_lag_ms);
  map->take("send_lag_ms", limits.send_lag_ms);
  map->take("client_cpu_share", limits.client_cpu_share);
}

void read_repeats(SectionReader& reader, YamlMap& section) {
  const Yaml* node = section.take("repeats");
  if (!node) return;
  if (node->is_scalar())
    return reader.fail(node->where, "'measure.repeats' must be a map; write {{measure: {}}}",
                       to_integer(node->text) ? node->text : "3");
  auto map = section.section("repeats");
  Measure& measure = reader.matrix().measure;
  measure.repeats_where = node->where;
  map->take("measure", measure.repeats);
  map->take("serve", measure.serve_repeats);
  map->take("build", measure.build_repeats);
}

// Reports NODE, the value of KEY, which names no known dataset, unless an unread base might have
// it.
void refuse_dataset(SectionReader& reader, const Yaml& node, std::string_view key,
                    std::vector<std::string> known, std::string_view remedy) {
  if (reader.matrix().incomplete) return;
  for (const auto& [name, dataset] : reader.matrix().datasets) known.push_back(name);
  reader.fail(node.where, "'{}' is {}, which is not under 'datasets'{}", key, quoted(node.text),
              reader.suggest(node.text, known, remedy));
}

void read_prompts(SectionReader& reader, YamlMap& map) {
  const Yaml* node = map.take_fitting("prompts");
  if (!node) return;
  Measure& measure = reader.matrix().measure;
  measure.prompts_where = node->where;
  if (node->text == "synthetic") return;
  if (reader.matrix().datasets.contains(node->text)) measure.prompts = node->text;
  else
    refuse_dataset(reader, *node, "measure.prompts", {"synthetic"},
                   "; add it there, or write synthetic");
}

// The keys of `measure:` that request sessions until a difference is decided.

void read_size(SectionReader& reader, const Yaml& node, UntilDifference& until) {
  until.where = node.where;
  const auto share = node.is_scalar() ? share_of_percent(node.text) : std::nullopt;
  if (share) until.size = *share;
  else
    reader.fail(node.where,
                "'measure.until_difference' must be a share above 0 and below 100 %, "
                "such as 3 %, not {}",
                node.describe());
}

// Axes and varied parameters with at least two values.
std::vector<std::string> comparable(const Matrix& matrix) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (alternatives_of(matrix, name).size() >= 2 && !contains(names, name)) names.push_back(name);
  };
  for (const Axis& axis : matrix.axes) add(axis.name);
  for (const std::string& name : varied_parameters(matrix)) add(name);
  return names;
}

void read_between(SectionReader& reader, const Yaml& node, UntilDifference& until) {
  const Matrix& matrix = reader.matrix();
  until.between = node.text;
  const std::size_t values = alternatives_of(matrix, until.between).size();
  if (matrix.incomplete || values >= 2) return;
  const std::vector<std::string> possible = comparable(matrix);
  std::string remedy = reader.suggest(until.between, possible);
  if (remedy.empty())
    remedy =
        possible.empty() ? "; give an axis two values" : "; name one of " + join(possible, ", ");
  reader.fail(node.where, "'measure.between' is {}, which {}{}", quoted(node.text),
              values == 1 ? "has only one value" : "is not an axis", remedy);
}

void read_references(SectionReader& reader, const Yaml& node, Score& score) {
  const auto found = reader.matrix().datasets.find(node.text);
  if (found == reader.matrix().datasets.end())
    return refuse_dataset(reader, node, "score.references", {}, "; add it there");
  score.references = node.text;
  if (found->second.is_fetched())
    reader.fail(node.where,
                "'score.references' is {}, but references are read from "
                "local files only; write its source as local:PATH, "
                "uncompressed and without tokens",
                quoted(node.text));
}

}  // namespace

void read_measure(SectionReader& reader, const Yaml& node) {
  Measure& measure = reader.matrix().measure;
  YamlMap map(node, keys::k_measure, "'measure'", reader.errors());
  if (const Yaml* warmup = map.take("warmup");
      warmup && !(measure.warmup = reader.expression("", "'measure.warmup'", *warmup)))
    reader.break_name("measure.warmup");
  map.take("seed", measure.seed);
  read_repeats(reader, map);
  read_client_limits(map, measure.limits);
  read_prompts(reader, map);
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
  map.take("isolation", measure.isolation);
  if (const Yaml* checks = map.take("check_isolation", measure.check_isolation))
    measure.check_where = checks->where;
  if (const Yaml* clock = map.take("gpu_clock_mhz", measure.gpu_clock_mhz))
    measure.gpu_clock_where = clock->where;
  // The names are checked when the plan is made, against the axes of all runners.
  if (const Yaml* prune = map.take("prune", measure.prune)) measure.prune_where = prune->where;
  read_until_difference(reader, map);
}

void read_keep(SectionReader& reader, const Yaml& node) {
  if (reader.fits(node, keys::k_keep, "'keep'")) assign(reader.matrix().keep, node);
}

void read_limits(SectionReader& reader, const Yaml& node) {
  YamlMap map(node, keys::k_limits, "'limits'", reader.errors());
  map.take("points", reader.matrix().most_points);
}

void read_until_difference(SectionReader& reader, YamlMap& map) {
  const Yaml* size = map.take("until_difference");
  const Yaml* metric = map.take("of");
  const Yaml* between = map.take_fitting("between");
  const Yaml* most = map.take("most_sessions");
  if (!size) {
    for (const auto& [key, node] :
         {std::pair{"of", metric}, {"between", between}, {"most_sessions", most}})
      if (node)
        reader.fail(node->where,
                    "'measure.{}' belongs to 'until_difference', which is "
                    "missing; add until_difference: 3 %",
                    key);
    return;
  }
  UntilDifference& until = reader.matrix().measure.until_difference.emplace();
  read_size(reader, *size, until);
  until.metric_where = metric ? metric->where : size->where;
  map.take("of", until.metric);
  if (between) read_between(reader, *between, until);
  else if (!map.take("between"))
    reader.fail(
        size->where,
        "'measure.until_difference' lacks 'between'; add the axis whose values are compared, "
        "such as between: precision");
  map.take("most_sessions", until.most_sessions);
}

void read_score(SectionReader& reader, const Yaml& node) {
  YamlMap map(node, keys::k_score, "'score'", reader.errors());
  Score score;
  std::vector<std::string> scorers;
  map.take("scorers", scorers);
  for (std::string& scorer : scorers)
    if (!contains(score.scorers, scorer)) score.scorers.push_back(std::move(scorer));
  if (const Yaml* program = map.take("program", score.program)) score.where = program->where;
  const Yaml* references = map.take_fitting("references");
  if (references) read_references(reader, *references, score);
  map.take("tolerance", score.tolerance);
  const Matrix& matrix = reader.matrix();
  if (score.scorers.empty() && score.program.empty() && !matrix.incomplete &&
      reader.errors().empty())
    reader.fail(node.where, "'score' names no scorer; write scorers: [exact, f1], or a program");
  if (!score.scorers.empty() && !references && matrix.measure.prompts == "synthetic" &&
      !matrix.incomplete && reader.errors().empty())
    reader.fail(node.where,
                "'score' has no references: the prompts are synthetic; name a dataset in "
                "measure.prompts, or in score.references");
  reader.matrix().score = std::move(score);
}

}  // namespace orch::matrix
