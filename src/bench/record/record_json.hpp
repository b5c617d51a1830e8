// Measurements as the files that others read: measurement.json, requests.jsonl, answers.jsonl.zst.
// It makes their bytes,
// part by part where there may be many, and opens none.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "bench/record/answer_spool.hpp"
#include "bench/record/measurement.hpp"

namespace orch::record {

// The version of measurement.json.
inline constexpr int k_record_schema = 1;

std::string measurement_json(const BenchSpec& options, std::span<const Measurement> measurements);

// Takes the next bytes of a file. An error ends its making.
using Take = std::function<Status(std::string_view)>;

// requests.jsonl: one line per request, warm-up included.
Status give_requests(std::span<const Measurement> measurements, const Take& take);
// answers.jsonl.zst: one packed {"line": N, "answer": TEXT} per request that has an answer, N its
// line in requests.jsonl from 1; nothing when none has. SPOOL holds the answers that the records do
// not; may be null.
Status give_answers(std::span<const Measurement> measurements, AnswerSpool* spool,
                    const Take& take);
// values.jsonl.zst: one packed {"line": N, "events": [{OUTPUT: LIST}]} per request that has log
// probabilities or logits, in the order of its events; nothing when none has.
Status give_values(std::span<const Measurement> measurements, AnswerSpool* spool, const Take& take);

}  // namespace orch::record
