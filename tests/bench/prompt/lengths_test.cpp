// Lengths of prompts and answers: their syntax and their distribution.
#include "bench/prompt/prompts.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace orch::prompt {
namespace lengths_test {

TEST(Lengths, AreParsedAsMeanAndStandardDeviation) {
  const auto both = parse_length("--isl", "512:64");
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->mean, 512);
  EXPECT_EQ(both->sd, 64);
  for (const char* wrong : {"", "0", "-3", "a", "5:", "5:-1", ":5", "5:1:0", "5:1:x", "5:1:9:1",
                            "5.5", "1e99", "nan"}) {
    const auto length = parse_length("--isl", wrong);
    ASSERT_FALSE(length.ok()) << wrong;
    EXPECT_EQ(
        length.error().text(),
        fmt::format("--isl is '{}'; write a number of tokens (--isl 512), a mean and standard "
                    "deviation (--isl 512:64), or these and the largest length (--isl 512:64:768)",
                    wrong));
  }
}

TEST(Lengths, AreDrawnFromTheDistributionAndRaisedToOne) {
  const auto lengths = draw_lengths({.mean = 500, .sd = 50}, 1, 20000);
  double sum = 0, squares = 0;
  for (const std::int64_t length : lengths)
    sum += static_cast<double>(length), squares += static_cast<double>(length * length);
  const double mean = sum / 20000, sd = std::sqrt(squares / 20000 - mean * mean);
  EXPECT_NEAR(mean, 500, 1.5);
  EXPECT_NEAR(sd, 50, 1.5);
  EXPECT_EQ(draw_lengths({.mean = 500, .sd = 50}, 1, 10),
            std::vector<std::int64_t>(lengths.begin(), lengths.begin() + 10));
  EXPECT_NE(draw_lengths({.mean = 500, .sd = 50}, 2, 10),
            draw_lengths({.mean = 500, .sd = 50}, 1, 10));
  const auto bounded = draw_lengths(*parse_length("--isl", "500:50:510"), 1, 1000);
  EXPECT_EQ(*std::max_element(bounded.begin(), bounded.end()), 510);
  EXPECT_LT(*std::min_element(bounded.begin(), bounded.end()), 450);
  const auto short_lengths = draw_lengths({.mean = 2, .sd = 10}, 1, 1000);
  EXPECT_EQ(short_lengths.size(), 1000u);
  EXPECT_EQ(*std::min_element(short_lengths.begin(), short_lengths.end()), 1);
}

}  // namespace lengths_test
}  // namespace orch::prompt
