// Names of points: axis values that a human reads, and a hash over everything that the point is.
#pragma once

#include "matrix/expand.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

// One axis value as a part of a name: text plain, everything else behind its parameter's short
// form: "bs8", "tp4".
std::string label(const Parameter& parameter, const Value& value);

// Names the points of one expansion.
class PointNames {
 public:
  // Both must outlive this.
  PointNames(const Vocabulary& vocabulary, const ParameterTable& table);

  // LABEL, cut to what a file name holds, and the first HEX_DIGITS of a SHA-256 over the declared
  // parameters among VALUES and, when `model` is, the model's SOURCE as the matrix has it and its
  // REVISION. VALUES: as the table's names. Safe as a file name and as an argument.
  std::string name(std::string_view label, std::span<const Value* const> values,
                   std::string_view source, std::string_view revision,
                   std::size_t hex_digits = 6) const;

 private:
  const ParameterTable& table_;
  std::vector<std::size_t> declared_;  // of the table's names
  std::optional<std::size_t> model_;   // of them
};

}  // namespace orch::matrix
