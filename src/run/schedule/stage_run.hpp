// What one run knows of one stage, beside its State. Data only.
#pragma once

#include <optional>
#include <string>
#include <variant>

namespace orch::schedule {

struct StageRun {
  // Data that exists only in the state of that name; StageQueue drops it with the next move.
  struct Ready {
    std::optional<double> dirty_gpus_since_s;  // when its wait for GPU memory began
  };
  struct Waiting {
    double due_s = 0;  // it is retried then
  };
  std::variant<std::monostate, Ready, Waiting> in_state;

  // Written by StageQueue.
  std::size_t missing = 0;  // stages it needs that are not usable
  bool usable = false;      // an artifact that can be read, or a server that is up

  // Attempts started by this run. Of a measurement: attempts on the present server.
  int measured_here = 0;
  bool server_is_stuck = false;  // the present server answered nothing to the last attempt
  int invalid_measurements = 0;
  // Over all runs of this matrix; empty until the first failure, when the journal is asked.
  std::optional<int> harness_failures;
  bool is_tried_again = false;  // it failed, and the next run of this matrix tries it again
  bool is_removed = false;      // its output, because nothing needs it any more
  // Why no other run may reuse its artifact: an input changed while it was made. Empty when none
  // did.
  std::string not_cacheable;
};

}  // namespace orch::schedule
