// Texts with invented tokens in, kinds and positions out.
#include "core/secret/token_shapes.hpp"

#include "core/base/yaml/yaml.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch {
namespace secret_test {

std::string found(const std::string& text) {
  const auto secret = find_secret(text);
  return secret ? fmt::format("{}:{} ({}): {}", secret->line, secret->column, secret->offset,
                              secret->kind)
                : "none";
}

// Assembled here, so that scanners of repositories do not report this file.
const std::string k_twenty = std::string("abcdefghij") + "0123456789";

TEST(Secret, a_token_of_a_known_shape_is_found_anywhere_in_a_text) {
  EXPECT_EQ(found("a: 1\nb: hf_" + k_twenty), "2:4 (8): a Hugging Face token");
  EXPECT_EQ(found("# \xc3\xa9 nvapi-" + k_twenty), "1:5 (5): an NVIDIA API key");
  for (const char* prefix : {"ghp_", "gho_", "ghs_", "github_pat_"})
    EXPECT_EQ(found("'" + (prefix + k_twenty)), "1:2 (1): a GitHub token");
  EXPECT_EQ(found("{x: glpat-" + k_twenty + "}"), "1:5 (4): a GitLab token");
  EXPECT_EQ(found("key=sk-" + k_twenty), "1:5 (4): an API key");
  EXPECT_EQ(found("AKIA" + std::string(16, 'Z')), "1:1 (0): an AWS access key");
  EXPECT_EQ(found("xoxb-" + k_twenty), "1:1 (0): a Slack token");
  EXPECT_EQ(found("a: |\n  -----BEGIN RSA PRIVATE" + std::string(" KEY-----\n")),
            "2:3 (7): a private key");
}

TEST(Secret, a_text_that_only_begins_like_a_token_is_not_one) {
  for (const std::string& text : {std::string("hf_short"), "task-" + k_twenty, "my_hf_" + k_twenty,
                                  std::string("a: sk-learn"), std::string("AKIA12345"),
                                  std::string("source: hf:Qwen/Qwen2-7B-Instruct"),
                                  std::string("-----BEGIN CERTIFICATE-----"), "desk-" + k_twenty})
    EXPECT_EQ(found(text), "none") << text;
}

}  // namespace secret_test
}  // namespace orch
