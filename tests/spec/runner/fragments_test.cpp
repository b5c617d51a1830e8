// `fragments` of a manifest: pieces that stages share.
#include "spec/runner/support.hpp"

namespace orch::runner {
namespace fragments_test {

constexpr const char* k_shared = R"(runner: toy
parameters:
  isl: {type: integer, default: 4}
  osl: {type: integer, default: 4}
  eos: {type: boolean, optional: true}
fragments:
  load: {reads: [isl, osl], files: [load.py], argv: [--isl, "{isl}", {when: osl > 1, then: [--osl, "{osl}"]}]}
  jobs: {reads: [isl], argv: [--jobs, "{jobs}"], job: {isl: "{isl}"}, env: {QUIET: "1"}}
)";

TEST(Fragments, StandWhereArgvNamesThemAndAddTheirReadsOnce) {
  const Manifest manifest = manifest_of(std::string(k_shared) + R"(stages:
  a: {kind: task, reads: [osl, eos], argv: [/x, {when: eos, then: [{fragment: load}]}, end], outputs: [o]}
  b: {kind: task, batch: true, argv: [/y, {fragment: jobs}], job: {out: "{out}"}, outputs: [o]}
)");
  const StageKind& a = *manifest.find("a");
  EXPECT_EQ(a.argv, (std::vector<std::string>{"/x", "--isl", "{isl}", "--osl", "{osl}", "end"}));
  EXPECT_EQ(a.reads, (std::vector<std::string>{"osl", "eos", "isl"}));
  EXPECT_EQ(a.files, std::vector<std::string>{"load.py"});
  const StageKind& b = *manifest.find("b");
  EXPECT_EQ(b.argv, (std::vector<std::string>{"/y", "--jobs", "{jobs}"}));
  EXPECT_EQ(b.job, (std::map<std::string, std::string>{{"out", "{out}"}, {"isl", "{isl}"}}));
  EXPECT_EQ(b.env, (std::map<std::string, std::string>{{"QUIET", "1"}}));
}

TEST(Fragments, ThatAreUnknownOrSetWhatTheStageSetsAreErrors) {
  EXPECT_EQ(errors_of(std::string(k_shared) + R"(stages:
  a: {kind: task, argv: [/x, {fragment: laod}], outputs: [o]}
  b: {kind: task, batch: true, argv: [/y, {fragment: jobs}], job: {isl: "5"}, outputs: [o]}
  c: {kind: task, argv: [/x, {fragment: load, then: [y]}], outputs: [o]}
)"),
            "runner.yaml:10:41: stage 'a' uses the fragment 'laod', which is not under "
            "'fragments'; did you mean 'load'?\n"
            "runner.yaml:11:73: 'job' of stage 'b' sets 'isl', which a fragment at "
            "runner.yaml:8:56 sets as well; remove one of them\n"
            "runner.yaml:12:47: unknown key 'then' in a part of 'argv'\n");
}

TEST(Fragments, AreNotNestedAndHaveArgv) {
  EXPECT_EQ(errors_of(R"(runner: toy
fragments:
  a: {argv: [x]}
  b: {argv: [{when: "1", then: [{fragment: a}]}]}
  c: {reads: x}
  d: {argv: [x], outputs: [o]}
stages:
  s: {kind: task, argv: [/x], outputs: [o]}
)"),
            "runner.yaml:4:33: fragment 'a' is inside fragment 'b'; write its items here\n"
            "runner.yaml:5:6: fragment 'c' has no 'argv'; add it\n"
            "runner.yaml:5:14: 'reads' of a fragment must be a list, not the value 'x'\n"
            "runner.yaml:6:18: unknown key 'outputs' in fragment 'd'\n");
}

TEST(Lists, AreOptionsOfEachOfTheirTexts) {
  const Manifest manifest = manifest_of(R"(runner: toy
parameters: {words: {type: list, optional: true}}
stages:
  s: {kind: task, reads: [words], argv: [/x, {options: [{words: --word}]}], outputs: [o]}
)");
  const auto& fragments = manifest.find("s")->fragments;
  ASSERT_EQ(fragments.size(), 2u);
  EXPECT_EQ(fragments[1].each, "words");
  EXPECT_EQ(fragments[1].words, (std::vector<std::string>{"--word", "{words}"}));
}

}  // namespace fragments_test
}  // namespace orch::runner
