// What is wrong in the rows of an expansion: one error for each cause, with the first point that
// has it and a count. Knows neither rules nor parameters.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace orch::matrix {

class Findings {
 public:
  // ERROR was found in the row whose index is ROW. Rows with the same CAUSE share the first one's
  // error.
  void add(const std::string& cause, Error error, std::size_t row);
  // In the order in which they were first found; LABEL gives a row's name.
  void tell(Errors& errors, const std::function<std::string(std::size_t row)>& label) const;

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
