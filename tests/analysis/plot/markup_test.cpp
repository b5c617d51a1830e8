#include "analysis/plot/markup.hpp"

#include <gtest/gtest.h>

namespace orch::plot {
namespace markup_test {

TEST(Markup, TextCannotBecomeMarkup) {
  EXPECT_EQ(escaped_markup("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escaped_markup("</style>]]><script>"), "&lt;/style&gt;]]&gt;&lt;script&gt;");
}

TEST(Markup, ControlAndDirectionMarksAreShownAsEscapes) {
  EXPECT_EQ(escaped_markup("a\x01\nb"), "a\\x01\\nb");
  EXPECT_EQ(escaped_markup("x\xe2\x80\xaey"), "x\\u202ey");
  EXPECT_EQ(escaped_markup("\xff"), "\\xff");
}

TEST(Markup, EveryAttributeIsQuotedAndEveryElementCloses) {
  Markup markup;
  markup.open("svg", {{"a", "\"><img onerror=x>"}}).element("text", {{"x", 1.25}}, "<&>");
  markup.leaf("path", {{"stroke-width", 2.0}});
  markup.open("g");
  EXPECT_EQ(markup.take(),
            "<svg a=\"&quot;&gt;&lt;img onerror=x&gt;\"><text x=\"1.3\">&lt;&amp;&gt;</text>"
            "<path stroke-width=\"2\"/><g></g></svg>");
}

TEST(Markup, CoordinatesHaveAtMostOneDecimalAndNoMinusZero) {
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(12.34), "12.3");
  EXPECT_EQ(coordinate(-0.04), "0");
  EXPECT_EQ(coordinate(-3.96), "-4");
}

}  // namespace markup_test
}  // namespace orch::plot
