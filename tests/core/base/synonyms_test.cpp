#include "core/base/text.hpp"

#include <gtest/gtest.h>

namespace orch {
namespace synonyms_test {

using Words = std::vector<std::string>;

TEST(Synonyms, WordsOfOtherToolsNameOurs) {
  const Words known = {"tp", "pp", "isl", "osl", "batch_size", "batch_gib", "request_rate"};
  EXPECT_EQ(synonym("tensor_parallel_size", known), "tp");
  EXPECT_EQ(synonym("Tensor-Parallel-Size", known), "tp");
  EXPECT_EQ(synonym("nodes", known), "pp");
  EXPECT_EQ(synonym("batch", known), "batch_size");
  EXPECT_EQ(synonym("max_new_tokens", known), "osl");
  EXPECT_EQ(synonym("qps", known), "request_rate");
}

TEST(Synonyms, AWordWithoutItsCounterpartHasNone) {
  EXPECT_EQ(synonym("batch", Words{"isl"}), std::nullopt);
  EXPECT_EQ(synonym("", Words{"isl", "tp"}), std::nullopt);
  EXPECT_EQ(synonym("par", Words{"tp"}), std::nullopt);
}

TEST(Synonyms, AreSuggestedBeforeSimilarSpellings) {
  EXPECT_EQ(did_you_mean("batch", Words{"batch_gib", "batched", "batch_size"}),
            "; did you mean 'batch_size'?");
}

}  // namespace synonyms_test
}  // namespace orch
