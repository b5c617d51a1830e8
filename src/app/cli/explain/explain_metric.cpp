#include "app/cli/explain/explain_metric.hpp"

#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "results/tools/tool_figures.hpp"

namespace orch::cli {

namespace {

using measure::MetricRow;
using measure::StatisticField;

// Whether the metric has statistics. A single value of a whole window has none; gaps between events
// have statistics although they are not per request.
bool has_statistics(const MetricRow& row) {
  return row.each != nullptr || row.name == metric::event_gap_ms;
}

struct MetricQuery {
  const MetricRow* metric = nullptr;
  const StatisticField* statistic = nullptr;
  // "interval_low" or "interval_high", of the statistic or else of the mean or rate; or "".
  std::string_view limit{};
};

// Parses names such as "ttft_ms_p99_interval_low", which may have fewer parts.
MetricQuery find(std::string_view name) {
  MetricQuery out;
  for (const Statistic one : {Statistic::interval_low, Statistic::interval_high})
    if (name.ends_with(fmt::format("_{}", to_string(one)))) out.limit = to_string(one);
  if (!out.limit.empty()) name.remove_suffix(out.limit.size() + 1);
  out.metric = measure::find_metric(name);
  if (out.metric)
    return out.limit.empty() || out.metric->each || out.metric->adds ? out : MetricQuery();
  const std::size_t cut = std::min(name.rfind('_'), name.size());
  out.metric = measure::find_metric(name.substr(0, cut));
  const auto* field =
      std::ranges::find(measure::k_statistic_fields, name.substr(std::min(cut + 1, name.size())),
                        &StatisticField::name);
  if (!out.metric || field == measure::k_statistic_fields.end()) return {};
  out.statistic = field;
  const bool exists = out.limit.empty() ? has_statistics(*out.metric)
                                        : field->per_mille > 0 && out.metric->each != nullptr;
  return exists ? out : MetricQuery();
}

std::string words_of(const StatisticField& field) {
  if (field.per_mille > 0)
    return fmt::format(
        "the value that {:g} % of the values do not exceed: linear interpolation between the two "
        "nearest ranks, as NumPy does by default\n"
        "  genai-perf, AIPerf and LMDeploy agree; benchmark_core_model takes the value at the "
        "rank, "
        "rounded up; perf_analyzer was not checked\n"
        "  needs {} values; with fewer it is marked as unsupported and used for no decision\n"
        "  over several repeats, the view `results` shows the mean of their values",
        field.per_mille / 10.0, measure::records_needed(field.per_mille));
  if (field.name() == "mean")
    return "arithmetic mean, with a 95 % interval where the values allow one";
  if (field.name() == "sd")
    return "standard deviation of the population (divided by n, not n - 1); over several repeats, "
           "the view `results` shows that of all their values together";
  return field.name() == "min" ? "the smallest value" : "the largest value";
}

std::string words_of_limit(const MetricQuery& query) {
  const std::string words = fmt::format("the {} limit of the 95 % interval",
                                        query.limit.ends_with("low") ? "lower" : "upper");
  if (query.statistic)
    return fmt::format(
        "{} of {}; empty where the values do not bound it on this side, and where there are too "
        "few for the percentile\n"
        "  of one run: an order statistic, by the effective number of values (successive ones are "
        "correlated)\n"
        "  over several sessions of the server, the view `results` shows Student's t over their "
        "percentiles, widened where their own intervals require it",
        words, query.statistic->name());
  return words +
         " of the mean or the rate; empty with too few values, or without a steady state\n"
         "  of one run: by batch means over its sequence of values\n"
         "  over several repeats, the view `results` shows Student's t over the means of the "
         "server sessions (over the repeats, if there is one session), widened where their own "
         "intervals require it";
}

std::string population_of(const MetricRow& row) {
  if (row.each == nullptr) return "";
  return row.failed_too ? "  over all measured requests, including failed ones\n"
                        : "  over measured requests that succeeded with at least one token\n";
}

std::string peers_of(std::string_view metric) {
  std::string out;
  std::vector<std::string> without;
  for (const measure::Peer& peer : measure::peers()) {
    const auto rows = measure::peer_formulas();
    const auto row = std::ranges::find_if(rows, [&](const measure::PeerFormula& one) {
      return one.metric == metric && one.peer == peer.name;
    });
    if (row == rows.end() || row->formula == "none") without.emplace_back(peer.name);
    else out += fmt::format("  {:<21} {}\n", peer.name, row->formula);
  }
  return without.empty() ? out
                         : out + fmt::format("  not found in          {}\n", join(without, ", "));
}

struct Name {
  const measure::Tool* tool = nullptr;
  std::string figure;
};

Name parts_of(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return {};
  return {measure::find_tool(lower(name.substr(0, dot))), lower(name.substr(dot + 1))};
}

std::string explain_one(const measure::Tool& tool, std::string_view figure) {
  const measure::Definition definition = measure::definition_of(tool, figure);
  if (definition.formula.empty()) return "";
  const measure::MetricRow* ours = measure::find_metric(figure);
  std::string out = fmt::format("figure {} of {} ({})\n\nis\n  {}\n", figure, tool.name, tool.what,
                                definition.formula);
  if (ours)
    return out + fmt::format("\ndiffers from ours\n  {}\n\nours\n  {} ({})\n",
                             definition.difference, ours->formula, ours->unit);
  return out + "\nours\n  none\n";
}

}  // namespace

std::string explain_metric(std::string_view name) {
  const MetricQuery query = find(name);
  if (query.metric == nullptr) return "";
  const MetricRow& row = *query.metric;
  const std::string_view part =
      query.limit.empty() && query.statistic ? query.statistic->name() : query.limit;
  std::string out = fmt::format(
      "metric {} ({}{})\n\nis\n  {}\n{}", row.name, row.unit == "1" ? "a share" : row.unit,
      part.empty() ? "" : fmt::format(", {}", part), row.formula, population_of(row));
  if (query.statistic != nullptr)
    out += fmt::format("\n{}\n  {}\n", query.statistic->name(), words_of(*query.statistic));
  if (!query.limit.empty()) out += fmt::format("\n{}\n  {}\n", query.limit, words_of_limit(query));
  out += fmt::format("\ndefined by\n  {}; version {} of the metric table\n", row.source,
                     measure::k_metric_version);
  return out + fmt::format("\nin other tools\n{}", peers_of(row.name));
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricRow& row : measure::metric_table()) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> metrics_matching(std::string_view word) {
  const std::string begin = lower(word) + "_", inside = "_" + begin;
  std::vector<std::string> beginning, having;
  for (std::string& name : metric_names()) {
    const bool begins = name.starts_with(begin);
    if (begins || (name + "_").find(inside) != std::string::npos)
      (begins ? beginning : having).push_back(std::move(name));
  }
  return beginning.empty() ? having : beginning;
}

bool names_tool(std::string_view name) { return parts_of(name).tool != nullptr; }

std::string explain_tool(std::string_view name) {
  const Name parts = parts_of(name);
  if (!parts.tool) return "";
  for (const std::string_view figure :
       {std::string_view(parts.figure), without_statistic(parts.figure)})
    if (std::string text = explain_one(*parts.tool, figure); !text.empty()) return text;
  std::string texts;
  for (const std::string_view figure : measure::figures_of(*parts.tool)) {
    const bool begins = figure.starts_with(parts.figure + "_");
    const bool has = figure.find("_" + parts.figure + "_") != std::string_view::npos;
    if (!parts.figure.empty() && (begins || has))
      texts += (texts.empty() ? "" : "\n") + explain_one(*parts.tool, figure);
  }
  return texts;
}

std::string figures_of_tool(std::string_view name) {
  const Name parts = parts_of(name);
  if (!parts.tool) return "";
  return fmt::format("{} has: {}", parts.tool->name,
                     fmt::join(measure::figures_of(*parts.tool), ", "));
}

}  // namespace orch::cli
