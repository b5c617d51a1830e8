// Measurements as the files that others read: measurement.json, requests.jsonl, answers.jsonl.zst.
// It makes their bytes and opens none.
#pragma once

#include <span>
#include <string>

#include "record/measurement.hpp"

namespace orch::record {

// The version of measurement.json.
inline constexpr int k_record_schema = 1;

std::string measurement_json(const BenchSpec& options, std::span<const Measurement> measurements);
// One line per request, warm-up included.
std::string requests_jsonl(std::span<const Measurement> measurements);
// One packed {"line": N, "answer": TEXT} per request that has an answer, N its line in
// requests.jsonl from 1; "" when none has.
std::string answers_packed(std::span<const Measurement> measurements);

}  // namespace orch::record
