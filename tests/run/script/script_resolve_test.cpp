// `plan --script` of models whose revision is not resolved yet: the script asks the runner's
// resolver, as `run` does.
#include "fakes/plans.hpp"
#include "run/script/bash.hpp"
#include "run/script/script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::script {
namespace script_resolve_test {

using testing::HasSubstr;

constexpr const char* k_runner = R"(
runner: toy
parameters:
  model: {type: text}
  flavour: {type: text, default: plain}
resolve:
  hf: {argv: [/bin/sh, "{file:resolve.sh}", "{model.source}", "{model.revision}"], inherit: [TOY_*], timeout_s: 60}
stages:
  download:
    kind: task
    reads: [model]
    argv: [/bin/sh, "{file:download.sh}", "{model.source}", "{model.revision}", "{out}"]
    env: {REVISION: "at {model.revision}"}
    render: [{from: templates/card, to: card, values: {revision: "{model.revision}"}}]
    outputs: [model]
  convert:
    kind: task
    needs: [download]
    reads: [flavour]
    argv: [/bin/sh, -c, 'cat "$0" >"$1"', "{stage:download}/model", "{out}/checkpoint"]
    outputs: [checkpoint]
  serve: {kind: service, needs: [convert], ports: [http], argv: [/bin/serve], ready: {port: http, get: [/]}}
  bench: {kind: measure, needs: [serve], argv: [/bin/bench, "{out}"], outputs: [measurement.json]}
)";

constexpr const char* k_resolve =
    "echo asked >>\"$(dirname \"$0\")/asked\"\necho looking; echo a warning >&2\n"
    "echo \"commit-of-${1#hf:}-$2\"; echo\n";
constexpr const char* k_download =
    "echo \"$1 $2 $REVISION ${TOY_HUB-no hub} ${OTHER-no other}\" >\"$3/model\"\n";

class ScriptResolve : public ::testing::Test {
 protected:
  ScriptResolve() : builder(k_runner, {}) {
    builder.options.until = "convert";
    builder.options.only_shown = true;
    std::filesystem::create_directory(folder.file("runner"));
    write("resolve.sh", k_resolve);
    write("download.sh", k_download);
    builder.facts.templates["templates/card"] = "$5 `id` at ${revision}\n";
    builder.facts.runner_files = {{"resolve.sh", k_resolve}, {"download.sh", k_download}};
  }

  void write(const std::string& file, const std::string& text) {
    std::ofstream(folder.file("runner/" + file)) << text;
  }
  void add_point(const std::string& name, const std::string& source, const std::string& revision,
                 const std::string& flavour = "plain") {
    matrix::Point point = fakes::point_of({{"model", name}, {"flavour", flavour}});
    point.model_source = source;
    point.model_revision = revision;
    builder.expansion.points.push_back(point);
    builder.facts.missing.insert(source);  // not resolved
  }
  std::string script() {
    const plan::Plan plan = builder.plan();
    for (const plan::Stage& stage : plan.stages) ids[stage.spec.name].push_back(stage.id);
    return to_script(plan,
                     {.store = "/nowhere",
                      .project = folder.path().string(),
                      .runner = folder.file("runner"),
                      .orchestrate = "/bin/true"},
                     {.resolvers = {{builder.manifest.resolvers.front()}}});
  }
  std::string out(const std::string& stage, const std::string& file, std::size_t nth = 0) {
    return read(
        folder.file(fmt::format("by-hand/artifacts/{}/out/{}", ids.at(stage).at(nth), file)));
  }
  std::string asked() const { return read(folder.file("runner/asked")); }

  fakes::TempFolder folder;
  fakes::PlanBuilder builder;
  std::map<std::string, std::vector<std::string>> ids;
};

TEST_F(ScriptResolve, EveryCommandGetsTheIdentityThatTheResolverPrints) {
  add_point("large", "hf:acme/large", "v2");
  const ScriptResult result = bash(folder, script());
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(out("download", "model"),
            "hf:acme/large commit-of-acme/large-v2 at commit-of-acme/large-v2 no hub no other\n");
  EXPECT_EQ(out("download", "card"), "$5 `id` at commit-of-acme/large-v2\n");
  EXPECT_EQ(out("convert", "checkpoint"), out("download", "model"));
  EXPECT_THAT(result.err, HasSubstr("resolve-1: commit-of-acme/large-v2\n"));
}

TEST_F(ScriptResolve, ARevisionIsResolvedOnceAndNoRevisionIsMain) {
  add_point("a", "hf:acme/a", "", "plain");
  add_point("a", "hf:acme/a", "", "sour");
  add_point("b", "hf:acme/b", "v1", "plain");
  const ScriptResult result = bash(folder, script());
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(asked(), "asked\nasked\n");
  EXPECT_THAT(out("download", "model", 0) + out("download", "model", 1),
              testing::AllOf(HasSubstr("hf:acme/a commit-of-acme/a-main "),
                             HasSubstr("hf:acme/b commit-of-acme/b-v1 ")));
}

TEST_F(ScriptResolve, TheResolverGetsTheVariablesThatItInherits) {
  write("resolve.sh", "echo \"${TOY_HUB-no hub}-${OTHER-no-other}\"\n");
  add_point("a", "hf:acme/a", "main");
  const ScriptResult result = bash(folder, script(), "TOY_HUB=here OTHER=hidden");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(out("download", "model"), HasSubstr("hf:acme/a here-no-other "));
}

TEST_F(ScriptResolve, AKnownRevisionIsNotResolvedAgain) {
  add_point("a", "hf:acme/a", "main");
  builder.facts.missing.clear();
  builder.facts.resolved["hf:acme/a"] = "0123abcd";
  const ScriptResult result = bash(folder, script());
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(asked(), "");
  EXPECT_THAT(out("download", "model"), HasSubstr("hf:acme/a 0123abcd at 0123abcd"));
}

TEST_F(ScriptResolve, ModelsOfRejectedPointsAndOfProvidedOutputsAreNotResolved) {
  add_point("a", "hf:acme/a", "main");
  add_point("b", "hf:acme/b", "main");
  builder.expansion.points[0].rejections = {{"taste", "too plain"}};
  const std::string text = script();
  EXPECT_THAT(text, testing::Not(HasSubstr("the commit of hf:acme/a@main")));
  EXPECT_THAT(text, HasSubstr("# the commit of hf:acme/b@main\n"));
  EXPECT_THAT(text, HasSubstr("#   /bin/sh \"$RUNNER/download.sh\" hf:acme/a "))
      << "its command stands in a comment";
  plan::Plan plan = builder.plan();
  for (plan::Stage& stage : plan.stages)
    if (stage.spec.name == "download") stage.provided = "/data/model";
  EXPECT_THAT(to_script(plan, {}, {.resolvers = {{builder.manifest.resolvers.front()}}}),
              testing::Not(HasSubstr("the commit of")));
}

TEST_F(ScriptResolve, AResolverThatFailsEndsTheScriptWithItsReason) {
  write("resolve.sh", "echo 'hub: no such branch' >&2\nexit 1\n");
  add_point("a", "hf:acme/a", "main");
  const ScriptResult result = bash(folder, script());
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "resolve-1\nresolve-1 ended with status 1: hub: no such branch\n");
  EXPECT_FALSE(std::filesystem::exists(folder.file("by-hand/artifacts/" + ids["download"][0])));
}

TEST_F(ScriptResolve, AnAnswerThatIsNotOneWordIsRefused) {
  add_point("a", "hf:acme/a", "main");
  for (const char* answer : {"true", "echo two words", "printf 'caf\\303\\251\\n'",
                             "head -c 300 /dev/zero | tr '\\0' a"}) {
    std::filesystem::remove_all(folder.file("by-hand"));
    write("resolve.sh", answer);
    const ScriptResult result = bash(folder, script(), "LC_ALL=C.UTF-8");
    EXPECT_EQ(result.code, 1) << answer;
    EXPECT_THAT(result.err,
                HasSubstr("resolve-1: its last line is not one word of printable ASCII characters"))
        << answer;
  }
}

TEST_F(ScriptResolve, PassesShellcheck) {
  if (std::system("command -v shellcheck >/dev/null") != 0)
    GTEST_SKIP() << "shellcheck is not installed";
  add_point("a", "hf:acme/a", "main");
  std::ofstream(folder.file("plan.sh")) << script();
  EXPECT_EQ(std::system(fmt::format("shellcheck --severity=style {} >{} 2>&1",
                                    folder.file("plan.sh"), folder.file("output"))
                            .c_str()),
            0)
      << read(folder.file("output"));
}

}  // namespace script_resolve_test
}  // namespace orch::script
