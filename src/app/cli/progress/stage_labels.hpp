// Names of stages as people say them, by what differs: "bench tiny q8_0 isl128 bs4 10 req/s".
#pragma once

#include "plan/graph/plan.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::cli {

class StageLabels {
 public:
  // NAMES: the parameters that may differ, in the order of the matrix.
  StageLabels(const plan::Plan& plan, const std::vector<std::string>& names);

  // The kind of STAGE, and the values of its parameters that differ among the points and have one
  // value in all points of the stage; the model always.
  const std::string& of(const plan::StageId& stage) const;
  // The same, followed by the id: "quantize q8_0 (quantize-1a2b3c)".
  std::string with_id(const plan::StageId& stage) const;

 private:
  std::map<plan::StageId, std::string> labels_;
};

// "bs4" for batch_size 4; other parameters as "name=value".
std::string short_value(const std::string& name, const std::string& value);

}  // namespace orch::cli
