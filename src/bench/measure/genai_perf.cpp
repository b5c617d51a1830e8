#include "bench/measure/genai_perf.hpp"

#include <nlohmann/json.hpp>

namespace orch::measure {
namespace {

using Json = nlohmann::json;

std::string answer_of(const Json& outputs) {
  std::string answer;
  for (const Json& output : outputs) {
    const Json& text = output.at("text_output");
    if (text.is_string()) answer += text.get<std::string>();
    else
      for (const Json& piece : text) answer += piece.get<std::string>();
  }
  return answer;
}

RequestRecord read_request(const Json& request) {
  RequestRecord record;
  record.sent_ns = request.at("timestamp").get<std::int64_t>();
  record.event_ns = request.at("response_timestamps").get<std::vector<std::int64_t>>();
  record.end_ns = record.event_ns.empty() ? record.sent_ns : record.event_ns.back();
  record.answer = answer_of(request.at("response_outputs"));
  record.status = 200;
  return record;
}

// Times relative to the first send.
void rebase(std::vector<RequestRecord>& records) {
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

std::vector<ProfileExperiment> read_experiments(const Json& root) {
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

}  // namespace

Result<std::vector<ProfileExperiment>> read_profile_export(std::string_view json,
                                                           const TokenCounts& counts) {
  std::vector<ProfileExperiment> experiments;
  try {
    experiments = read_experiments(Json::parse(json));
  } catch (const Json::exception& error) {
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

Window genai_perf_window(const ProfileExperiment& experiment) {
  return {
      .records = experiment.records, .server = {}, .client = {}, .single_event_itl_is_zero = true};
}

}  // namespace orch::measure
