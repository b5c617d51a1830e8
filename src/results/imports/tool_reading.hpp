// The content of another tool's file, as values: the point that it measured, its figures under our
// names if they are the same quantity, and its requests if it keeps them.
#pragma once

#include "bench/measure/request_record.hpp"
#include "bench/observe/model_statistics.hpp"
#include "bench/record/measurement.hpp"
#include "spec/matrix/parameter.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::imports {

// A file's content and its name, which is used in messages and may carry information.
struct Source {
  std::string name;
  std::string_view text;
};

// The texts of a request, for counting their tokens. "": not in the file.
struct Texts {
  std::string prompt, answer;
};

// The requests that a tool kept.
struct KeptRequests {
  std::vector<measure::RequestRecord> records;  // in the order of sending
  std::vector<Texts> texts;                     // of the records, in order; or empty
  bool streamed = true;
  std::int64_t wall_start_ns = 0;  // the time since the epoch at 0 of the records; 0: unknown
  std::string counting_osl, counting_isl;
};

// One measurement of one point.
struct Reading {
  std::string tool;
  std::optional<std::string> tool_version = {};
  std::string name = {};  // of the point, if the file names it; otherwise ""
  std::map<std::string, matrix::Value> parameters = {};
  std::vector<record::NamedMetric> figures = {};
  std::vector<std::string> expected = {};  // figures that such a file usually has
  std::vector<std::string> warnings = {};
  std::string invalid = {};  // why the figures are invalid; "": they are valid
  // When the measurement ended, in s since the epoch; nullopt: not stated in the file.
  std::optional<double> ended_at = {};
  std::vector<observe::ModelTimes> models = {};
  KeptRequests requests = {};

  // Adds to the expected figures.
  void expect(const std::vector<std::string_view>& more) {
    expected.insert(expected.end(), more.begin(), more.end());
  }
};

}  // namespace orch::imports
