#include "core/secret/escapes.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::secret {
namespace secret_forms_test {

using testing::Contains;

// Generated with python3: base64, codecs, urllib.parse.
TEST(CodedForms, AreBase64AndHexadecimalAndOneInsideTheOther) {
  const std::vector<std::string> forms = coded_forms("pass word/1");
  for (const char* form :
       {"cGFzcyB3b3JkLz", "7061737320776f72642f31", "7061737320776F72642F31",
        "70 61 73 73 20 77 6f 72 64 2f 31", "70:61:73:73:20:77:6F:72:64:2F:31",
        "0x70, 0x61, 0x73, 0x73, 0x20, 0x77, 0x6f, 0x72, 0x64, 0x2f, 0x31", "Y0dGemN5QjNiM0prTH",
        "NzA2MTczNzMyMDc3NmY3MjY0MmYzM", "cGFzcyUyMHdvcmQlMkYx", "cGFzcyUyMHdvcmQvM"})
    EXPECT_THAT(forms, Contains(form)) << form;
}

TEST(CodedForms, AreAlsoGivenWithoutTheirBeginning) {
  EXPECT_THAT(coded_forms("pass word/1"), Contains("cyB3b3JkLz"));
  EXPECT_THAT(coded_forms("hunter"), testing::Not(Contains("6572")));
}

TEST(CodedForms, AreUniqueAndLongEnoughToSearchFor) {
  std::vector<std::string> forms = coded_forms("hunter");
  EXPECT_FALSE(forms.empty());
  for (const std::string& form : forms) EXPECT_GE(form.size(), k_shortest_secret) << form;
  std::sort(forms.begin(), forms.end());
  EXPECT_EQ(std::adjacent_find(forms.begin(), forms.end()), forms.end());
  EXPECT_TRUE(coded_forms("false").empty());
  EXPECT_TRUE(coded_forms("").empty());
}

TEST(SecretNames, AreThoseOfTokensKeysAndPasswords) {
  for (const char* name :
       {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_2", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD",
        "PGPASSWD", "OPENAI_API_KEY", "GIT_CREDENTIALS", "my_token"})
    EXPECT_TRUE(names_a_secret(name)) << name;
  for (const char* name : {"PATH", "TOKENIZERS_PARALLELISM", "MAX_TOKENS", "KEYBOARD", ""})
    EXPECT_FALSE(names_a_secret(name)) << name;
}

}  // namespace secret_forms_test
}  // namespace orch::secret
