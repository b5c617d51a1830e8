// Raw tensor contents: sizes, rounding and damaged data.
#include "bench/protocol/triton_value.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace orch::protocol {
namespace triton_raw_test {

TEST(TritonRaw, WritesIntegersInLittleEndianOrder) {
  const Tensor tensor{
      .name = "n", .datatype = "INT16", .shape = {2}, .values = std::vector<std::int64_t>{-2, 258}};
  const std::string raw = raw_contents(tensor);
  EXPECT_EQ(raw, std::string("\xfe\xff\x02\x01", 4));
  EXPECT_EQ(raw_integer(raw, "INT16", 0), -2);
  EXPECT_EQ(raw_integer(raw, "UINT16", 0), 65534);
  EXPECT_EQ(raw_integer(raw, "INT16", 2), std::nullopt);
  EXPECT_EQ(raw_integer(raw, "BYTES", 0), std::nullopt);
}

TEST(TritonRaw, WritesTextsWithTheirLengths) {
  const Tensor tensor{
      .name = "t", .datatype = "BYTES", .shape = {2}, .values = std::vector<std::string>{"hi", ""}};
  const std::string raw = raw_contents(tensor);
  std::string_view rest = raw;
  EXPECT_EQ(take_raw_text(rest), "hi");
  EXPECT_EQ(take_raw_text(rest), "");
  EXPECT_EQ(take_raw_text(rest), std::nullopt);
  std::string_view cut = std::string_view(raw).substr(0, 5);
  EXPECT_EQ(take_raw_text(cut), std::nullopt);
}

TEST(TritonRaw, RoundsHalfPrecisionToTheNearest) {
  const auto raw = [](const char* datatype, double value) {
    return raw_contents(
        {.name = "x", .datatype = datatype, .shape = {1}, .values = std::vector<double>{value}});
  };
  EXPECT_EQ(raw("FP16", 1.0), std::string("\x00\x3c", 2));
  EXPECT_EQ(raw("FP16", 1e9), std::string("\x00\x7c", 2)) << "infinity";
  EXPECT_EQ(raw("BF16", 1.0), std::string("\x80\x3f", 2));
}

TEST(TritonRaw, ListsNumbersOfEveryWidthAsJson) {
  const auto list = [](const char* datatype, std::vector<double> values) {
    return raw_list(raw_contents({.name = "x",
                                  .datatype = datatype,
                                  .shape = {static_cast<std::int64_t>(values.size())},
                                  .values = values}),
                    datatype);
  };
  EXPECT_EQ(list("FP32", {-0.1, 3, 1e30}), "[-0.1,3,1e+30]");
  EXPECT_EQ(list("FP64", {-0.1, 3}), "[-0.1,3]");
  EXPECT_EQ(list("FP16", {1, -2.5, 0.00006103515625, 5.960464477539063e-08, 65504}),
            "[1,-2.5,6.1035156e-05,5.9604645e-08,65504]");
  EXPECT_EQ(list("BF16", {1, -0.5}), "[1,-0.5]");
  EXPECT_EQ(list("FP32", {INFINITY, NAN, 1}), "[null,null,1]");
  EXPECT_EQ(list("FP32", {}), "[]");
  EXPECT_EQ(raw_list(std::string("\xfe\xff\x02\x01", 4), "INT16"), "[-2,258]");
  EXPECT_EQ(raw_list("abc", "BYTES"), "\"3 bytes of BYTES\"");
}

}  // namespace triton_raw_test
}  // namespace orch::protocol
