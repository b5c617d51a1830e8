#include "plan/forecast/cost.hpp"
#include "plan/graph/toy.hpp"

namespace orch::forecast {
namespace wider_stages_test {

using namespace plan::toy;

// Two precisions, three lengths of prompt and answer, two batch sizes: an engine for each.
PlanBuilder engines() {
  const std::string runner = R"(
runner: toy
parameters:
  precision: {type: text}
  max_len: {type: integer}
  max_seq: {type: integer}
  max_batch: {type: integer}
stages:
  build:
    kind: task
    reads: [precision, max_len, max_seq, max_batch]
    argv: [/bin/build, "{precision}", "{max_len}", "{max_seq}", "{max_batch}", "{out}"]
    outputs: [config.json]
    agree:
      file: config.json
      values: {precision: precision}
      at_least: {max_len: len, max_seq: seq, max_batch: batch}
  serve:
    kind: service
    needs: [build]
    argv: [/bin/serve, "{stage:build}", "{port:http}"]
    ports: [http]
    ready: {port: http, get: [/]}
  bench:
    kind: measure
    needs: [serve]
    argv: [/bin/bench, "{port:serve.http}"]
    outputs: [measurement.json]
)";
  std::vector<fakes::Parameters> points;
  for (const char* precision : {"f16", "q8"})
    for (const auto& [len, seq] : {std::pair("128", "256"), {"512", "1024"}, {"2048", "3072"}})
      for (const char* batch : {"4", "16"})
        points.push_back(
            {{"precision", precision}, {"max_len", len}, {"max_seq", seq}, {"max_batch", batch}});
  return {runner, points};
}

std::vector<std::string> ways(const PlanBuilder& builder, const plan::Plan& plan) {
  const runner::Manifest* manifest = &builder.manifest;
  std::vector<std::string> lines;
  for (const WiderStages& wider : wider_stages(plan, {&manifest, 1}))
    for (const Widening& way : wider.ways) {
      std::string line = fmt::format("{} of {} {}:", way.stages, wider.stages, wider.stage);
      for (const auto& [name, value] : way.set) line += fmt::format(" {}={}", name, value);
      lines.push_back(line);
    }
  return lines;
}

TEST(WiderStages, AreThoseThatDifferInLimitsAlone) {
  PlanBuilder builder = engines();
  EXPECT_EQ(ways(builder, builder.plan()),
            (std::vector<std::string>{"2 of 12 build: max_batch=16 max_len=2048 max_seq=3072",
                                      "4 of 12 build: max_len=2048 max_seq=3072",
                                      "6 of 12 build: max_batch=16 max_seq=3072",
                                      "6 of 12 build: max_batch=16 max_len=2048"}));
}

TEST(WiderStages, SaveTheBytesOfThoseThatGo) {
  PlanBuilder builder = engines();
  std::vector<double> gib;
  for (std::size_t p = 0; p < builder.expansion.points.size(); ++p) gib.push_back(p < 6 ? 2 : 1);
  builder.kind("build").disk_gib = builder.add_question("disk_gib", "g", gib);
  const plan::Plan plan = builder.plan();
  const runner::Manifest* manifest = &builder.manifest;
  const auto found = wider_stages(plan, {&manifest, 1});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().ways.front().bytes, std::uint64_t{6 * 2 + 6 * 1 - 2 - 1} << 30);
}

TEST(WiderStages, AreNoneWhereNothingIsToBeBuilt) {
  PlanBuilder builder = engines();
  builder.make_all(builder.plan());
  EXPECT_EQ(ways(builder, builder.plan()), std::vector<std::string>());
}

TEST(WiderStages, AreNoneWhereTheManifestComparesNothing) {
  PlanBuilder builder = engines();
  builder.kind("build").agree.reset();
  EXPECT_EQ(ways(builder, builder.plan()), std::vector<std::string>());
}

}  // namespace wider_stages_test
}  // namespace orch::forecast
