// Every table of these keys is complete. tests/schema/schema_test.py compares them with the parser.
#include "spec/keys/runner_keys.hpp"

#include "spec/keys/support.hpp"

namespace orch::keys {
namespace runner_keys_test {

TEST(ManifestKeys, EveryTableIsComplete) { expect_complete(k_manifest); }

TEST(ManifestKeys, EveryTableIsReached) {
  const auto tables = tables_below(k_manifest);
  EXPECT_EQ(tables.size(), 29u);
  for (const char* name :
       {"versions",       "version_row", "parameter", "value",          "facts",
        "fact",           "rule",        "resolver",  "stage",          "when_words",
        "repeated_words", "options",     "values",    "cut_words",      "render",
        "copy",           "place",       "tools",     "resources",      "agree",
        "ready",          "smoke",       "fragment",  "fragment_words", "container"})
    EXPECT_TRUE(tables.contains(name)) << name;
}

}  // namespace runner_keys_test
}  // namespace orch::keys
