// Redaction of the token in texts that a server influences.
#include "bench/wire/endpoint.hpp"

#include <array>

#include <gtest/gtest.h>

namespace orch::wire {
namespace access_test {

TEST(Access, RedactsATokenThatTheEndOfTheTextTruncates) {
  const Access access{.authorization = "Bearer s3cr3t-t0ken"};
  EXPECT_EQ(blacked_out(access, "a s3cr3t-t0ken, s3cr3t-t0ken and s3cr3t-t0"),
            "a ***, *** and ***");
  EXPECT_EQ(blacked_out(access, "s3cr3"), "s3cr3");
  EXPECT_EQ(blacked_out({}, "anything"), "anything");
  EXPECT_EQ(blacked_out_bytes(access, "a s3cr3t-t0ken."), "a ************.");
  std::string text = "ab s3cr3t-t0ken cd";
  std::vector<std::size_t> ends = {2, 3, 7, 15, 18};
  black_out(access, text, ends);
  EXPECT_EQ(text, "ab *** cd");
  EXPECT_EQ(ends, (std::vector<std::size_t>{2, 3, 6, 6, 9}));
}

TEST(Access, RedactsItsSecretsInEveryForm) {
  const Access access{.authorization = "Bearer s3cr3t-t0ken",
                      .secrets = std::make_shared<const secret::Secrets>(
                          std::vector<std::string>{"s3cr3t-t0ken", "hunter22"})};
  EXPECT_EQ(blacked_out(access, "s3cr3t%2Dt0ken, aHVudGVyMjI=, \\u0068unter22 and s3cr3t-t0"),
            "***, ***I=, *** and ***");
  EXPECT_EQ(blacked_out_bytes(access, "a %68unter22."), "a **********.");
  std::string text = "ab %68unter22 cd";
  std::vector<std::size_t> ends = {2, 3, 7, 13, 16};
  black_out(access, text, ends);
  EXPECT_EQ(text, "ab *** cd");
  EXPECT_EQ(ends, (std::vector<std::size_t>{2, 3, 6, 6, 9}));
}

}  // namespace access_test
}  // namespace orch::wire
