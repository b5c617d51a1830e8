#include "spec/matrix/vocabulary.hpp"

#include <gtest/gtest.h>

namespace orch::matrix {
namespace vocabulary_test {

TEST(Vocabulary, FindsItsParameters) {
  Vocabulary vocabulary;
  vocabulary.parameters = {{.name = "tp"}, {.name = "isl"}};
  EXPECT_EQ(vocabulary.find("isl"), &vocabulary.parameters[1]);
  EXPECT_EQ(vocabulary.find("osl"), nullptr);
}

TEST(Vocabulary, KnowsWhichParametersAreReadAndThatTheModelAlwaysIs) {
  Vocabulary vocabulary;
  vocabulary.parameters = {{.name = "tp"}};
  vocabulary.read = {"tp"};
  EXPECT_TRUE(vocabulary.is_read("tp"));
  EXPECT_TRUE(vocabulary.is_read("model"));
  EXPECT_FALSE(vocabulary.is_read("isl"));
}

}  // namespace vocabulary_test
}  // namespace orch::matrix
