#include "analysis/page/page.hpp"
#include "analysis/page/sample.hpp"
#include "analysis/plot/support.hpp"
#include "core/base/text.hpp"

namespace orch::page {
namespace markdown_test {

using plot::count;

TEST(Markdown, HasTheBestAndEveryPoint) {
  const std::string text = markdown(sample::report());
  EXPECT_EQ(count(text, "\n| fp8 |") + count(text, "\n| fp16 |"), 16u);
  EXPECT_EQ(count(text, "highest output throughput"), 2u);
  EXPECT_EQ(count(text, " ---: |"), 7u);
}

TEST(Markdown, EveryRowOfATableHasTheCellsOfItsHead) {
  std::size_t cells = 0;
  sample::Options options;
  options.text = [](std::string text) { return text + "a|b\nc"; };
  const std::string text = markdown(sample::report(options));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("|")) {
      cells = 0;
      continue;
    }
    const std::size_t here = count(line, "|") - count(line, "\\|");
    if (cells != 0) {
      EXPECT_EQ(here, cells) << line;
    }
    cells = here;
  }
}

TEST(Markdown, TextsBecomeNoMarkupAndNoLink) {
  EXPECT_EQ(escaped_markdown("<img src=x>|[a](http://b)`c`"),
            "\\<img src=x\\>\\|\\[a\\]\\(http\\://b\\)\\`c\\`");
  EXPECT_EQ(escaped_markdown("a_b*c"), "a\\_b\\*c");
  EXPECT_EQ(escaped_markdown("www.example.org 1.5"), "www\\.example.org 1.5");
  EXPECT_EQ(escaped_markdown("a\nb\x1b"), "a\\\\nb\\\\x1b");
}

TEST(Markdown, SaysHowManyPointsItLeavesOut) {
  const std::string text = markdown(sample::report({.points = 500}), 100);
  EXPECT_EQ(count(text, "\n| fp8 |") + count(text, "\n| fp16 |"), 100u);
  EXPECT_EQ(count(text, "100 of 500 points."), 1u);
}

}  // namespace markdown_test
}  // namespace orch::page
