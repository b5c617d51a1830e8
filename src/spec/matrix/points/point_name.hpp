// Names of points: axis values for people, and a hash over everything that defines the point.
#pragma once

#include "spec/matrix/matrix.hpp"
#include "spec/matrix/parameter.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

// One axis value as a part of a name: a text alone; "stream" or "no_stream" for a boolean of that
// name; other types after their parameter's short form, as in "bs8" or "tp4".
std::string label(const Parameter& parameter, const Value& value);

// Names the points of one expansion.
class PointNames {
 public:
  // Where a model comes from: its source as written in the matrix.
  struct Origin {
    std::string written;
    std::string revision;
  };

  // TABLE must outlive this.
  PointNames(const Vocabulary& vocabulary, const Matrix& matrix, const ParameterTable& table);

  // The beginning of a name: LABEL, truncated to a file name's length. Safe as a file name and as
  // an argument.
  static std::string stem(std::string_view label);

  // The stem of LABEL and the first HEX_DIGITS of a SHA-256 over the declared parameters in ROW of
  // the table, except LEFT_OUT, indices of its names. The hash covers the origin of MODEL if
  // `model` is declared, and the models that other parameters name.
  std::string name(std::string_view label, std::size_t row, std::span<const std::size_t> left_out,
                   const Origin& model, std::size_t hex_digits) const;

 private:
  const ParameterTable& table_;
  std::string default_runner_;
  std::map<std::string, Origin> models_;
  std::vector<std::size_t> declared_;  // among the table's names
  std::optional<std::size_t> model_;   // index of `model` among them
  std::optional<std::size_t> runner_;  // index of `runner`, if points have it
  std::vector<std::size_t> named_;     // of other parameters of type model
};

}  // namespace orch::matrix
