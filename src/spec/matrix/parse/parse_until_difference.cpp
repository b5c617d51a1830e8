// The keys of `measure:` that ask for sessions until a difference is decided.
#include "core/base/text.hpp"
#include "spec/matrix/parse/matrix_sections.hpp"

#include <algorithm>

namespace orch::matrix {

namespace {

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

}  // namespace

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

}  // namespace orch::matrix
