// Every table of these keys is complete. tests/schema/schema_test.py compares them with the parser.
#include "spec/keys/matrix_keys.hpp"

#include "spec/keys/support.hpp"

namespace orch::keys {
namespace matrix_keys_test {

TEST(MatrixKeys, EveryTableIsComplete) { expect_complete(k_matrix); }

TEST(MatrixKeys, EveryTableIsReached) {
  const auto tables = tables_below(k_matrix);
  EXPECT_EQ(tables.size(), 11u);
  for (const char* name : {"model", "dataset", "tokens", "provision", "measure", "client_limits",
                           "repeats", "limits", "service", "score"})
    EXPECT_TRUE(tables.contains(name)) << name;
}

}  // namespace matrix_keys_test
}  // namespace orch::keys
