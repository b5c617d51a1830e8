// The files of a record as whole texts, for tests.
#pragma once

#include "bench/record/measurement.hpp"
#include "bench/record/record_json.hpp"

namespace orch::record {

inline Take into(std::string& out) {
  return [&out](std::string_view part) { return out += part, Status(); };
}

inline std::string requests_jsonl(std::span<const Measurement> measurements) {
  std::string out;
  return give_requests(measurements, into(out)).ok() ? out : "";
}

inline std::string answers_packed(std::span<const Measurement> measurements,
                                  AnswerSpool* spool = nullptr) {
  std::string out;
  return give_answers(measurements, spool, into(out)).ok() ? out : "";
}

inline std::string values_packed(std::span<const Measurement> measurements,
                                 AnswerSpool* spool = nullptr) {
  std::string out;
  return give_values(measurements, spool, into(out)).ok() ? out : "";
}

}  // namespace orch::record
