// The style sheet. See page_script.hpp.
#include "analysis/page/page_script.hpp"
#include "analysis/plot/style.hpp"

namespace orch::page {

namespace {

constexpr std::string_view k_style = R"CSS(
:root{color-scheme:light dark;--ink:#14141e;--faint:#5b6070;--line:#dfe2ea;--paper:#fff;
--raised:#f6f7fa;--link:#2451c5;--bad:#b3261e;--warn:#fdf3dc}
*{box-sizing:border-box}
body{margin:0;font:15px/1.5 system-ui,"DejaVu Sans",sans-serif;color:var(--ink);
background:var(--paper)}
main,header,footer{max-width:1200px;margin:0 auto;padding:0 20px}
header{padding-top:28px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:19px;margin:40px 0 10px;padding-top:14px;border-top:1px solid var(--line)}
h3{font-size:15px;margin:0 0 6px;overflow-wrap:anywhere}
p{margin:6px 0}
a{color:var(--link)}
small,.sub,figcaption p,dt{color:var(--faint);font-size:12.5px}
nav{display:flex;flex-wrap:wrap;gap:4px 16px;margin:12px 0 0}
.best{display:grid;grid-template-columns:repeat(auto-fill,minmax(290px,1fr));gap:12px;
padding:0;list-style:none}
.best>li{background:var(--raised);border:1px solid var(--line);border-radius:8px;padding:12px 14px}
.best dl{margin:0}
.best dd{margin:0 0 8px;overflow-wrap:anywhere}
.best b{font-size:17px;font-variant-numeric:tabular-nums}
ul.plain{padding-left:18px;margin:6px 0}
.sections{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,480px),1fr));
column-gap:28px}
.sections>.all{grid-column:1/-1}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,420px),1fr));gap:18px}
figure{margin:0;min-width:0}
figure.wide{grid-column:1/-1}
.draw{overflow-x:auto}
svg{display:block;width:100%;height:auto;max-width:620px}
.wide svg{max-width:none;min-width:760px}
svg.on{cursor:pointer}
details{margin:4px 0}
summary{cursor:pointer;font-size:13px}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;font-size:13px}
#points{width:100%}
.later{content-visibility:auto;contain-intrinsic-size:auto 1200px auto 4000px}
th,td{text-align:left;padding:4px 9px;border-bottom:1px solid var(--line);vertical-align:baseline}
td{white-space:nowrap;font-variant-numeric:tabular-nums}
tbody th{font-weight:400}
#points tr>:first-child{position:sticky;left:0;background:var(--paper)}
#points thead tr>:first-child{background:var(--raised)}
#points tbody th{max-width:230px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
thead th{white-space:nowrap;vertical-align:bottom;background:var(--raised)}
thead small{display:block;font-weight:400}
#points td,#points th{text-align:right}
#points tr>:first-child,#points tr>:last-child{text-align:left}
#points i{color:var(--faint);font-style:normal;font-size:11.5px}
.u{color:var(--faint);font-style:italic}
tr.x td,tr.x th a{text-decoration:line-through;color:var(--bad)}
tr.x td:last-child{text-decoration:none;font-weight:700}
#points tr.w>*{background:var(--warn)}
tr.w td:last-child{font-weight:700}
tr.g th{background:var(--raised);font-weight:700}
thead button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;
text-align:inherit}
[aria-sort=ascending] button:after{content:" ▲"}
[aria-sort=descending] button:after{content:" ▼"}
#tools{display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center;margin:10px 0;font-size:13px}
#tools[hidden]{display:none}
#tools input,#tools select,#tools button{font:inherit;color:inherit;background:var(--paper);
border:1px solid var(--faint);border-radius:5px;padding:3px 7px;max-width:210px}
#status{margin:0;color:var(--faint)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
#panels>*{display:none}
#panels>:target,#panels>.open{display:block;position:fixed;z-index:2;right:0;top:0;bottom:0;
width:min(440px,100%);overflow:auto;padding:20px;background:var(--paper);
border-left:1px solid var(--line);box-shadow:0 0 24px #0003;overflow-wrap:anywhere}
#panels ul{padding-left:18px;font-variant-numeric:tabular-nums}
#panels>*>a:last-child{position:absolute;right:16px;top:14px}
#panels h3{padding-right:50px}
.bad{color:var(--bad);font-weight:700}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--raised);padding:10px;
border-radius:6px;font-size:12px;margin:6px 0}
code{font-size:12px;overflow-wrap:anywhere}
#provenance ul{padding-left:18px;font-size:12.5px;overflow-wrap:anywhere}
#provenance dl{margin:4px 0;font-size:12.5px;overflow-wrap:anywhere}
#provenance dd{margin:0 0 4px}
#tip{position:fixed;z-index:3;pointer-events:none;white-space:pre-line;background:var(--ink);
color:var(--paper);font-size:12px;line-height:1.4;padding:7px 10px;border-radius:6px;
max-width:340px;overflow-wrap:anywhere}
footer{margin-top:40px;padding-bottom:40px}
@media(max-width:600px){body{font-size:14px}h1{font-size:21px}svg{min-width:440px}
#points tbody th{max-width:130px}
#comparison thead{display:none}
#comparison table,#comparison tbody,#comparison tr,#comparison th,#comparison td{display:block;
white-space:normal;border:0;padding:1px 9px}
#comparison tr{padding:6px 0;border-bottom:1px solid var(--line)}
#comparison th{font-weight:700;overflow-wrap:anywhere}
#comparison td:before{content:attr(data-of) ": ";color:var(--faint)}
main,header,footer{padding-left:14px;padding-right:14px}}
@media print{#tools,nav,#panels,#tip,.plots details,#live{display:none!important}
body{font-size:11px}.scroll{overflow:visible;border:0}
.later{content-visibility:visible}#points{font-size:8px}
#points tbody th{max-width:none;min-width:110px;white-space:normal;overflow-wrap:anywhere}th,td{padding:2px 4px}td{white-space:normal}
figure{break-inside:avoid}.plots{grid-template-columns:1fr 1fr}
svg,.wide svg{min-width:0}h2{break-after:avoid}}
)CSS";

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
