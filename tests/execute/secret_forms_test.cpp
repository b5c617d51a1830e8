#include "execute/secret_forms.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orch::execute {
namespace {

TEST(SecretForms, IncludeTheValueAndItsEncodings) {
  const std::vector<std::string> forms = secret_forms("pass word/1");
  for (const char* form : {"pass word/1", "pass%20word/1", "pass%20word%2F1", "pass+word%2F1",
                           "pass word\\/1", "pass\\ word/1", "cGFzcyB3b3JkLz"})
    EXPECT_NE(std::find(forms.begin(), forms.end(), form), forms.end()) << form;
}

TEST(SecretForms, AreUniqueAndLongEnoughToSearchFor) {
  std::vector<std::string> forms = secret_forms("hunter");
  EXPECT_FALSE(forms.empty());
  for (const std::string& form : forms) EXPECT_GE(form.size(), k_shortest_secret) << form;
  std::sort(forms.begin(), forms.end());
  EXPECT_EQ(std::adjacent_find(forms.begin(), forms.end()), forms.end());
  EXPECT_TRUE(secret_forms("false").empty());
  EXPECT_TRUE(secret_forms("").empty());
}

TEST(SecretNames, AreThoseOfTokensKeysAndPasswords) {
  for (const char* name :
       {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_2", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD",
        "PGPASSWD", "OPENAI_API_KEY", "GIT_CREDENTIALS", "my_token"})
    EXPECT_TRUE(names_a_secret(name)) << name;
  for (const char* name : {"PATH", "TOKENIZERS_PARALLELISM", "MAX_TOKENS", "KEYBOARD", ""})
    EXPECT_FALSE(names_a_secret(name)) << name;
}

}  // namespace
}  // namespace orch::execute
