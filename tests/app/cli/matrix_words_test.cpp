// What a measurement says when a run has started it: the keys of a matrix, and no option of
// `bench`.
#include "app/cli/bench/measuring.hpp"

#include <gtest/gtest.h>

namespace orch::cli {
namespace matrix_words_test {

TEST(MatrixWords, NameTheKeyThatARunnerFillsAnOptionFrom) {
  EXPECT_EQ(in_words_of_matrix("prompts are too many; give fewer --requests and --reuse-prompts"),
            "prompts are too many; give fewer num_prompts and reuse_prompts");
  EXPECT_EQ(in_words_of_matrix("leave it out with --input stream_options=null"),
            "leave it out with inputs: stream_options=null");
  EXPECT_EQ(in_words_of_matrix("--stop-after-ms: too long, --until, (--eos)"),
            "stop_after_ms: too long, until, (eos)");
  EXPECT_EQ(in_words_of_matrix("401; give a token with --token-file or --token-env"),
            "401; name the variable with its bearer token under service (token_env: NAME)");
}

TEST(MatrixWords, LeaveEverythingElseAsItIs) {
  for (const char* text : {"a -- b", "x--y", "TTFT - 3 %", "", "--", "p99-p50", "---"})
    EXPECT_EQ(in_words_of_matrix(text), text);
}

}  // namespace matrix_words_test
}  // namespace orch::cli
