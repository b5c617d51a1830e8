// Results, errors and their positions.
#include "core/base/result.hpp"

#include <cerrno>
#include <memory>

#include <gtest/gtest.h>

namespace orch {
namespace result_test {

Result<int> half(int value) {
  if (value % 2) return invalid("an odd number", {"f.yaml", 3, 7});
  return value / 2;
}

Result<int> quarter(int value) {
  ORCH_ASSIGN(const int once, half(value));
  return half(once);
}

Status check(int value) {
  ORCH_TRY(half(value));
  return {};
}

TEST(Result, IsAValueOrAnError) {
  EXPECT_EQ(*half(8), 4);
  EXPECT_FALSE(half(7));
  EXPECT_EQ(half(7).error().kind, ErrorKind::invalid);
  EXPECT_EQ(half(7).value_or(-1), -1);
}

TEST(Result, MacrosReturnTheErrorFromTheEnclosingFunction) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().message, "an odd number");
  EXPECT_TRUE(check(2));
  EXPECT_EQ(check(3).error().text(), "f.yaml:3:7: an odd number");
}

TEST(Result, MovesItsValueOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(ResultDeathTest, ReadingTheValueOfAnErrorAsserts) {
  EXPECT_DEATH((void)half(7).value(), "ok");
}

TEST(Error, HasItsKnownPositionAndContextInItsText) {
  EXPECT_EQ(invalid("wrong").text(), "wrong");
  EXPECT_EQ(invalid("wrong", {"f", 0, 0}).text(), "f: wrong");
  EXPECT_EQ(invalid("wrong", {"f", 2, 0}).text(), "f:2: wrong");
  EXPECT_EQ(invalid("wrong").within("stage 'build'").text(), "stage 'build': wrong");
  EXPECT_EQ(io_error("read", "/x", ENOENT).kind, ErrorKind::not_found);
  EXPECT_EQ(io_error("write", "/x", ENOSPC).within("a run").number, ENOSPC);
  EXPECT_EQ(invalid("wrong").number, 0);
  EXPECT_EQ(io_error("read", "/x", EACCES).text(), "cannot read /x: Permission denied");
}

TEST(Places, MapBytesPieceByPiece) {
  Places places("f", 1, 5);
  places.add_piece(3, 2, 9);
  EXPECT_EQ(to_string(places.at(0)), "f:1:5");
  EXPECT_EQ(to_string(places.at(2)), "f:1:7");
  EXPECT_EQ(to_string(places.at(4)), "f:2:10");
  places.add_piece(0, 4, 1);
  EXPECT_EQ(to_string(places.first()), "f:4:1");
}

TEST(Errors, AreSortedByFileLineAndColumn) {
  Errors errors = {invalid("c", {"b", 2, 1}), invalid("d", {"a", 1, 1}), invalid("b", {"b", 1, 9}),
                   invalid("a", {"b", 1, 2})};
  sort_by_place(errors);
  std::string order;
  for (const Error& error : errors) order += error.message;
  EXPECT_EQ(order, "abcd");
}

TEST(Errors, BeyondTwoHundredOfOneFileAreCounted) {
  Errors errors;
  for (int i = 1; i <= 203; ++i) errors.push_back(invalid("wrong", {"a", i, 1}));
  errors.push_back(invalid("wrong", {"b", 1, 1}));
  EXPECT_TRUE(keep_readable(errors));
  ASSERT_EQ(errors.size(), 202u);
  EXPECT_EQ(errors[200].text(), "a:201:1: ... and 3 more");
  EXPECT_EQ(errors[201].text(), "b:1:1: wrong");
}

}  // namespace result_test
}  // namespace orch
