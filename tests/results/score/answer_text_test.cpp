// How differing answers are told: escaped, cut, and where they part.
#include "results/score/answer_difference.hpp"
#include "results/score/support.hpp"

namespace orch::score {
namespace answer_text_test {

using testing::HasSubstr;

SideAnswer answer(const std::string& prompt, const std::string& text,
                  const std::string& point = "p") {
  return {.point = point, .prompt = prompt, .text = prompt, .answer = text, .scores = {}};
}

TEST(AnswerText, WritesNoControlCharacterOfAnAnswer) {
  const std::string hostile = "\x1b]0;owned\x07 \xe2\x80\xae \xff <script>\n";
  const Side a{.answers = {answer(hostile, hostile)}}, b{.answers = {answer(hostile, "b")}};
  const std::string text = answer_text(answer_difference(a, b, 3), a, b);
  EXPECT_THAT(text, HasSubstr("\\x1b]0;owned\\x07 \\u202e \\xff <script>"));
  for (const char c : text)
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ') << int(c);
  EXPECT_TRUE(json::accept(answer_json(answer_difference(a, b, 3), a, b)));
}

TEST(AnswerText, ShowsTheEndOfALongAnswerWhereItParts) {
  const std::string common(5000, 'x');
  const Side a{.answers = {answer("p", common + " one")}},
      b{.answers = {answer("p", common + " two")}};
  const std::string text = answer_text(answer_difference(a, b, 1), a, b);
  EXPECT_THAT(text, HasSubstr("xx one\n"));
  EXPECT_LT(text.size(), 2000u);
}

TEST(AnswerText, WithoutACommonPromptSaysWhatIsNeeded) {
  const Side a{.answers = {answer("1", "x")}}, b{.answers = {answer("2", "x")}};
  EXPECT_THAT(answer_text(answer_difference(a, b, 1), a, b),
              HasSubstr("no prompt was sent to both sides (1 to A, 1 to B)"));
}

}  // namespace answer_text_test
}  // namespace orch::score
