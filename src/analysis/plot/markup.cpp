#include "analysis/plot/markup.hpp"

#include "core/base/text.hpp"

#include <cmath>

namespace orch::plot {

namespace {

constexpr std::string_view k_light[k_colours] = {"#3c6df0", "#c35108", "#14141e", "#6c6166"};
constexpr std::string_view k_dark[k_colours] = {"#5a8dff", "#ffa600", "#ffffff", "#7d7d7d"};
constexpr std::string_view k_dashes[] = {"", "6 3", "2 3", "8 3 2 3"};

constexpr std::string_view k_heat[k_heat_steps] = {"#f1f4fd", "#d7e0fb", "#b3c5f7", "#8aa6f3",
                                                   "#5f84ec", "#3c62d8", "#2746a8"};
constexpr std::string_view k_heat_dark[k_heat_steps] = {"#18213b", "#203059", "#2a427f", "#3858a8",
                                                        "#4a6fca", "#7c9bea", "#b4c8fb"};
// From this step on, texts in cells have the colour of the paper.
constexpr std::size_t k_turn = 5, k_turn_in_dark = 5;

}  // namespace

std::string escaped_markup(std::string_view text) {
  std::string out;
  for (const char c : printable_line(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string coordinate(double value) {
  const double tenths = std::round(value * 10);
  if (tenths == 0) return "0";  // not "-0"
  if (std::fmod(tenths, 10) == 0) return fmt::format("{:.0f}", tenths / 10);
  return fmt::format("{:.1f}", tenths / 10);
}

Attributes operator+(Attributes first, const Attributes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void Markup::begin(std::string_view name, const Attributes& attributes) {
  text_ += '<';
  text_ += name;
  for (const Attribute& attribute : attributes)
    text_ += fmt::format(" {}=\"{}\"", attribute.name, escaped_markup(attribute.value));
}

Markup& Markup::open(std::string_view name, const Attributes& attributes) {
  begin(name, attributes);
  text_ += '>';
  open_.emplace_back(name);
  return *this;
}

Markup& Markup::close() {
  text_ += "</" + open_.back() + ">";
  open_.pop_back();
  return *this;
}

Markup& Markup::leaf(std::string_view name, const Attributes& attributes) {
  begin(name, attributes);
  text_ += "/>";
  return *this;
}

Markup& Markup::text(std::string_view text) { return raw(escaped_markup(text)); }

Markup& Markup::element(std::string_view name, const Attributes& attributes,
                        std::string_view text) {
  return open(name, attributes).text(text).close();
}

Markup& Markup::raw(std::string_view markup) {
  text_ += markup;
  return *this;
}

std::string Markup::take() {
  while (!open_.empty()) close();
  return std::move(text_);
}

const Colour k_ink{"i", "#14141e"}, k_faint{"n", "#5b6070"}, k_grid{"g", "#e3e5ec"},
    k_dot{"d", "#8d92a3"}, k_paper{"p", "#ffffff"}, k_bad{"b", "#b3261e"};

Colour series_colour(std::size_t series) {
  return {std::to_string(series % k_colours), k_light[series % k_colours]};
}

std::string_view series_dash(std::size_t series) {
  return k_dashes[series / k_colours % std::size(k_dashes)];
}

Attributes stroke(const Colour& colour) {
  return {{"class", "s" + colour.name}, {"stroke", colour.light}};
}

Attributes fill(const Colour& colour) {
  return {{"class", "f" + colour.name}, {"fill", colour.light}};
}

Attributes heat_fill(std::size_t step) {
  return {{"class", fmt::format("h{}", step)}, {"fill", k_heat[step]}};
}

Attributes heat_ink(std::size_t step) {
  return {{"class", fmt::format("t{}", step)},
          {"fill", step < k_turn ? k_ink.light : k_paper.light}};
}

std::string dark_rules() {
  std::string out;
  const auto rule = [&](std::string_view name, std::string_view colour) {
    // An element draws with the property named by its class: s for lines, f for areas.
    out += fmt::format(".s{0}{{stroke:{1}}}.f{0}{{fill:{1}}}", name, colour);
  };
  for (std::size_t i = 0; i < k_colours; ++i) rule(std::to_string(i), k_dark[i]);
  rule("i", "#e8eaf2");
  rule("n", "#a2a8b8");
  rule("g", "#2a303c");
  rule("d", "#767d8f");
  rule("p", "#0f1318");
  rule("b", "#ff8a80");
  for (std::size_t i = 0; i < k_heat_steps; ++i)
    out += fmt::format(".h{0}{{fill:{1}}}.t{0}{{fill:{2}}}", i, k_heat_dark[i],
                       i < k_turn_in_dark ? "#ffffff" : "#0f1318");
  return out;
}

}  // namespace orch::plot
