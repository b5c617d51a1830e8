#include "core/sql/value_pool.hpp"

#include <gtest/gtest.h>

namespace orch::sql {
namespace combinations_test {

bool finds(Combinations& combinations, ValueId id) {
  const ValueId key[] = {id, 1};
  return !combinations.find(key).empty();
}

// Looks up and remembers COUNT combinations from FIRST on; returns how many were in the cache.
std::size_t pass(Combinations& combinations, ValueId first, ValueId count) {
  std::size_t known = 0;
  for (ValueId id = first; id < first + count; ++id) {
    const ValueId key[] = {id, 1};
    const ValueId values[] = {id + 1, id + 2, id + 3};
    if (finds(combinations, id)) ++known;
    else combinations.remember(key, values);
  }
  return known;
}

TEST(Combinations, return_all_remembered_values) {
  Combinations combinations(2, 3);
  pass(combinations, 0, 1000);
  const ValueId key[] = {700, 1};
  const auto values = combinations.find(key);
  EXPECT_EQ(std::vector<ValueId>(values.begin(), values.end()),
            (std::vector<ValueId>{701, 702, 703}));
  EXPECT_FALSE(finds(combinations, 1000));
}

TEST(Combinations, without_inputs_have_one_entry) {
  Combinations combinations(0, 1);
  EXPECT_TRUE(combinations.find({}).empty());
  combinations.remember({}, std::array<ValueId, 1>{5});
  EXPECT_EQ(combinations.find({}).front(), 5u);
}

TEST(Combinations, that_rarely_repeat_suspend_the_cache_for_a_time) {
  Combinations combinations(2, 3);
  constexpr ValueId k_most = 1 << 16;
  EXPECT_EQ(pass(combinations, 0, k_most + 1), 0u);
  pass(combinations, 0, 10);
  EXPECT_EQ(pass(combinations, 0, 10), 0u) << "the cache is suspended";
  pass(combinations, 0, 16 * k_most);
  pass(combinations, 0, 10);
  EXPECT_EQ(pass(combinations, 0, 10), 10u) << "the cache works again";
}

TEST(Combinations, that_repeat_are_cached_beyond_the_limit) {
  Combinations combinations(2, 3);
  constexpr ValueId k_most = 1 << 16;
  pass(combinations, 0, 1000);
  EXPECT_EQ(pass(combinations, 0, 1000), 1000u);
  pass(combinations, 1000, k_most);
  pass(combinations, 0, 10);
  EXPECT_EQ(pass(combinations, 0, 10), 10u);
}

}  // namespace combinations_test
}  // namespace orch::sql
