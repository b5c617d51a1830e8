// From the raw phases of one load to its measurement: times relative to the window, metrics, the
// verdict with its reasons and warnings, and each server's share. It sends nothing and reads no
// clock.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/load/bench.hpp"
#include "bench/load/load_run.hpp"
#include "bench/record/measurement.hpp"

namespace orch::load {

// Judges RUN of the load with that index. NOTES are warnings that hold for every load.
record::Measurement judge_run(const RunContext& context, std::size_t load, RawRun run,
                              const std::vector<std::string>& notes);

}  // namespace orch::load
