#include "core/base/fields.hpp"

#include <gtest/gtest.h>

namespace orch {
namespace fields_test {

struct Inner {
  bool valid = false;
};
struct Sample {
  std::optional<std::int64_t> count;
  std::int32_t small = 1;
  std::string name;
  Inner inner;
};

TEST(Fields, HaveTheTypeOfTheirMember) {
  EXPECT_EQ(field<&Sample::count>("count").type, FieldType::integer);
  EXPECT_EQ(field<&Sample::name>("name").type, FieldType::text);
  EXPECT_EQ((field<&Sample::inner, &Inner::valid>("valid").type), FieldType::flag);
}

TEST(Fields, ReadAndWriteTheirMember) {
  Sample sample;
  const auto count = field<&Sample::count>("count");
  EXPECT_TRUE(is_absent(count.get(sample)));
  count.set(sample, std::int64_t{7});
  EXPECT_EQ(count.get(sample), Value(std::int64_t{7}));
  field<&Sample::inner, &Inner::valid>("valid").set(sample, true);
  EXPECT_TRUE(sample.inner.valid);
}

TEST(Fields, KeepTheirMemberForAValueOfAnotherTypeOrOutOfRange) {
  Sample sample;
  const auto small = field<&Sample::small>("small");
  for (const Value& value : {Value(), Value(std::string("8")), Value(std::int64_t{1} << 40)})
    small.set(sample, value);
  EXPECT_EQ(sample.small, 1);
}

TEST(Fields, AreFoundByKeyAtCompileTime) {
  constexpr std::array fields = {field<&Sample::count>("count"), field<&Sample::name>("name")};
  static_assert(position(fields, "name") == 1);
}

}  // namespace fields_test
}  // namespace orch
