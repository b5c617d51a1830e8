// Measurements as the two files that others read: measurement.json and requests.jsonl. It makes text and opens no files.
#pragma once

#include <span>
#include <string>

#include "load/bench.hpp"

namespace orch::load {

std::string measurement_json(const BenchOptions& options, std::span<const Measurement> measurements);
// One line per request, warm-up included.
std::string requests_jsonl(std::span<const Measurement> measurements);

}  // namespace orch::load
