// Writes HTML and SVG: escaping, and a writer that quotes every attribute and closes every element.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orch::plot {

// TEXT escaped for the content of an element or of a quoted attribute. Control characters, invalid
// UTF-8 and bidirectional control characters become visible escapes.
std::string escaped_markup(std::string_view text);

// A coordinate or length with at most one decimal: "12", "12.5".
std::string coordinate(double value);

struct Attribute {
  // NOLINTNEXTLINE(google-explicit-constructor): lists of attributes are read as pairs
  Attribute(std::string_view the_name, std::string_view text) : name(the_name), value(text) {}
  Attribute(std::string_view the_name, double pixels) : name(the_name), value(coordinate(pixels)) {}

  std::string name;
  std::string value;  // not escaped yet
};

using Attributes = std::vector<Attribute>;
Attributes operator+(Attributes first, const Attributes& second);

class Markup {
 public:
  // Writes <NAME ...>, which close() ends.
  Markup& open(std::string_view name, const Attributes& attributes = {});
  Markup& close();
  // Writes <NAME .../>. Only for SVG elements: in HTML the slash has no meaning.
  Markup& leaf(std::string_view name, const Attributes& attributes);
  Markup& text(std::string_view text);
  // Writes <NAME ...>TEXT</NAME>.
  Markup& element(std::string_view name, const Attributes& attributes, std::string_view text);
  // Writes MARKUP unchanged.
  Markup& raw(std::string_view markup);

  // Closes all open elements, and returns everything that was written.
  std::string take();

 private:
  void begin(std::string_view name, const Attributes& attributes);

  std::string text_;
  std::vector<std::string> open_;
};

// The colours, dashes and shapes of plots. The colours of the light theme are attributes, so that a
// drawing is complete where a policy forbids style sheets; those of the dark theme are rules for
// the classes of the same elements.

// The number of series that can be distinguished by colour alone, in normal vision and in the three
// dichromacies; additional series repeat the colours with a dash.
inline constexpr std::size_t k_colours = 4;

// A colour has one class for lines ("s" and its name) and one for areas ("f" and its name).
struct Colour {
  std::string name;
  std::string_view light;
};

Colour series_colour(std::size_t series);
// The value of stroke-dasharray; "" is a solid line.
std::string_view series_dash(std::size_t series);

extern const Colour k_ink, k_faint, k_grid, k_dot, k_paper, k_bad;

Attributes stroke(const Colour& colour);
Attributes fill(const Colour& colour);

// The number of steps of a heat map, from the least value to the largest.
inline constexpr std::size_t k_heat_steps = 7;
Attributes heat_fill(std::size_t step);
Attributes heat_ink(std::size_t step);

// The rules of the dark theme for the classes of all drawings, for use under a media condition.
std::string dark_rules();

}  // namespace orch::plot
