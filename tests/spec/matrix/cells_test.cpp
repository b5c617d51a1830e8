#include "spec/matrix/parameter.hpp"

#include <gtest/gtest.h>

namespace orch::matrix {
namespace cells_test {

TEST(Cells, HoldNumbersAndBooleansAsNumbersAndVersionsAsText) {
  EXPECT_EQ(to_cell({Type::integer, "8"}), sql::Cell(std::int64_t{8}));
  EXPECT_EQ(to_cell({Type::real, "0.5"}), sql::Cell(0.5));
  EXPECT_EQ(to_cell({Type::boolean, "true"}), sql::Cell(std::int64_t{1}));
  EXPECT_EQ(to_cell({Type::version, "0.10"}), sql::Cell(std::string("0.10")));
  EXPECT_EQ(column_type(Type::version), sql::ColumnType::version);
}

TEST(Cells, BecomeValuesOfTheirOwnTypeWithoutADeclaration) {
  EXPECT_EQ(free_value(std::int64_t{8}), (Value{Type::integer, "8"}));
  EXPECT_EQ(free_value(0.5), (Value{Type::real, "0.5"}));
  EXPECT_EQ(free_value(std::string("fp8")), (Value{Type::text, "fp8"}));
  EXPECT_EQ(to_text(sql::Cell()), "NULL");
}

TEST(Cells, BecomeValuesOfTheDeclaredTypeOrAreRefused) {
  EXPECT_EQ(*declared_value({.name = "f", .type = Type::boolean}, std::int64_t{1}),
            (Value{Type::boolean, "true"}));
  EXPECT_EQ(*declared_value({.name = "n", .type = Type::integer}, std::int64_t{8}),
            (Value{Type::integer, "8"}));
  EXPECT_FALSE(declared_value({.name = "f", .type = Type::boolean}, std::int64_t{2}).ok());
  EXPECT_FALSE(declared_value({.name = "n", .type = Type::integer}, std::string("many")).ok());
}

}  // namespace cells_test
}  // namespace orch::matrix
