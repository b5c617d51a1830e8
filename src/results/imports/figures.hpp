// Collects the figures of a file: names and statistics as in a record. Rejects numbers that cannot
// be figures.
#pragma once

#include "bench/record/measurement.hpp"
#include "core/base/result.hpp"
#include "results/imports/json_node.hpp"
#include "results/imports/tool_reading.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::imports {

inline constexpr double k_us_per_ms = 1e3;
inline constexpr double k_ms_per_s = 1e3;

class Figures {
 public:
  // STATISTIC "" or "mean" is the mean, or the single value. A percentile for which records have no
  // column becomes a separate figure, such as ttft_ms_p25. Error: VALUE is not finite, is too
  // large, or is negative although IS_SIGNED is false.
  Status set(std::string_view name, std::string_view statistic, double value,
             bool is_signed = false);

  std::vector<record::NamedMetric> take() { return std::move(all_); }

 private:
  record::NamedMetric& named(std::string_view name);

  std::vector<record::NamedMetric> all_;
};

// The factor from UNIT, as tools write it ("ns", "ms", "sec", "microseconds"), to milliseconds;
// nullopt unless it is a known unit of time.
std::optional<double> to_ms(std::string_view unit);

// TEXT as the name of a figure, in lower case and with '_' between words: "Client Send" ->
// "client_send".
std::string snake_case(std::string_view text);

// The name of a figure that a tool calls THEIRS and we do not have: "perf_analyzer", "Client Send",
// "us" -> "perf_analyzer_client_send_us".
std::string name_of_theirs(std::string_view tool, std::string_view theirs, std::string_view unit);

// How many requests failed, according to the counts in a file.

// The counts for one measurement; nullopt: not stated in the file.
struct Outcome {
  std::optional<double> completed, failed = {};
};

// The counts according to the figures "TOOL_completed" and "TOOL_failed", the parameter
// num_prompts, and the ERRORS that the file lists.
Outcome outcome_of(const Reading& reading, std::optional<double> errors = {});

// The number of failed requests in LIST, which has a text for each request, "" if it succeeded;
// nullopt if LIST is not a list.
std::optional<double> count_errors(const Node& list);

// Sets error_rate. If no request succeeded, the reading is invalid and loses its times and rates,
// which tools write as 0. If some failed, it gets a warning.
void judge(Reading& reading, const Outcome& outcome);

// These set a parameter of the point that a file describes. An absent value sets nothing.

void set_text(Reading& reading, std::string_view name, const std::optional<std::string>& value);
void set_integer(Reading& reading, std::string_view name, std::optional<std::int64_t> value);
void set_real(Reading& reading, std::string_view name, std::optional<double> value);
void set_flag(Reading& reading, std::string_view name, std::optional<bool> value);

// Sets a parameter from a scalar, with its type; nothing from a list, an object or null.
void set_node(Reading& reading, std::string_view name, const Node& node);

// Sets the rate as tools write it: a number, or "inf" for all requests at once, for which it sets
// the parameter `max` instead. "trace" sets nothing.
void set_request_rate(Reading& reading, const Node& node);

// The upper limit for the number of requests, tokens or users that a file may state.
inline constexpr std::int64_t k_most_of_anything = 1'000'000'000'000;

// Shared by the readers of files with requests.

// Calls EACH for the JSON object on every non-empty line. Stops at the first fault, whose error
// names the line.
Status for_each_json_line(const Source& source, Fault& fault,
                          const std::function<void(const Node&)>& each);

// One reading per object of a file that holds one object, a list of them, or one per line.
Result<std::vector<Reading>> read_objects(const Source& source,
                                          const std::function<Reading(const Node&)>& read);

// Adds the values that FAULT left out to the warnings of READING.
void warn_of_left_out(Fault& fault, Reading& reading);

// Warns that the requests of a result are not read: it has TIMES of each request but no
// start_times, without which the load at any moment is unknown. Does nothing if TIMES is empty.
void warn_of_no_starts(const Node& times, Reading& reading);

// Sorts and numbers the records by send time, and shifts their times so that the first send, which
// becomes wall_start_ns, is at 0.
void start_at_zero(KeptRequests& kept);

}  // namespace orch::imports
