// What the readers of files with requests share.
#pragma once

#include <functional>

#include "base/result.hpp"
#include "toolfile/json_node.hpp"
#include "toolfile/tool_reading.hpp"

namespace orch::toolfile {

// Calls EACH for the JSON object of every line that is not empty. Stops at the first fault, whose
// error names the line.
Status for_each_json_line(const Source& source, Fault& fault,
                          const std::function<void(const Node&)>& each);

// Sorts the records by their sends, numbers them, and moves their times, which count from the
// epoch, so that the first send is at 0.
void start_at_zero(KeptRequests& kept);

}  // namespace orch::toolfile
