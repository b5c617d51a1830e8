// `parts:` of a manifest: several files read as one.
#include "spec/runner/support.hpp"

#include <map>

namespace orch::runner {
namespace parts_test {

struct Parts {
  std::map<std::string, std::string> files;
  Errors errors;

  Manifest read(const std::string& main) {
    return parse_manifest(main, "runners/toy/runner.yaml", errors,
                          [this](const std::string& path) -> Result<std::string> {
                            const auto found = files.find(path);
                            if (found == files.end()) return invalid("there is no such file");
                            return found->second;
                          });
  }
  std::string error_text() const {
    std::string text;
    for (const Error& error : errors) text += error.text() + "\n";
    return text;
  }
};

constexpr const char* k_main = R"(runner: toy
parts: [make.yaml, rules.yaml]
parameters:
  isl: {type: integer, default: 4}
stages:
  first: {kind: task, argv: [/bin/true], outputs: [a]}
)";

TEST(Parts, AreAppendedToTheManifestInTheirOrder) {
  Parts parts;
  parts.files["runners/toy/make.yaml"] =
      "parameters: {osl: {type: integer, sql: isl}}\nstages:\n  second: {kind: task, needs: "
      "[first], reads: [osl], argv: [/bin/true], outputs: [b]}\n";
  parts.files["runners/toy/rules.yaml"] =
      "rules:\n  - {name: short, require: isl + osl < 10, because: \"{osl} is long\"}\n";
  const Manifest manifest = parts.read(k_main);
  EXPECT_EQ(parts.error_text(), "");
  ASSERT_EQ(manifest.parameters.size(), 2u);
  EXPECT_EQ(manifest.parameters[1].name, "osl");
  EXPECT_EQ(manifest.parameters[1].where.file, "runners/toy/make.yaml");
  ASSERT_EQ(manifest.stages.size(), 2u);
  EXPECT_EQ(manifest.stages[1].name, "second");
  ASSERT_EQ(manifest.rules.size(), 1u);
}

TEST(Parts, MustNotRepeatANameOfAnotherFile) {
  Parts parts;
  parts.files["runners/toy/make.yaml"] = "parameters: {isl: {type: integer, default: 5}}\n";
  parts.files["runners/toy/rules.yaml"] = "rules: {}\n";
  parts.read(k_main);
  EXPECT_EQ(
      parts.error_text(),
      "runners/toy/make.yaml:1:14: 'isl' is also at runners/toy/runner.yaml:4:3; remove one of "
      "them\n"
      "runners/toy/rules.yaml:1:8: 'rules' must be a list of maps, not a map; write - {name: NAME, "
      "require: SQL, because: TEXT}\n");
}

TEST(Parts, HoldAllSectionsButTheNameVersionsAndPartsOfTheManifest) {
  Parts parts;
  parts.files["runners/toy/make.yaml"] = "versions: {of: Tool}\nparts: [more.yaml]\n";
  parts.files["runners/toy/rules.yaml"] = "- a list\n";
  parts.read(k_main);
  EXPECT_EQ(
      parts.error_text(),
      "runners/toy/make.yaml:1:1: a part may have parameters, facts, rules, resolve, container, "
      "fragments and stages; write 'versions' into the manifest itself\n"
      "runners/toy/make.yaml:2:1: a part may have parameters, facts, rules, resolve, container, "
      "fragments and stages; write 'parts' into the manifest itself\n"
      "runners/toy/rules.yaml:1:1: runners/toy/rules.yaml must be a map of parameters, rules, "
      "facts, fragments and stages, not a list\n");
}

TEST(Parts, MayHaveTheFactsOfModelsAndTheResolver) {
  Parts parts;
  parts.files["runners/common/model.yaml"] =
      "facts:\n  {from: first, file: a, known: common/known.yaml, names: {model_heads: {type: "
      "integer, keys: [heads]}}}\nresolve: {hf: {argv: [/bin/resolve]}}\n";
  parts.files["runners/common/known.yaml"] = "hf:a/b: {heads: 7}\n";
  const std::string main =
      "runner: toy\nparts: [common/model.yaml]\nstages:\n  first: {kind: task, argv: "
      "[/bin/true], outputs: [a]}\n";
  const Manifest manifest = parts.read(main);
  EXPECT_EQ(parts.error_text(), "");
  ASSERT_EQ(manifest.model_facts.size(), 1u);
  EXPECT_EQ(manifest.model_facts[0].column.where.file, "runners/common/model.yaml");
  EXPECT_NE(manifest.resolver_of("hf:a/b"), nullptr);
  EXPECT_EQ(manifest.known_models.at("hf:a/b").at("model_heads").text, "7");

  Parts twice;
  twice.files = parts.files;
  twice.read(main + "resolve: {hf: {argv: [/bin/other]}}\n");
  EXPECT_EQ(twice.error_text(),
            "runners/common/model.yaml:3:11: 'hf' is also at runners/toy/runner.yaml:5:11; remove "
            "one of them\n");
}

// What a shared part declares of a parameter, a runner may declare anew, before or after it.
TEST(Parts, ThatAreSharedGiveWhatARunnerDoesNotDeclare) {
  Parts parts;
  parts.files["runners/common/measure.yaml"] =
      "parameters:\n  isl: {type: integer, min: 1, sql: osl, help: shared}\n"
      "  osl: {type: integer, default: 3}\n  beams: {type: integer, optional: true, min: 1}\n"
      "  rate: {type: real, optional: true}\n";
  parts.files["runners/toy/own.yaml"] = "parameters: {beams: {default: 2}}\n";
  const Manifest manifest = parts.read(R"(runner: toy
parts: [common/measure.yaml, own.yaml]
parameters:
  isl: {default: 4}
  rate: {sql: isl * 0.5}
stages:
  first: {kind: task, reads: [isl, osl, beams, rate], argv: [/bin/true], outputs: [a]}
)");
  EXPECT_EQ(parts.error_text(), "");
  ASSERT_EQ(manifest.parameters.size(), 4u);
  EXPECT_EQ(manifest.parameters[0].name, "isl");
  EXPECT_EQ(manifest.parameters[0].fallback->text, "4");
  EXPECT_FALSE(manifest.parameters[0].fallback_sql);
  EXPECT_EQ(manifest.parameters[0].least, 1);
  EXPECT_EQ(manifest.parameters[0].help, "shared");
  EXPECT_TRUE(manifest.parameters[1].optional && manifest.parameters[1].fallback_sql);
  EXPECT_EQ(manifest.parameters[3].fallback->text, "2");
  EXPECT_FALSE(manifest.parameters[3].optional);
}

TEST(Parts, OfTwoKindsDeclareAParameterOnceEach) {
  Parts parts;
  parts.files["runners/common/a.yaml"] = "parameters: {osl: {type: integer, default: 1}}\n";
  parts.files["runners/common/b.yaml"] = "parameters: {osl: {type: integer, default: 2}}\n";
  parts.read(R"(runner: toy
parts: [common/a.yaml, common/b.yaml]
stages:
  first: {kind: task, reads: [osl], argv: [/bin/true], outputs: [a]}
)");
  EXPECT_EQ(parts.error_text(),
            "runners/common/b.yaml:1:14: 'osl' is also at runners/common/a.yaml:1:14; remove one "
            "of them\n");
}

TEST(Parts, ThatCannotBeReadAreErrorsWhereTheyAreNamed) {
  Parts parts;
  parts.files["runners/toy/rules.yaml"] = "rules: [\n";
  parts.read(k_main);
  EXPECT_EQ(parts.error_text(),
            "runners/toy/runner.yaml:2:9: part 'make.yaml' cannot be read: there is no such file; "
            "write this file, or correct the name\n"
            "runners/toy/rules.yaml:1:8: a '[' is never closed; add the ']'\n");
  Parts shared;
  shared.read("runner: toy\nparts: [common/a.yaml]\nstages: {}\n");
  EXPECT_EQ(shared.error_text(),
            "runners/toy/runner.yaml:2:9: part 'common/a.yaml' cannot be read: there is no such "
            "file; correct the name. A folder common/ beside the runner's own folder replaces "
            "the installed one\n")
      << "and no errors that follow from it";
  Parts outside;
  outside.read(
      "runner: toy\nparts: [../other/runner.yaml]\nstages:\n  first: {kind: task, argv: "
      "[/bin/true], outputs: [a]}\n");
  EXPECT_NE(outside.error_text().find("runners/toy/runner.yaml:2:9: part '../other/runner.yaml'"),
            std::string::npos)
      << outside.error_text();
}

TEST(Parts, ComeBehindTheManifestSoThatItsStagesCannotNeedTheirs) {
  Parts parts;
  parts.files["runners/toy/make.yaml"] =
      "stages: {make: {kind: task, argv: [/bin/true], outputs: [a]}}\n";
  parts.read(
      "runner: toy\nparts: [make.yaml]\nstages:\n  pack: {kind: task, needs: [make], argv: "
      "[/bin/true], outputs: [a]}\n");
  EXPECT_EQ(parts.error_text(),
            "runners/toy/runner.yaml:4:30: stage 'pack' needs 'make' of runners/toy/make.yaml, but "
            "the stages of a part follow those of the manifest; move 'pack' into a part that is "
            "listed after that file\n");
}

}  // namespace parts_test
}  // namespace orch::runner
