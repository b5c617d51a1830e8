// What the counts of a file say of its requests that failed.
#pragma once

#include <optional>

#include "results/imports/json_node.hpp"
#include "results/imports/tool_reading.hpp"

namespace orch::imports {

// Of the requests of one measurement; empty: the file does not say.
struct Outcome {
  std::optional<double> completed, failed;
};

// By the figures "TOOL_completed" and "TOOL_failed", the parameter num_prompts, and the errors that
// the file lists.
Outcome outcome_of(const Reading& reading, std::optional<double> errors = {});

// Of a list of texts that are "" for the requests that succeeded; empty when LIST is none.
std::optional<double> count_errors(const Node& list);

// Sets error_rate. Where no request succeeded the reading is not valid, and loses the figures that
// tools write as 0: its times and rates. Where some failed it has a warning.
void judge(Reading& reading, const Outcome& outcome);

}  // namespace orch::imports
