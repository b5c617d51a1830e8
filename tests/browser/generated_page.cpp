// Writes the page of a generated report to stdout, for tests in a browser: generated_page POINTS
// [plain|hostile|compared].
#include "analysis/page/page.hpp"
#include "analysis/page/sample.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace orch::page;
  if (argc < 2) return 2;
  const std::string_view kind = argc > 2 ? argv[2] : "plain";
  sample::Options options{.points = static_cast<std::size_t>(std::atoi(argv[1]))};
  if (kind == "hostile")
    options.text = [](std::string text) {
      return text +
             "<script>parent.hit=1</script>\"><img src=x onerror='window.hit=1'></style>]]>\x01" +
             "\xe2\x80\xae" + "&lt;b&gt;";
    };
  Report report = sample::report(options);
  if (kind == "compared")
    report.comparison = ComparisonSection{
        .title = "fp16 against fp8",
        .verdict = "fp8 is better: output throughput +21 % (18 to 24 %).",
        .rows = {{"length 0, c 8", "1,000", "1,210", "+21 %", "+18 to +24 %", "better"},
                 {"length 1, c 8", "990", "1,000", "+1 %", "-3 to +5 %",
                  "no difference larger than 5 % shown"}},
        .facts = {"driver 550 → 560"}};
  std::fputs(html(report).c_str(), stdout);
}
