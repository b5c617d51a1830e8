// Every table of these keys is complete. tests/schema/schema_test.py compares them with the parser.
#include "spec/keys/matrix_keys.hpp"
#include "spec/keys/support.hpp"

namespace orch::keys {
namespace site_keys_test {

TEST(SiteKeys, EveryTableIsComplete) { expect_complete(k_site); }

TEST(SiteKeys, EveryTableIsReached) {
  const auto tables = tables_below(k_site);
  EXPECT_EQ(tables.size(), 7u);
  for (const char* name : {"prices", "ports", "site_container", "site_slurm", "site_store"})
    EXPECT_TRUE(tables.contains(name)) << name;
}

}  // namespace site_keys_test
}  // namespace orch::keys
