// Parameters of requests, lists and prompts that are used again, from a matrix to a plan.
#include "core/base/text.hpp"
#include "plan/graph/planned.hpp"

namespace orch::plan {
namespace requests_test {

constexpr const char* k_runner = R"(
runner: toy
parameters:
  isl: {type: integer, default: 8}
  isl_sd: {type: real, optional: true}
  stop_words: {type: list, optional: true}
  options: {type: text, default: ""}
  reuse_prompts: {type: boolean, optional: true}
stages:
  prompts:
    kind: task
    reads: [isl, isl_sd, reuse_prompts]
    argv: [/x, "{jobs}"]
    batch: true
    job: {out: "{out}", isl: "{isl}", sd: "{isl_sd}", reuse: "{reuse_prompts}", stream: "{repeat}"}
    outputs: [p]
  serve: {kind: service, argv: [/x], ready: {port: http, get: [/]}, ports: [http]}
  bench:
    kind: measure
    needs: [serve, prompts]
    reads: [isl, stop_words, options]
    argv: ["{orchestrate}", bench, {options: [{stop_words: --stop-word}]}, {words: options}, "{isl}"]
    outputs: [m]
)";

Planned plan_of(const std::string& yaml) { return planned_text(yaml, k_runner); }

std::string bench_of(const std::string& yaml) {
  const Planned planned = plan_of(yaml);
  EXPECT_EQ(planned.errors, "");
  return planned.errors.empty() ? join(planned.stages("bench").front()->spec.argv, " ") : "";
}

TEST(ListParameters, AreWordsOfTheirOwnAsWritten) {
  EXPECT_EQ(bench_of("defaults: {stop_words: [\"a b\", '{isl}', '\"']}\n"),
            "{orchestrate} bench --stop-word a b --stop-word {isl} --stop-word \" 8");
  EXPECT_EQ(bench_of("defaults: {stop_words: one}\n"), "{orchestrate} bench --stop-word one 8");
  EXPECT_EQ(bench_of(""), "{orchestrate} bench 8");
  EXPECT_EQ(bench_of("defaults: {stop_words: []}\n"), "{orchestrate} bench 8");
}

TEST(ListParameters, MayBeAnAxisOrPartOfAMap) {
  const Planned axis = plan_of("axes: {stop_words: [[a], [a, b]]}\n");
  EXPECT_EQ(axis.errors, "");
  EXPECT_EQ(axis.stages("bench").size(), 2u);
  const Planned map = plan_of(
      "axes:\n  ends: [{stop_words: [a]}, {isl: 9}]\ninclude: [{stop_words: [b, c], isl: 3}]\n");
  EXPECT_EQ(map.errors, "");
  EXPECT_EQ(map.stages("bench").size(), 3u);
}

TEST(ListParameters, AloneTakeLists) {
  EXPECT_EQ(plan_of("axes: {isl: [[1, 2]]}\ndefaults: {options: [a]}\n").errors,
            "m.yaml:3:14: 'isl' must be one value of type integer, not a list; several values are "
            "an axis, or one entry each\n"
            "m.yaml:4:21: 'options' must be one value of type text, not a list; several values are "
            "an axis, or one entry each\n");
  EXPECT_EQ(plan_of("defaults: {stop_words: [[a]]}\n").errors,
            "m.yaml:3:24: default 'stop_words' must be one value, not a list; several values make "
            "an axis\n");
  EXPECT_EQ(plan_of("defaults: {stop_words: [\"{out}\"]}\n").errors,
            "m.yaml:3:25: 'stop_words' holds '{out}', which a runner would replace; values are "
            "not filled in, so leave the braces out\n");
}

TEST(Words, OfAValueAreFilledInOnce) {
  EXPECT_EQ(bench_of("defaults: {options: '--x {isl}'}\n"), "{orchestrate} bench --x {isl} 8");
}

TEST(Jobs, LeaveOutParametersWithoutAValue) {
  using Job = std::map<std::string, std::string>;
  const Planned plain = plan_of("");
  EXPECT_EQ(plain.stages("prompts").front()->spec.job,
            (Job{{"out", "{out}"}, {"isl", "8"}, {"stream", "0"}}));
  const Planned drawn = plan_of("defaults: {isl_sd: 2}\n");
  EXPECT_EQ(drawn.stages("prompts").front()->spec.job,
            (Job{{"out", "{out}"}, {"isl", "8"}, {"sd", "2"}, {"stream", "0"}}));
}

TEST(ReusedPrompts, AreOneSetForAllRepeats) {
  const Planned fresh = plan_of("measure: {repeats: {measure: 3}}\n");
  EXPECT_EQ(fresh.stages("prompts").size(), 3u);
  const Planned again = plan_of("measure: {repeats: {measure: 3}, reuse_prompts: true}\n");
  EXPECT_EQ(again.errors, "");
  ASSERT_EQ(again.stages("prompts").size(), 1u);
  EXPECT_EQ(again.stages("prompts").front()->spec.job.at("reuse"), "true");
  EXPECT_EQ(again.stages("bench").size(), 3u);
}

TEST(ReusedPrompts, AreChosenInOnePlace) {
  EXPECT_EQ(plan_of("defaults: {reuse_prompts: true}\nmeasure: {reuse_prompts: true}\n").errors,
            "m.yaml:4:26: 'measure.reuse_prompts' is the default of the parameter "
            "'reuse_prompts', which 'defaults' sets as well; keep one\n");
  EXPECT_EQ(plan_of("measure: {reuse_prompts: maybe}\n").errors,
            "m.yaml:3:26: 'reuse_prompts' must be true or false, not 'maybe'\n");
}

}  // namespace requests_test
}  // namespace orch::plan
