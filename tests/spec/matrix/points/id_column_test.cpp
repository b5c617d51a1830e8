#include "spec/matrix/points/id_column.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace orch::matrix::id_column_test {

TEST(IdColumn, ReturnsWhatWasPushedAtEveryWidth) {
  IdColumn column;
  std::vector<std::uint32_t> pushed;
  for (const std::uint32_t id : {7u, 7u, 0u, 255u, 256u, 1u, 65535u, 65536u, 2u, 4294967295u}) {
    column.push(id);
    pushed.push_back(id);
    ASSERT_EQ(column.size(), pushed.size());
    for (std::size_t row = 0; row < pushed.size(); ++row)
      EXPECT_EQ(column[row], pushed[row]) << row << " after " << id;
  }
}

TEST(IdColumn, BeginsAtAnyWidth) {
  for (const std::uint32_t first : {0u, 300u, 70000u}) {
    IdColumn column;
    column.push(first);
    column.push(3);
    EXPECT_EQ(column[0], first);
    EXPECT_EQ(column[1], 3u);
  }
}

TEST(InternedColumn, StoresEachValueOnceAndReturnsTheOneOfTheRow) {
  InternedColumn<std::string> column;
  for (const char* value : {"a", "b", "b", "a"}) column.push(value);
  InternedColumn<std::string> moved = std::move(column);
  EXPECT_EQ(moved[0], "a");
  EXPECT_EQ(moved[2], "b");
  EXPECT_EQ(&moved[0], &moved[3]);
}

}  // namespace orch::matrix::id_column_test
