#include "matrix/source.hpp"

#include <gtest/gtest.h>

namespace orch::matrix {
namespace {

const std::string k_commit(40, 'a');

TEST(Source, OnlyALocalSourceHasAPath) {
  EXPECT_EQ(local_source_path("local:/models/x"), "/models/x");
  EXPECT_FALSE(local_source_path("hf:local/x"));
  EXPECT_FALSE(local_source_path("generate:tiny"));
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
}

TEST(Source, OnlyAMutableRevisionOfAHubNeedsResolving) {
  EXPECT_TRUE(needs_resolving("hf:o/n", ""));
  EXPECT_TRUE(needs_resolving("hf:o/n", "v1"));
  EXPECT_FALSE(needs_resolving("hf:o/n", k_commit));
  EXPECT_FALSE(needs_resolving("local:/m", ""));
  EXPECT_FALSE(needs_resolving("generate:tiny", ""));
}

}  // namespace
}  // namespace orch::matrix
