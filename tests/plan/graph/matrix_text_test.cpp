// From the text of a matrix to digests: the notation changes no digest, and a value changes those
// of the stages that depend on it.
#include "fakes/plans.hpp"
#include "plan/graph/toy.hpp"
#include "spec/matrix/expand.hpp"

namespace orch::plan {
namespace matrix_text_test {

using toy::k_runner;

// The digests of all stages, by the name of the stage.
std::map<std::string, std::set<std::string>> digests_of(const std::string& yaml) {
  Errors errors;
  const matrix::Matrix matrix = matrix::parse_matrix(yaml, "m.yaml", errors);
  std::string manifest_yaml = k_runner;
  manifest_yaml.replace(manifest_yaml.find("batch_size: {type: integer}"), 27,
                        "batch_size: {type: integer, default: 4}");
  const runner::Manifest manifest = fakes::manifest_of(manifest_yaml);
  const ChosenPoints expansion = {
      .points = matrix::expand(matrix, manifest.vocabulary(), {}, errors).points.all()};
  toy::FakeFacts facts = toy::good_facts();
  const Plan plan = make_plan(
      {.matrix = matrix, .chosen = expansion, .manifest = manifest, .facts = facts, .done = {}},
      errors);
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  std::map<std::string, std::set<std::string>> digests;
  for (const Stage& stage : plan.stages) digests[stage.spec.name].insert(stage.digest.hex());
  return digests;
}

const std::string k_plain = R"(name: x
runner: toy
models: {m: {source: "generate:nano"}}
axes:
  model: [m]
  precision: [f16, q8]
  isl: [32, 128]
measure: {warmup: 2 * isl}
)";

TEST(MatrixText, InAnotherNotationGivesTheSameDigests) {
  const std::vector<std::string> others = {
      // keys and axes in another order, comments, flow for block, quotes, white space
      "measure:   {warmup: \"2 * isl\"}   # before the clock\naxes: {isl: [32, 128], precision: "
      "['f16', \"q8\"],\n       model: [m]}\n\n"
      "models:\n  m:\n    source: generate:nano\nrunner: 'toy'\nname: another-name\n",
      // defaults spelled out
      k_plain + "defaults: {batch_size: 4}\n",
      // the same pairs as maps, and zipped
      "name: x\nrunner: toy\nmodels: {m: {source: \"generate:nano\"}}\nmeasure: {warmup: 2 * "
      "isl}\naxes:\n  model: [m]\n"
      "  both: [{precision: f16, isl: 32}, {precision: f16, isl: 128}, {precision: q8, isl: 32}, "
      "{precision: q8, isl: 128}]\n",
      "name: x\nrunner: toy\nmodels: {m: {source: \"generate:nano\"}}\nmeasure: {warmup: 2 * "
      "isl}\naxes:\n  model: [m]\n"
      "  precision: [f16, f16, q8, q8]\n  isl: [32, 128, 32, 128]\nzip: [precision, isl]\n",
      // one point more
      k_plain + "include: [{precision: q4, isl: 32}]\nexclude: []\n",
  };
  const auto plain = digests_of(k_plain);
  for (std::size_t i = 0; i + 1 < others.size(); ++i)
    EXPECT_EQ(digests_of(others[i]), plain) << others[i];
  const auto more = digests_of(others.back());
  for (const auto& [stage, digests] : plain)
    for (const std::string& digest : digests) EXPECT_TRUE(more.at(stage).contains(digest)) << stage;
}

TEST(MatrixText, WithAChangedValueChangesOnlyDependentDigests) {
  struct Change {
    std::string from, to;
    std::set<std::string> changed;
  };
  const std::vector<Change> changes = {
      {"[32, 128]", "[64, 256]", {"bench"}},
      {"2 * isl", "3 * isl", {"bench"}},
      {"[f16, q8]", "[f16x, q8x]", {"build", "repository", "serve", "bench"}},
      {"generate:nano", "generate:tiny", {"download", "build", "repository", "serve", "bench"}},
      {"measure:", "defaults: {batch_size: 5}\nmeasure:", {"repository", "serve", "bench"}},
      {"measure:", "limits: {points: 9}\nmachine: {cpus: 3}\nmeasure:", {}},
      {"{warmup: 2 * isl}", "{warmup: 2 * isl, limits: {wake_lag_ms: 9, send_lag_ms: 9}}", {}},
      {"{warmup: 2 * isl}", "{warmup: 2 * isl, goodput: ttft_ms < 500}", {}},
  };
  const auto before = digests_of(k_plain);
  for (const Change& change : changes) {
    std::string yaml = k_plain;
    yaml.replace(yaml.find(change.from), change.from.size(), change.to);
    std::set<std::string> changed;
    for (const auto& [stage, digests] : digests_of(yaml))
      if (digests != before.at(stage)) changed.insert(stage);
    EXPECT_EQ(changed, change.changed) << change.to;
  }
}

}  // namespace matrix_text_test
}  // namespace orch::plan
