#include "analysis/page/page.hpp"
#include "analysis/plot/markup.hpp"
#include "core/base/digest.hpp"
#include "core/base/text.hpp"

namespace orch::page {

namespace {

// See page.hpp. The script writes text only with textContent, never as markup.

// The user's choices are in the fragment of the address: q (words), f.NAME (a parameter's value),
// sort (a column, with a leading - from the largest down), group (a parameter), p (an open point).
constexpr std::string_view k_script =
#include <embedded/page.js.inc>
    ;
static_assert(k_script.size() <= k_most_script);

constexpr char k_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::string_view hex) {
  std::string bits;
  for (const char c : hex) {
    const int value = c <= '9' ? c - '0' : c - 'a' + 10;
    for (int bit = 3; bit >= 0; --bit) bits += (value >> bit & 1) != 0 ? '1' : '0';
  }
  while (bits.size() % 6 != 0) bits += '0';
  std::string out;
  for (std::size_t i = 0; i < bits.size(); i += 6)
    out += k_digits[std::stoul(bits.substr(i, 6), nullptr, 2)];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

// The style sheet. See page.hpp.

constexpr std::string_view k_style = "\n"
#include <embedded/page.css.inc>
    ;

constexpr std::string_view k_dark =
    ":root{--ink:#e8eaf2;--faint:#a2a8b8;--line:#2a303c;--paper:#0f1318;--raised:#171c24;"
    "--link:#8fb0ff;--bad:#ff8a80;--warn:#33290f}";

}  // namespace

std::string_view script_text() { return k_script; }

std::string policy_source(std::string_view text) {
  return "'sha256-" + base64(sha256(text).hex()) + "'";
}

const std::string& style_text() {
  static const std::string text = std::string(k_style) +
                                  "@media screen and (prefers-color-scheme:dark){" +
                                  std::string(k_dark) + plot::dark_rules() + "}\n";
  return text;
}

}  // namespace orch::page
