// A map reads its keys from a table.
#include "core/base/key_table.hpp"

#include "core/base/yaml.hpp"

#include <gtest/gtest.h>

namespace orch {
namespace key_table_test {

constexpr Form k_any{};
constexpr Key k_lengths[] = {{"isl", &k_any, "tokens of a prompt"}, {"osl", &k_any, ""}};

TEST(KeyTable, a_map_knows_the_keys_of_its_table_whether_they_are_taken_or_not) {
  const auto node = parse_yaml("{isl: 1, ols: 2}", "m.yaml");
  Errors errors;
  YamlMap map(*node, KeyTable{"lengths", "", k_lengths}, "the thing", errors);
  map.finish();
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].text(), "m.yaml:1:10: unknown key 'ols' in the thing; did you mean 'osl'?");
}

}  // namespace key_table_test
}  // namespace orch
