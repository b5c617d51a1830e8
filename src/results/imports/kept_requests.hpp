// What the readers of files with requests share.
#pragma once

#include <functional>

#include "core/base/result.hpp"
#include "results/imports/json_node.hpp"
#include "results/imports/tool_reading.hpp"

namespace orch::imports {

// Calls EACH for the JSON object of every line that is not empty. Stops at the first fault, whose
// error names the line.
Status for_each_json_line(const Source& source, Fault& fault,
                          const std::function<void(const Node&)>& each);

// A reading of each object of a file that holds one object, a list of them, or one per line.
Result<std::vector<Reading>> read_objects(const Source& source,
                                          const std::function<Reading(const Node&)>& read);

// Adds what was left out of a reading to its warnings.
void warn_of_left_out(Fault& fault, Reading& reading);

// Why a result with TIMES of each request and no start_times has no requests: without these nothing
// is known of the load at any moment.
void warn_of_no_starts(const Node& times, Reading& reading);

// Sorts the records by their sends, numbers them, and moves their times, which count from the
// epoch, so that the first send is at 0.
void start_at_zero(KeptRequests& kept);

}  // namespace orch::imports
