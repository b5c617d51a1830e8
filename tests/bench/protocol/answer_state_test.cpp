// The state of an answer: sequences, counts and finish reasons.
#include "bench/protocol/protocol.hpp"

#include <gtest/gtest.h>

namespace orch::protocol {
namespace answer_state_test {

TEST(AnswerState, KeepsTheTextsOfSequencesApart) {
  AnswerState state;
  state.sequences = 3;
  state.text_of(0) += "a";
  state.text_of(2) += "c";
  EXPECT_EQ(state.answer(), "a\n\nc");
}

TEST(AnswerState, AnIndexOutOfRangeMeansTheFirstSequence) {
  AnswerState state;
  state.sequences = 2;
  for (const std::int64_t index : {-1, 2, 1'000'000'000}) state.text_of(index) += "x";
  EXPECT_EQ(state.text, "xxx");
  EXPECT_TRUE(state.further_texts.empty());
}

TEST(AnswerState, AddsTheTokensOfSequencesAndReplacesEarlierCounts) {
  AnswerState state;
  state.set_osl(0, 4);
  state.set_osl(1, 5);
  state.set_osl(0, 6);
  EXPECT_EQ(state.osl, 11);
}

TEST(AnswerState, HasEndedWhenEverySequenceHasAFinishReason) {
  AnswerState state;
  state.text_of(1) += "b";
  state.end_sequence(1);
  EXPECT_FALSE(state.all_ended());
  state.end_sequence(0);
  EXPECT_TRUE(state.all_ended());
}

TEST(AnswerState, AcceptsOnlyTokenCountsAndKeepsTheFirstInvalidOne) {
  AnswerState state;
  EXPECT_EQ(state.parse_count("12"), 12);
  EXPECT_EQ(state.parse_count("1e3"), 1000);
  EXPECT_EQ(state.invalid_count, "");
  for (const char* raw : {"-1", "0.5", "1e99", "\"7\"", "null"})
    EXPECT_EQ(state.parse_count(raw), std::nullopt) << raw;
  EXPECT_EQ(state.parse_count(k_most_tokens + 1), std::nullopt);
  EXPECT_EQ(state.invalid_count, "-1");
}

}  // namespace answer_state_test
}  // namespace orch::protocol
