// Spans of time in lanes; spans of a lane that overlap get lanes of their own below it. Does not
// know what happened in them.
#pragma once

#include "analysis/plot/canvas.hpp"

namespace orch::plot {

struct Span {
  std::string lane;
  double begin_s = 0, end_s = 0;
  std::size_t series = 0;  // index into Timeline::series
  bool failed = false;     // drawn in the colour of what is bad, and with a border
};

struct Timeline {
  Heading heading;
  std::vector<std::string> series;  // what the colours stand for
  std::vector<Span> spans;          // lanes in the order of their first span
};

Drawing draw(const Timeline& timeline);

}  // namespace orch::plot
