// The style sheet. See page_script.hpp.
#include "analysis/page/page_script.hpp"
#include "analysis/plot/style.hpp"

namespace orch::page {

namespace {

constexpr std::string_view k_style = "\n"
#include <embedded/page.css.inc>
    ;

constexpr std::string_view k_dark =
    ":root{--ink:#e8eaf2;--faint:#a2a8b8;--line:#2a303c;--paper:#0f1318;--raised:#171c24;"
    "--link:#8fb0ff;--bad:#ff8a80;--warn:#33290f}";

}  // namespace

const std::string& style_text() {
  static const std::string text = std::string(k_style) +
                                  "@media screen and (prefers-color-scheme:dark){" +
                                  std::string(k_dark) + plot::dark_rules() + "}\n";
  return text;
}

}  // namespace orch::page
