#include "spec/matrix/name_rules.hpp"
#include "spec/matrix/support.hpp"

#include <gtest/gtest.h>

namespace orch::matrix {
namespace source_test {

const std::string k_commit(40, 'a');

TEST(Source, OnlyALocalSourceHasAPath) {
  EXPECT_EQ(local_source_path("local:/models/x"), "/models/x");
  EXPECT_FALSE(local_source_path("hf:local/x"));
  EXPECT_FALSE(local_source_path("generate:tiny"));
}

TEST(Source, TheHelpOfAModelNamesTheShapesThatARunnerGenerates) {
  EXPECT_EQ(generated_shapes("a name; source generate:nano|tiny|m100, hf:OWNER/NAME"),
            (std::vector<std::string>{"nano", "tiny", "m100"}));
  EXPECT_EQ(generated_shapes("source local:PATH or generate:big"), std::vector<std::string>{"big"});
  EXPECT_TRUE(generated_shapes("source hf:OWNER/NAME").empty());
}

TEST(Source, AShapeThatTheRunnerDoesNotGenerateIsAnErrorWithTheKnownOnes) {
  Vocabulary toy = toy_vocabulary();
  toy.parameters.front().help = "source generate:nano|tiny or local:PATH";
  const auto errors = [&](const std::string& source) {
    return errors_of("name: x\nrunner: toy\nmodels: {m: {source: '" + source +
                         "'}}\ndefaults: {model: m, concurrency: 2}\n",
                     toy);
  };
  EXPECT_EQ(errors("generate:tiny"), "");
  EXPECT_EQ(
      errors("generate:tinny"),
      "m.yaml:3:22: model 'm': runner 'toy' does not generate 'tinny'; did you mean 'tiny'?; it "
      "generates 'nano' or 'tiny'\n");
}

TEST(Source, OnlyACompleteHashPinsARevision) {
  EXPECT_TRUE(is_pinned(k_commit));
  EXPECT_TRUE(is_pinned(std::string(64, '0')));
  EXPECT_FALSE(is_pinned(k_commit.substr(1)));
  EXPECT_FALSE(is_pinned(std::string(40, 'A')));
  EXPECT_FALSE(is_pinned("main"));
  EXPECT_FALSE(is_pinned(""));
}

TEST(Source, AnEmptyRevisionMeansMain) {
  EXPECT_EQ(mutable_revision("hf:o/n", ""), "hf:o/n@main");
  EXPECT_EQ(mutable_revision("hf:o/n", "v1"), "hf:o/n@v1");
  EXPECT_EQ(mutable_revision("git:https://host/x.git", ""), "git:https://host/x.git@HEAD");
}

TEST(Source, AModelIsFetchedByItsScheme) {
  for (const char* source : {"hf:o/n", "local:m", "generate:tiny", "git:https://host/x.git",
                             "git:ssh://git@host/x.git", "git:file:///m"})
    EXPECT_EQ(refuse_model_source(source, ""), std::nullopt) << source;
  for (const char* source : {"", "hf:", "s3://x/y", "o/n", "https://host/m.gguf", "HF:o/n"})
    EXPECT_EQ(refuse_model_source(source, ""),
              "must be hf:OWNER/NAME, local:PATH, git:URL, url:ADDRESS or generate:SHAPE")
        << source;
}

TEST(Source, AnAddressHasTheSha256OfItsFile) {
  const std::string sum(64, '0');
  EXPECT_EQ(refuse_model_source("url:https://host/m.gguf", sum), std::nullopt);
  EXPECT_EQ(refuse_model_source("url:https://host/m.gguf", ""),
            "is an address whose content may change; write the sha256 of the file as its revision");
  EXPECT_EQ(refuse_model_source("url:https://host/m.gguf", k_commit),
            "is an address whose content may change; write the sha256 of the file as its revision, "
            "not '" +
                k_commit + "'");
}

TEST(Source, APasswordInAnAddressIsRefused) {
  for (const char* source : {"git:https://me:secret@host/x.git", "url:https://me:s@host/x",
                             "git:https://token@host/x.git", "url:https://token@host/x"})
    EXPECT_NE(refuse_model_source(source, std::string(64, '0')), std::nullopt) << source;
  EXPECT_EQ(refuse_model_source("git:https://host:8443/a:b@c.git", ""), std::nullopt);
}

TEST(Source, OnlyAMutableRevisionOfAHubNeedsResolving) {
  EXPECT_TRUE(needs_resolving("hf:o/n", ""));
  EXPECT_TRUE(needs_resolving("hf:o/n", "v1"));
  EXPECT_FALSE(needs_resolving("hf:o/n", k_commit));
  EXPECT_FALSE(needs_resolving("local:/m", ""));
  EXPECT_FALSE(needs_resolving("generate:tiny", ""));
}

}  // namespace source_test
}  // namespace orch::matrix
