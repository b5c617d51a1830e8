// Pairs the measurements of two sides: those of points that are equal in every parameter except
// those without a value common to both sides.
#pragma once

#include "analysis/compare/sessions.hpp"

#include <string>
#include <vector>

namespace orch::compare {

struct Differing {
  std::string parameter;
  std::vector<std::string> a, b;  // its values on both sides, in order; "": no value
  bool follows = false;           // not chosen: it follows from others that differ
};

struct Pairing {
  // Parameters that vary, have values common to both sides, and do not follow from earlier
  // parameters of this list.
  std::vector<std::string> paired_by;
  std::vector<Differing> differing;  // parameters without a common value
  // Pairs that only one side has, in order.
  std::vector<std::string> only_a, only_b;
  std::vector<std::string> pairs;  // that both sides have, in order

  // The pair of ROW, which belongs to SELECTED, one of the two sides: "isl 128, osl 16"; "all" if
  // nothing varies.
  std::string pair_of(const Selected& selected, const Measured& row) const;
};

// Invalid rows count as well: a pair whose measurements are all invalid is still a pair.
Pairing pairing_of(const Selected& a, const Selected& b);

}  // namespace orch::compare
