#include "core/base/text.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/matrix/parse/section_reader.hpp"

#include <algorithm>

namespace orch::matrix {

namespace {

// The sections of a matrix about measuring and about limits.

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

// The keys of `measure:` that ask for sessions until a difference is decided.

constexpr std::int64_t k_least_sessions = 2, k_most_sessions = 100;

void read_size(SectionReader& reader, const Yaml& node, UntilDifference& until) {
  until.where = node.where;
  const auto share = node.is_scalar() ? share_of_percent(node.text) : std::nullopt;
  if (share) until.size = *share;
  else
    reader.fail(node.where,
                fmt::format("'measure.until_difference' must be a share above 0 and below 100 %, "
                            "such as 3 %, not {}",
                            node.describe()));
}

// Axes and varied parameters with at least two values.
std::vector<std::string> comparable(const Matrix& matrix) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (alternatives_of(matrix, name).size() >= 2 && std::ranges::find(names, name) == names.end())
      names.push_back(name);
  };
  for (const Axis& axis : matrix.axes) add(axis.name);
  for (const std::string& name : varied_parameters(matrix)) add(name);
  return names;
}

void read_between(SectionReader& reader, const Yaml& node, UntilDifference& until) {
  const Matrix& matrix = reader.matrix();
  until.between = node.is_scalar() ? node.text : "";
  const std::size_t values = alternatives_of(matrix, until.between).size();
  if (matrix.incomplete || values >= 2) return;
  const std::vector<std::string> possible = comparable(matrix);
  std::string remedy = reader.suggest(until.between, possible);
  if (remedy.empty())
    remedy =
        possible.empty() ? "; give an axis two values" : "; name one of " + join(possible, ", ");
  reader.fail(node.where, fmt::format("'measure.between' is {}, which {}{}",
                                      node.is_scalar() ? quoted(node.text) : node.describe(),
                                      values == 1 ? "has one value" : "is no axis", remedy));
}

void read_most_sessions(SectionReader& reader, const Yaml& node, UntilDifference& until) {
  const auto count = node.is_scalar() ? to_integer(node.text) : std::nullopt;
  if (count && *count >= k_least_sessions && *count <= k_most_sessions)
    until.most_sessions = static_cast<int>(*count);
  else
    reader.fail(node.where, fmt::format("'measure.most_sessions' must be an integer from {} to {}, "
                                        "not {}",
                                        k_least_sessions, k_most_sessions, node.describe()));
}

// The section of a matrix about scores of answers.

void read_scorers(SectionReader& reader, const Yaml& node, Score& score) {
  static const std::vector<std::string> k_known(std::begin(keys::k_scorer_names),
                                                std::end(keys::k_scorer_names));
  if (!node.is_list() || node.items.empty())
    return reader.fail(node.where, "'score.scorers' must be a list; write [exact, f1]");
  for (const Yaml& item : node.items) {
    if (!item.is_scalar() || std::ranges::find(k_known, item.text) == k_known.end())
      reader.fail(item.where,
                  fmt::format("'score.scorers' has {}, which is no scorer{}; there are {}, and "
                              "score.program runs your own",
                              item.is_scalar() ? quoted(item.text) : item.describe(),
                              item.is_scalar() ? reader.suggest(item.text, k_known) : "",
                              join(k_known, ", ")));
    else if (std::ranges::find(score.scorers, item.text) == score.scorers.end())
      score.scorers.push_back(item.text);
  }
}

void read_references(SectionReader& reader, const Yaml& node, Score& score) {
  const auto& datasets = reader.matrix().datasets;
  if (node.is_scalar() && datasets.contains(node.text)) {
    score.references = node.text;
    if (datasets.at(node.text).is_fetched())
      reader.fail(node.where, fmt::format("'score.references' is {}, and references are read from "
                                          "files of this machine; write its source as local:PATH, "
                                          "not packed and without tokens",
                                          quoted(node.text)));
    return;
  }
  if (reader.matrix().incomplete) return;
  std::vector<std::string> known;
  for (const auto& [name, dataset] : datasets) known.push_back(name);
  const std::string near = node.is_scalar() ? reader.suggest(node.text, known) : "";
  reader.fail(node.where, fmt::format("'score.references' is {}, which is not under 'datasets'{}",
                                      node.is_scalar() ? quoted(node.text) : node.describe(),
                                      near.empty() ? "; add it there" : near));
}

void read_tolerance(SectionReader& reader, const Yaml& node, Score& score) {
  const auto number = node.is_scalar() ? to_real(node.text) : std::nullopt;
  if (number && *number >= 0) score.tolerance = number;
  else
    reader.fail(node.where,
                fmt::format("'score.tolerance' must be a number from 0, not {}", node.describe()));
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

void read_until_difference(SectionReader& reader, YamlMap& map) {
  const Yaml* size = map.take("until_difference");
  const Yaml* metric = map.take("of");
  const Yaml* between = map.take("between");
  const Yaml* most = map.take("most_sessions");
  if (!size) {
    for (const auto& [key, node] :
         {std::pair{"of", metric}, {"between", between}, {"most_sessions", most}})
      if (node)
        reader.fail(node->where, fmt::format("'measure.{}' belongs to 'until_difference', which is "
                                             "missing; add until_difference: 3 %",
                                             key));
    return;
  }
  UntilDifference& until = reader.matrix().measure.until_difference.emplace();
  read_size(reader, *size, until);
  until.metric_where = metric ? metric->where : size->where;
  if (metric && metric->is_scalar() && !metric->text.empty()) until.metric = metric->text;
  else if (metric)
    reader.fail(metric->where, fmt::format("'measure.of' must be a column of results, such as "
                                           "output_tps, not {}",
                                           metric->describe()));
  if (between) read_between(reader, *between, until);
  else
    reader.fail(
        size->where,
        "'measure.until_difference' lacks 'between'; add the axis whose values are compared, "
        "such as between: precision");
  if (most) read_most_sessions(reader, *most, until);
}

void read_score(SectionReader& reader, const Yaml& node) {
  YamlMap map(node, keys::k_score, "'score'", reader.errors());
  Score score;
  if (const Yaml* scorers = map.take("scorers")) read_scorers(reader, *scorers, score);
  if (const Yaml* program = map.take("program")) {
    score.where = program->where;
    if (program->is_scalar() && !program->text.empty()) score.program = program->text;
    else
      reader.fail(program->where, fmt::format("'score.program' must be the path of a program, not "
                                              "{}",
                                              program->describe()));
  }
  const Yaml* references = map.take("references");
  if (references) read_references(reader, *references, score);
  if (const Yaml* tolerance = map.take("tolerance")) read_tolerance(reader, *tolerance, score);
  map.finish();
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
