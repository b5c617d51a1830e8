// Secrets are redacted in every form, however the stream is split.
#include "execute/redact.hpp"

#include "execute/secret_forms.hpp"

#include <gtest/gtest.h>

#include <random>

namespace orch::execute {
namespace {

std::string redacted(const std::vector<std::string>& secrets, std::string_view text) {
  Redactor redactor(secrets);
  std::string out = redactor.feed(text);
  return out + redactor.finish();
}

constexpr const char* k_secret = "s3cr?t/v~lue \"q'\n>>";

struct Form {
  const char* name;
  const char* text;  // the output of another program for k_secret
};

// Generated with python3: base64, urllib.parse, json, shlex; and with printf %q.
const Form k_forms[] = {
    {"Verbatim", "a s3cr?t/v~lue \"q'\n>> b"},
    {"Base64", "czNjcj90L3Z+bHVlICJxJwo+Pg=="},
    {"Base64AtOffsetOne", "eHMzY3I/dC92fmx1ZSAicScKPj4="},
    {"Base64AtOffsetTwo", "eHhzM2NyP3Qvdn5sdWUgInEnCj4+"},
    {"Base64Url", "czNjcj90L3Z-bHVlICJxJwo-Pg=="},
    {"Base64UrlAtOffsetOne", "eHMzY3I_dC92fmx1ZSAicScKPj4="},
    {"Base64UrlAtOffsetTwo", "eHhzM2NyP3Qvdn5sdWUgInEnCj4-"},
    {"Percent", "?key=s3cr%3Ft/v~lue%20%22q%27%0A%3E%3E&x"},
    {"PercentInLowerCase", "?key=s3cr%3ft/v~lue%20%22q%27%0a%3e%3e&x"},
    {"PercentWithSlashes", "?key=s3cr%3Ft%2Fv~lue%20%22q%27%0A%3E%3E&x"},
    {"PercentPlus", "?key=s3cr%3Ft%2Fv~lue+%22q%27%0A%3E%3E&x"},
    {"PercentOfScripts", "?key=s3cr%3Ft%2Fv~lue%20%22q'%0A%3E%3E&x"},
    {"Json", R"({"key": "s3cr?t/v~lue \"q'\n>>"})"},
    {"JsonWithSlashes", R"({"key": "s3cr?t\/v~lue \"q'\n>>"})"},
    {"SingleQuotes", "key='s3cr?t/v~lue \"q'\\''\n>>'"},
    {"SingleQuotesOfPython", "key='s3cr?t/v~lue \"q'\"'\"'\n>>'"},
    {"DoubleQuotes", "key=\"s3cr?t/v~lue \\\"q'\n>>\""},
    {"Backslashes", "key=s3cr\\?t/v~lue\\ \\\"q\\'\n\\>\\>"},
};

class FormsOfSecrets : public testing::TestWithParam<Form> {};

TEST_P(FormsOfSecrets, AreRedacted) {
  const std::string text = GetParam().text;
  const std::string out = redacted({k_secret}, text);
  EXPECT_NE(out.find("[secret]"), std::string::npos) << out;
  // At most two characters of the value remain: the ends of base64, which share bits with their
  // neighbours.
  EXPECT_EQ(out.find("v~lue"), std::string::npos) << out;
  EXPECT_EQ(out.find("bHVl"), std::string::npos) << out;
  EXPECT_EQ(out.find("s3cr"), std::string::npos) << out;
  EXPECT_LE(out.size(), text.size() - 10) << out;
}

INSTANTIATE_TEST_SUITE_P(, FormsOfSecrets, testing::ValuesIn(k_forms),
                         [](const auto& form) { return std::string(form.param.name); });

TEST(SecretForms, IncludeJsonEscapesOfNonAsciiCharacters) {
  EXPECT_EQ(redacted({"p\u00e4sswort\U0001F511"}, R"({"key": "p\u00e4sswort\ud83d\udd11"})"),
            R"({"key": "[secret]"})");
  EXPECT_EQ(redacted({"not\xffutf8"}, "a not\xffutf8 b"), "a [secret] b");
}

TEST(Redactor, LeavesOtherTextUnchanged) {
  EXPECT_EQ(redacted({"hunter22"}, "login hunter22 ok\nhunter2\nhunter"),
            "login [secret] ok\nhunter2\nhunter");
  EXPECT_EQ(redacted({}, "nothing to hide\n"), "nothing to hide\n");
  EXPECT_EQ(redacted({"hunter22"}, ""), "");
}

TEST(Redactor, IgnoresValuesThatOccurInEveryLog) {
  EXPECT_EQ(redacted({"", "1", "false", "8000"}, "1 false 8000"), "1 false 8000");
  EXPECT_EQ(redacted({"123456"}, "x123456x"), "x[secret]x");
}

TEST(Redactor, RedactsSecretsThatOverlapOrTouchCompletely) {
  EXPECT_EQ(redacted({"abcdefgh", "efghijkl", "cdefgh"}, "<abcdefghijkl>"), "<[secret]>");
  EXPECT_EQ(redacted({"abcdefgh"}, "<abcdefghabcdefgh>"), "<[secret]>");
  EXPECT_EQ(redacted({"abcabcabd"}, "<abcabcabcabd>"), "<abc[secret]>");
}

TEST(Redactor, RecognisesTokensThatWereNotDeclared) {
  EXPECT_EQ(redacted({}, "token hf_ABCDEFGHIJKLMNOPQRSTuvwxyz0123456789, done"),
            "token [secret], done");
  EXPECT_EQ(redacted({}, "hf_ABCDEFGHIJKLMNOPQRS hf_hub_download"),
            "hf_ABCDEFGHIJKLMNOPQRS hf_hub_download");
  EXPECT_EQ(redacted({}, "Authorization: Bearer sk-ab.cd~ef+/=\n{bearer: x}"),
            "Authorization: [secret]\n{bearer: x}");
  EXPECT_EQ(redacted({}, "authorization: bearer token-abc123\""), "authorization: [secret]\"");
}

TEST(Redactor, HoldsBackOnlyTextThatMayBecomeASecret) {
  Redactor redactor({"hunter22"});
  EXPECT_EQ(redactor.feed("ready on port 8000\n"), "ready on port 8000\n");
  EXPECT_EQ(redactor.feed("login hun"), "login ");
  EXPECT_EQ(redactor.feed("ting\n"), "hunting\n");
  EXPECT_EQ(redactor.feed("hunter2"), "");
  EXPECT_EQ(redactor.feed("2!"), "[secret]!");
  EXPECT_EQ(redactor.feed("hunter2"), "");
  EXPECT_EQ(redactor.finish(), "hunter2");
}

// With a small alphabet, secrets, their beginnings and overlaps are frequent.
TEST(Redactor, OutputDoesNotDependOnHowTheTextIsSplit) {
  std::mt19937 random(7);
  auto pick = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  auto text_of = [&](std::size_t size) {
    static constexpr std::string_view k_letters = "aab%\"'\\ /YW";
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += k_letters[pick(k_letters.size())];
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> secrets;
    for (std::size_t i = pick(4); i < 4; ++i) secrets.push_back(text_of(6 + pick(6)));
    std::string text;
    for (int part = 0; part < 12; ++part) {
      const std::size_t kind = pick(6);
      const auto forms = secret_forms(secrets[pick(secrets.size())]);
      if (kind < 2) text += text_of(pick(12));
      else if (kind == 2) text += forms[pick(forms.size())].substr(0, pick(12));
      else if (kind == 3) text += "hf_" + std::string(pick(30), 'x');
      else if (kind == 4) text += "Bearer " + std::string(pick(12), 'y');
      else text += forms[pick(forms.size())];
    }
    const std::string whole = redacted(secrets, text);
    Redactor redactor(secrets);
    std::string cut;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = pick(9);
      cut += redactor.feed(std::string_view(text).substr(at, size));
      at += size;
    }
    cut += redactor.finish();
    ASSERT_EQ(cut, whole) << text;
    for (const std::string& secret : secrets)
      for (const std::string& form : secret_forms(secret))
        ASSERT_EQ(whole.find(form), std::string::npos)
            << secret << " in " << whole << " of " << text;
  }
}

}  // namespace
}  // namespace orch::execute
