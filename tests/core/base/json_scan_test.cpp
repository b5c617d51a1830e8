// Reading members of JSON objects without building a tree.
#include "core/base/json_scan.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch {
namespace json_scan_test {

std::string text_of(std::string_view raw) {
  std::string out;
  return append_json_string(raw, out) ? out : "refused";
}

TEST(JsonScan, FindsAMemberAmongOthersOfEveryKind) {
  const std::string_view object =
      R"( { "a" : [1,{"x":"}]"}], "b":"q\"}", "c" : -1.5e3 ,"d":null,"text_output" : "hi" , "e":{} } )";
  EXPECT_EQ(json_member(object, "text_output"), R"("hi")");
  EXPECT_EQ(json_member(object, "a"), R"([1,{"x":"}]"}])");
  EXPECT_EQ(json_member(object, "c"), "-1.5e3");
  EXPECT_EQ(json_member(object, "e"), "{}");
}

TEST(JsonScan, DoesNotFindMembersOfInnerObjectsOrKeysInsideTexts) {
  EXPECT_EQ(
      json_member(R"({"a":{"text_output":"no"},"b":"\"text_output\":\"no\""})", "text_output"),
      std::nullopt);
}

TEST(JsonScan, BackslashesBeforeAQuoteEndATextOnlyInPairs) {
  EXPECT_EQ(json_member(R"({"a":"\\","b":"x\\\"y","c":"\\\\","d":1})", "d"), "1");
  EXPECT_EQ(json_member(R"({"a":"\\\","d":1})", "d"), std::nullopt);
}

TEST(JsonScan, RejectsATextThatEndsBeforeTheMember) {
  const std::string_view object = R"({"a":[1,"x"],"text_output":"hi"})";
  for (std::size_t length = 0; length < object.size() - 1; ++length)
    EXPECT_EQ(json_member(object.substr(0, length), "text_output"), std::nullopt) << length;
  EXPECT_EQ(json_member("[1]", "text_output"), std::nullopt);
  EXPECT_EQ(json_member("", "text_output"), std::nullopt);
}

TEST(JsonScan, ResolvesEscapesAsAFullParserDoes) {
  for (const std::string_view raw : {R"("")", R"("plain")", R"("a\"b\\c\/d\b\f\n\r\t")",
                                     R"("\u0041\u00e9\u20AC\ud83d\ude00")", R"("é€")"})
    EXPECT_EQ(text_of(raw), nlohmann::json::parse(raw).get<std::string>()) << raw;
}

TEST(JsonScan, ALoneSurrogateBecomesTheReplacementCharacter) {
  EXPECT_EQ(text_of(R"("\ud83dx")"), "\xEF\xBF\xBDx");
  EXPECT_EQ(text_of(R"("\ude00")"), "\xEF\xBF\xBD");
  EXPECT_EQ(text_of(R"("\ud83d\u0041")"),
            "\xEF\xBF\xBD"
            "A");
}

TEST(JsonScan, RejectsValuesThatAreNotStringsAndKeepsTheOutput) {
  for (const std::string_view raw : {"1", "null", R"("\x")", R"("\u12")", R"(["a"])", "\""}) {
    std::string out = "kept";
    EXPECT_FALSE(append_json_string(raw, out)) << raw;
    EXPECT_EQ(out, "kept");
  }
}

std::string compact(std::string_view raw, int depth = 9) {
  std::string out;
  return append_compact_json(raw, depth, out) ? out : "refused";
}

TEST(JsonScan, CompactsValuesAndKeepsTheOrderOfMembersAndTheDigitsOfNumbers) {
  EXPECT_EQ(compact("{ \"b\" : [ 1.50 ,\t-12345678901234567890123 , 1e2 ],\r\n \"a\" : { "
                    "\"x\\u0079\" : \" \\u00e9\\t\\ud83dx \" } , \"b\" : [ ] , \"c\" : {\n} , "
                    "\"d\" : [ true , false , null ]}"),
            "{\"b\":[1.50,-12345678901234567890123,1e2],\"a\":{\"xy\":\" \xC3\xA9\\t\xEF\xBF\xBDx "
            "\"},\"b\":[],\"c\":{},\"d\":[true,false,null]}");
}

TEST(JsonScan, RejectsTextThatIsNotJsonWhenCompacting) {
  for (const std::string_view raw :
       {"", "x", "[01]", "[1,]", "[,1]", "[1", "{\"a\" 1}", "{\"a\":}", "{a:1}", "[NaN]",
        "[\"\\x\"]", "{\"\\x\":1}", "[1}", "[[1}", "{\"a\":1]", "[1]]"})
    EXPECT_EQ(compact(raw), "refused") << raw;
  EXPECT_EQ(compact(R"([{"a":[1]}])", 3), R"([{"a":[1]}])");
  EXPECT_EQ(compact(R"([{"a":[1]}])", 2), "refused");
  const std::string deep(1 << 20, '[');
  EXPECT_EQ(compact(deep + std::string(1 << 20, ']')), "refused");
}

TEST(JsonScan, QuotesAnyBytes) {
  EXPECT_EQ(json_quote("a\"\n"), R"("a\"\n")");
  EXPECT_EQ(json_quote("\xFF"), "\"\xEF\xBF\xBD\"");
}

}  // namespace json_scan_test
}  // namespace orch
