// Secrets are redacted in every form, however the stream is split.
#include "core/secret/redact.hpp"

#include "core/secret/escapes.hpp"

#include <random>

#include <gtest/gtest.h>

namespace orch::secret {
namespace redact_test {

std::string redacted(const std::vector<std::string>& values, std::string_view text) {
  return redacted(Secrets(values), text);
}

constexpr const char* k_secret = "s3cr?t/v~lue \"q'\n>>";

struct Form {
  const char* name;
  const char* text;  // the output of another program for k_secret
};

// Generated with python3: base64, urllib.parse, json, shlex, html, repr; with printf %q and xxd.
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
    {"JsonInJson", R"({"e": "{\"key\": \"s3cr?t/v~lue \\\"q'\\n>>\"}"})"},
    {"JsonWithOneEscapedLetter", R"({"key": "s3c\u0072?t/v~lue \"q'\n>>"})"},
    {"JsonWithEveryLetterEscaped",
     R"(\u0073\u0033\u0063\u0072\u003f\u0074\u002f\u0076\u007e\u006c\u0075\u0065\u0020\u0022)"
     R"(\u0071\u0027\u000a\u003e\u003e)"},
    {"PercentOfPercent", "?key=s3cr%253Ft%252Fv~lue%2520%2522q%2527%250A%253E%253E&x"},
    {"PercentOfScriptsWithU", "s3cr%u003Ft/v~l%u0075e%20%22q%27%0A%3E%3E"},
    {"Html", "<b>s3cr?t/v~lue &quot;q&#x27;\n&gt;&gt;</b>"},
    {"HtmlInDecimal", "<b>s3cr&#63;t/v~lue &#34;q&#39;&#10;&#62;&#62;</b>"},
    {"HtmlOfHtml", "<b>s3cr?t/v~lue &amp;quot;q&amp;#x27;\n&amp;gt;&amp;gt;</b>"},
    {"PythonRepr", R"(b's3cr?t/v~lue "q\'\n>>')"},
    {"PythonBytes", R"(b's3cr\x3ft/v~lue "q\'\n>>')"},
    {"Octal", R"($'s3cr\077t/v~lue "q\'\n>>')"},
    {"BackslashXOfEveryByte",
     R"(\x73\x33\x63\x72\x3f\x74\x2f\x76\x7e\x6c\x75\x65\x20\x22\x71\x27\x0a\x3e\x3e)"},
    {"Hex", "733363723f742f767e6c7565202271270a3e3e"},
    {"HexInUpperCase", "733363723F742F767E6C7565202271270A3E3E"},
    {"HexWithColons", "73:33:63:72:3f:74:2f:76:7e:6c:75:65:20:22:71:27:0a:3e:3e"},
    {"HexWithSpaces", "73 33 63 72 3f 74 2f 76 7e 6c 75 65 20 22 71 27 0a 3e 3e"},
    {"Base64OfBase64", "Y3pOamNqOTBMM1orYkhWbElDSnhKd28rUGc9PQ=="},
    {"Base64OfPercent", "czNjciUzRnQlMkZ2fmx1ZSUyMCUyMnElMjclMEElM0UlM0U="},
    {"PercentOfBase64", "czNjcj90L3Z%2BbHVlICJxJwo%2BPg%3D%3D"},
    {"HexOfBase64", "637a4e6a636a39304c335a2b6248566c49434a784a776f2b50673d3d"},
    {"Base64OverTwoLines", "czNjcj90L3Z+b\nHVlICJxJwo+Pg=="},
    {"SplitByALineEnd", "s3cr?t/v~l\n   ue \"q'\n>>"},
    {"SplitByAnEscapedLineEnd", "s3cr?t/v~l\\nue \"q'\n>>"},
    {"SplitByColours", "s3cr?t/v\x1b[31m\x1b[1m~lue \"q'\x1b[0m\n>>"},
    {"SplitOverTwoStrings", R"("s3cr?t/v~l", "ue \"q'\n>>")"},
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

TEST(Redactor, FindsASecretThatIsSplitAnywhere) {
  const std::string secret = "sk-4f9Q.z/7";
  for (std::size_t at = 1; at < secret.size(); ++at)
    for (const char* gap : {"\n", "\r\n", "\\n", "\x1b[0m", "\\u001b[0m", "\", \"", "\\\n"})
      EXPECT_EQ(redacted({secret}, "<" + secret.substr(0, at) + gap + secret.substr(at) + ">"),
                "<[secret]>")
          << at << gap;
}

TEST(Redactor, FindsNonAsciiCharactersHoweverTheyAreEscaped) {
  EXPECT_EQ(redacted({"p\u00e4sswort\U0001F511"}, R"({"key": "p\u00e4sswort\ud83d\udd11"})"),
            R"({"key": "[secret]"})");
  EXPECT_EQ(redacted({"p\u00e4sswort\U0001F511"}, R"(p\xc3\xa4sswort%F0%9F%94%91)"), "[secret]");
  EXPECT_EQ(redacted({"not\xffutf8"}, "a not\xffutf8 b"), "a [secret] b");
}

TEST(Redactor, FindsTheBeginningOfASecretWhereTheTextIsCutOff) {
  const Secrets secrets({"hunter22"});
  EXPECT_EQ(redacted(secrets, "a hunter2", End::cut), "a [secret]");
  EXPECT_EQ(redacted(secrets, "a hunte", End::cut), "a hunte");
  EXPECT_EQ(redacted(secrets, "a hunter2", End::whole), "a hunter2");
  EXPECT_EQ(redacted(secrets, "a \\u0068unter", End::cut), "a [secret]");
}

TEST(Redactor, FindsAValueWithoutTheBlanksAroundItAndAKeyLineByLine) {
  EXPECT_EQ(redacted({" hunter22\n"}, "a hunter22 b"), "a [secret] b");
  const std::string key = "-----BEGIN KEY-----\nMIIBVQIBADANBgkqhkiG\n9w0BAQEFAASCAT8wggE7\nAgE\n";
  EXPECT_EQ(redacted({key}, "1: MIIBVQIBADANBgkqhkiG\n2: 9w0BAQEFAASCAT8wggE7\n3: AgE\n"),
            "1: [secret]\n2: [secret]\n3: AgE\n");
}

TEST(Redactor, NamesTheStretchesThatAreSecret) {
  using Stretches = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(find_secrets(Secrets({"hunter22"}), "a hunter22hunter22 b %68unter22"),
            (Stretches{{2, 18}, {21, 31}}));
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

std::vector<std::string> forms_of(const std::string& secret) {
  std::vector<std::string> forms = coded_forms(secret);
  forms.push_back(secret);
  return forms;
}

// With a small alphabet, secrets, their beginnings and overlaps are frequent.
TEST(Redactor, OutputDoesNotDependOnHowTheTextIsSplit) {
  std::mt19937 random(7);
  auto pick = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  auto text_of = [&](std::size_t size) {
    static constexpr std::string_view k_letters = "aab%\"'\\ /YW\n&u0";
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
      const auto forms = forms_of(secrets[pick(secrets.size())]);
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
      for (const std::string& form : forms_of(secret))
        ASSERT_EQ(whole.find(form), std::string::npos)
            << secret << " in " << whole << " of " << text;
  }
}

}  // namespace redact_test
}  // namespace orch::secret
