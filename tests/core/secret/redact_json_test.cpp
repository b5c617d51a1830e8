#include "core/secret/redact.hpp"

#include <gtest/gtest.h>

namespace orch::secret {
namespace redact_json_test {

const std::vector<std::string> k_values = {"hunter22", "123456", "12.5e+10"};

TEST(JsonRedactor, RedactsStringsAndKeysAndLeavesNumbers) {
  const JsonSecrets secrets(k_values);
  EXPECT_EQ(redacted_json(secrets, R"({"hunter22":["a hunter22","\u0068unter22"],"n":[1234567]})"),
            R"({"[secret]":["a [secret]","[secret]"],"n":[1234567]})");
  EXPECT_EQ(redacted_json(secrets, R"({"pin":"123456","ns":-123456.5,"x":12.5e+10})"),
            R"({"pin":"[secret]","ns":-123456.5,"x":12.5e+10})");
}

TEST(JsonRedactor, DoesNotJoinTwoStrings) {
  EXPECT_EQ(redacted_json(JsonSecrets(k_values), R"(["hun", "ter22"])"), R"(["hun", "ter22"])");
}

TEST(JsonRedactor, RedactsTextThatIsNoJson) {
  const JsonSecrets secrets(k_values);
  EXPECT_EQ(redacted_json(secrets, "hunter22 {\"a"), "[secret] {\"a");
  EXPECT_EQ(redacted_json(secrets, "{\"cut hunter2\n{\"b\":\"hunter22\"}\n"),
            "{\"cut hunter2\n{\"b\":\"[secret]\"}\n");
  EXPECT_EQ(redacted_json(secrets, "\"a\\\"hunter22\\\"\\\\\",hunter22"),
            "\"a\\\"[secret]\\\"\\\\\",[secret]");
}

TEST(JsonRedactor, GivesTheSameHoweverTheTextIsSplit) {
  const JsonSecrets secrets(k_values);
  const std::string text = R"({"a":"x\"hunter22\\","b":123456,"c":["123456","\u0068unter22"]})";
  for (std::size_t size = 1; size < 12; ++size) {
    JsonRedactor redactor(secrets);
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += size)
      out += redactor.feed(std::string_view(text).substr(at, size));
    out += redactor.finish();
    EXPECT_EQ(out, redacted_json(secrets, text)) << size;
    EXPECT_EQ(redactor.found(), 3u) << size;
  }
}

}  // namespace redact_json_test
}  // namespace orch::secret
