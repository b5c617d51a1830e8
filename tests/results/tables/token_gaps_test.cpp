#include "results/tables/ingest.hpp"

#include <gtest/gtest.h>

namespace orch {
namespace token_gaps_test {

TEST(TokenGaps, survive_encoding_and_take_few_bytes) {
  const std::vector<std::uint64_t> gaps = {0, 1, 127, 128, 16383, 16384, 4'000'000, UINT64_MAX};
  const auto blob = tables::encode_gaps(gaps);
  EXPECT_EQ(blob.size(), 1u + 1 + 1 + 2 + 2 + 3 + 4 + 10);
  EXPECT_EQ(tables::decode_gaps({reinterpret_cast<const char*>(blob.data()), blob.size()}), gaps);
}

TEST(TokenGaps, that_end_inside_a_number_or_overflow_are_refused) {
  EXPECT_EQ(tables::decode_gaps("\x80"), std::nullopt);
  EXPECT_EQ(tables::decode_gaps("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), std::nullopt);
}

}  // namespace token_gaps_test
}  // namespace orch
