// Scales: from values to pixels, with ticks at 1, 2 and 5 times powers of ten. Draws nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace orch::plot {

enum class ScaleKind {
  linear,
  log,
  nines,  // a fraction F below 1 at -log10(1 - F): p90, p99 and p99.9 are equally far apart
};

struct Tick {
  double value = 0;
  std::string label;
};

struct Range {
  double low = 0, high = 0;
};

// From the least to the largest of VALUES, with room on both sides, so that no mark lies on an
// axis. A linear range of values of one sign begins at 0. Values that the scale cannot show (not
// finite; not above 0 on a log scale) are left out; without any, it is a range around 1.
Range range_of(std::span<const double> values, ScaleKind kind);

class Scale {
 public:
  // The low end of RANGE is at pixel FROM, the high end at TO.
  Scale(ScaleKind kind, Range range, Range pixels);

  double operator()(double value) const;
  bool shows(double value) const;
  // At most MOST, at least two where the range has two round numbers.
  std::vector<Tick> ticks(std::size_t most) const;
  Range range() const { return range_; }

 private:
  ScaleKind kind_;
  Range range_, pixels_;
};

// A number on an axis or in a cell, with at most DIGITS significant digits: "1,250", "0.02".
std::string number(double value, int digits = 4);

}  // namespace orch::plot
