// Errors in the rows of an expansion: one for each cause, with its first point and a count. Knows
// neither rules nor parameters.
#pragma once

#include "core/base/result.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace orch::matrix {

class Findings {
 public:
  // Adds ERROR of the row with index ROW. Rows with the same CAUSE share the error of the first.
  void add(const std::string& cause, Error error, std::size_t row);
  // Appends one error per cause to ERRORS, in the order of discovery. LABEL names a row.
  void report(Errors& errors, const std::function<std::string(std::size_t row)>& label) const;

 private:
  struct Finding {
    Error error;
    std::size_t row;
    std::size_t more;
    std::size_t order;
  };
  std::map<std::string, Finding> findings_;  // by cause
};

}  // namespace orch::matrix
