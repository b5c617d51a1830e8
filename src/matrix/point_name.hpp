// Names of points: axis values that a human reads, and a hash over everything that the point is.
#pragma once

#include "matrix/expand.hpp"

#include <string>
#include <string_view>

namespace orch::matrix {

// One axis value as a part of a name: text plain, everything else behind its parameter's short form: "bs8", "tp4".
std::string label(const Parameter& parameter, const Value& value);

// LABEL, cut to what a file name holds, and the first HEX_DIGITS of a SHA-256 over the declared parameters and the
// model's source. Safe as a file name and as an argument.
std::string point_name(std::string_view label, const Point& point, const Vocabulary& vocabulary, std::size_t hex_digits = 6);

}  // namespace orch::matrix
