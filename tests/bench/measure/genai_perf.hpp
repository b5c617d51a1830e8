// Reads perf_analyzer's profile export (genai-perf's raw input) into request records, so that the
// metrics can be compared with genai-perf's report over the same requests.
#pragma once

#include "bench/measure/metrics.hpp"
#include "core/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace orch::measure {

struct TokenCounts {
  std::vector<std::int64_t> input;   // per request, in the export's order
  std::vector<std::int64_t> output;  // of the joined text of a request's responses
};

struct ProfileExperiment {
  std::string mode;  // "concurrency" or "request_rate"
  double value = 0;
  std::vector<RequestRecord> records;  // empty responses included
};

namespace profile_export {

using Json = nlohmann::json;

inline std::string answer_of(const Json& outputs) {
  std::string answer;
  for (const Json& output : outputs) {
    const Json& text = output.at("text_output");
    if (text.is_string()) answer += text.get<std::string>();
    else
      for (const Json& piece : text) answer += piece.get<std::string>();
  }
  return answer;
}

inline RequestRecord read_request(const Json& request) {
  RequestRecord record;
  record.sent_ns = request.at("timestamp").get<std::int64_t>();
  record.event_ns = request.at("response_timestamps").get<std::vector<std::int64_t>>();
  record.end_ns = record.event_ns.empty() ? record.sent_ns : record.event_ns.back();
  record.answer = answer_of(request.at("response_outputs"));
  record.status = 200;
  return record;
}

// Times relative to the first send.
inline void rebase(std::vector<RequestRecord>& records) {
  if (records.empty()) return;
  const std::int64_t start_ns = std::ranges::min_element(records, [](const auto& a, const auto& b) {
                                  return a.sent_ns < b.sent_ns;
                                })->sent_ns;
  for (RequestRecord& record : records) {
    record.sent_ns -= start_ns;
    record.end_ns -= start_ns;
    for (std::int64_t& event_ns : record.event_ns) event_ns -= start_ns;
  }
}

inline std::vector<ProfileExperiment> read_experiments(const Json& root) {
  std::vector<ProfileExperiment> out;
  for (const Json& experiment : root.at("experiments")) {
    ProfileExperiment& one = out.emplace_back();
    one.mode = experiment.at("experiment").at("mode").get<std::string>();
    one.value = experiment.at("experiment").at("value").get<double>();
    for (const Json& request : experiment.at("requests")) {
      one.records.push_back(read_request(request));
      one.records.back().index = static_cast<std::int64_t>(one.records.size()) - 1;
    }
    rebase(one.records);
  }
  return out;
}

}  // namespace profile_export

// The experiments of a profile export of kserve/triton requests (response_outputs with
// text_output). COUNTS have one entry per request, in the order of the experiments. Errors: JSON
// that is not such an export, or too few or too many counts.
inline Result<std::vector<ProfileExperiment>> read_profile_export(std::string_view json,
                                                                  const TokenCounts& counts) {
  std::vector<ProfileExperiment> experiments;
  try {
    experiments = profile_export::read_experiments(nlohmann::json::parse(json));
  } catch (const nlohmann::json::exception& error) {
    return invalid(
        fmt::format("this is not a profile export of perf_analyzer with text_output responses: {}",
                    error.what()));
  }
  std::size_t next = 0;
  for (ProfileExperiment& experiment : experiments)
    for (RequestRecord& record : experiment.records) {
      if (next >= counts.input.size() || next >= counts.output.size())
        return invalid(fmt::format(
            "the export has more requests than token counts were given ({} input, {} output)",
            counts.input.size(), counts.output.size()));
      record.isl = counts.input[next];
      record.osl_counted = counts.output[next];
      record.osl_requested = counts.output[next];
      ++next;
    }
  if (counts.input.size() != next || counts.output.size() != next)
    return invalid(
        fmt::format("the export has {} requests, the token counts {} (input) and {} (output)", next,
                    counts.input.size(), counts.output.size()));
  return experiments;
}

// The window for which metrics_of returns the values of genai-perf 0.0.8. EXPERIMENT must outlive
// it.
inline Window genai_perf_window(const ProfileExperiment& experiment) {
  return {
      .records = experiment.records, .server = {}, .client = {}, .single_event_itl_is_zero = true};
}

}  // namespace orch::measure
