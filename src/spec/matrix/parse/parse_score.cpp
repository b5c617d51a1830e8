// The section of a matrix about scores of answers.
#include "core/base/text.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/matrix/parse/matrix_sections.hpp"

namespace orch::matrix {

namespace {

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
