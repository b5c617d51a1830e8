#include "analysis/page/page.hpp"

#include "analysis/page/sample.hpp"
#include "analysis/plot/support.hpp"

namespace orch::page {
namespace page_test {

using plot::count;

sample::Options hostile() {
  sample::Options options;
  options.text = [](std::string text) { return text + plot::k_hostile + "</style></script>"; };
  return options;
}

TEST(Page, APageOf2000PointsHasAtMost2Megabytes) {
  const std::string page = html(sample::report({.points = 2000}));
  EXPECT_LT(page.size(), 2'000'000u);
  EXPECT_EQ(count(page, "<tr><th><a href=\"#p") + count(page, "<tr class=\"x\"><th><a") +
                count(page, "<tr class=\"w\"><th><a"),
            2000u);
}

TEST(Page, ThreeRepeatsOf2000PointsStayBelow2MegabytesAndSayWhatIsLeftOut) {
  const std::string page = html(sample::report({.points = 2000, .repeats = 3}));
  EXPECT_LT(page.size(), 2'600'000u);
}

TEST(Page, TheScriptHasAtMost12Kilobytes) { EXPECT_LE(script_text().size(), k_most_script); }

TEST(Page, NothingIsLoadedAndThePolicyNamesTheOnlyScriptAndStyle) {
  const std::string page = html(sample::report());
  EXPECT_EQ(count(page, "src="), 0u);
  EXPECT_EQ(count(page, "<link"), 0u);
  EXPECT_EQ(count(page, " style=\""), 0u);
  EXPECT_EQ(count(page, " onclick"), 0u);
  EXPECT_EQ(count(page, "<script>"), 1u);
  EXPECT_EQ(count(page, "<style>"), 1u);
  const std::string policy = content_policy(false);
  EXPECT_TRUE(policy.starts_with("default-src 'none'; "));
  EXPECT_EQ(count(policy, "unsafe"), 0u);
  EXPECT_EQ(count(policy, "connect-src"), 0u);
  EXPECT_NE(policy.find("script-src " + policy_source(script_text())), std::string::npos);
  EXPECT_NE(policy.find("style-src " + policy_source(style_text())), std::string::npos);
}

TEST(Page, ASourceOfThePolicyIsTheBase64OfTheDigest) {
  // printf abc | openssl dgst -sha256 -binary | base64
  EXPECT_EQ(policy_source("abc"), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
}

TEST(Page, HostileTextsInEveryFieldStayText) {
  const std::string page = html(sample::report(hostile()));
  const std::string plain = html(sample::report());
  for (const char* element : {"<script", "<style", "</style>", "</script>", "<svg", "</svg>",
                              "<title", "<section", "<td", "<tr", "<a ", "<details"})
    EXPECT_EQ(count(page, element), count(plain, element)) << element;
  EXPECT_EQ(count(page, "<img"), 0u);
  EXPECT_EQ(page.find('\x01'), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;x"), std::string::npos);
}

TEST(Page, AVeryLongNameIsWhole) {
  sample::Options options;
  options.text = [](const std::string& text) { return text + std::string(5000, 'n'); };
  EXPECT_NE(html(sample::report(options)).find(std::string(5000, 'n')), std::string::npos);
}

TEST(Page, EveryPlotHasATitleADescriptionAndATable) {
  const std::string page = html(sample::report());
  const std::size_t plots = count(page, "<svg ");
  EXPECT_GE(plots, 9u);
  EXPECT_EQ(count(page, "role=\"img\""), plots);
  EXPECT_EQ(count(page, "<desc "), plots);
  EXPECT_EQ(count(page, "Data of this plot"), plots);
}

TEST(Page, EveryPointOpensItsStages) {
  const Report report = sample::report();
  const std::string page = html(report);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    EXPECT_EQ(count(page, fmt::format("<section id=\"p{}\">", i)), 1u);
    for (const std::size_t stage : report.rows[i].stages)
      EXPECT_EQ(count(page, fmt::format("<li id=\"s{}\">", stage)), 1u);
  }
}

TEST(Page, EveryLinkLeadsToAPlaceInThePage) {
  for (const std::size_t points : {16, 500}) {
    const std::string page = html(sample::report({.points = points}));
    for (std::size_t at = 0; (at = page.find("href=\"#", at)) != std::string::npos; ++at) {
      const std::string target = page.substr(at + 7, page.find('"', at + 7) - at - 7);
      ASSERT_NE(page.find(" id=\"" + target + "\""), std::string::npos) << target;
    }
  }
}

TEST(Page, IdsAreUnique) {
  const std::string page = html(sample::report());
  std::set<std::string> ids;
  for (std::size_t at = 0; (at = page.find(" id=\"", at)) != std::string::npos; ++at) {
    const std::string id = page.substr(at + 5, page.find('"', at + 5) - at - 5);
    EXPECT_TRUE(ids.insert(id).second) << id;
  }
}

TEST(Page, ALivePageAsksOnlyItsOwnServer) {
  Report report = sample::report();
  EXPECT_EQ(count(html(report), "refresh"), 0u);
  report.live = true;
  const std::string page = html(report);
  EXPECT_EQ(count(page, "data-live=\"1\""), 1u);
  EXPECT_EQ(count(page, "connect-src &#39;self&#39;"), 1u);
  EXPECT_EQ(count(page, "<noscript><meta http-equiv=\"refresh\""), 1u);
}

TEST(Page, AComparisonIsShownFirstWhereThereIsOne) {
  Report report = sample::report();
  EXPECT_EQ(count(html(report), "id=\"comparison\""), 0u);
  report.comparison =
      ComparisonSection{.title = "A against B",
                        .verdict = "B is <better>",
                        .rows = {{"c8", "100", "103", "+3 %", "1 to 5 %", "better"}},
                        .facts = {"driver 550 → 560"}};
  const std::string page = html(report);
  EXPECT_LT(page.find("id=\"comparison\""), page.find("id=\"summary\""));
  EXPECT_EQ(count(page, "<b>B is &lt;better&gt;</b>"), 1u);
  EXPECT_EQ(count(page,
                  "<th scope=\"row\">c8</th><td data-of=\"A\">100</td><td "
                  "data-of=\"B\">103</td><td data-of=\"difference\">+3 %</td><td data-of=\"95 % "
                  "interval\">1 to 5 %</td><td data-of=\"verdict\">better</td>"),
            1u);
  EXPECT_EQ(count(page, "<li>driver 550 → 560</li>"), 1u);
}

TEST(Page, WithoutPointsThereIsAPage) {
  Report report;
  report.title = "No points";
  const std::string page = html(report);
  EXPECT_EQ(count(page, "<svg "), 0u);
  EXPECT_NE(page.find("</html>"), std::string::npos);
}

}  // namespace page_test
}  // namespace orch::page
