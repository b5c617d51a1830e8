// What a file of another tool says, as values: the point that it measured, its figures under our
// names where they are the same quantity, and its requests where it keeps them. Knows no format.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/matrix/parameter.hpp"
#include "bench/measure/request_record.hpp"
#include "bench/observe/model_statistics.hpp"
#include "bench/record/measurement.hpp"

namespace orch::imports {

// A file's name, for messages and for what it says itself, and its content.
struct Source {
  std::string name;
  std::string_view text;
};

// The texts of a request, for a tokenizer. Empty: the file has none.
struct Texts {
  std::string prompt, answer;
};

// The requests that a tool kept.
struct KeptRequests {
  std::vector<measure::RequestRecord> records;  // in the order of sending
  std::vector<Texts> texts;                     // of the records, in their order; or empty
  bool streamed = true;
  std::int64_t wall_start_ns = 0;  // of time 0 of the records, since the epoch
  std::string counting_osl, counting_isl;
};

// One measurement of one point.
struct Reading {
  std::string tool;
  std::optional<std::string> tool_version = {};
  std::string name = {};  // of the point, where the file names it; else ""
  std::map<std::string, matrix::Value> parameters = {};
  std::vector<record::NamedMetric> figures = {};
  std::vector<std::string> expected = {};  // figures that such a file has as a rule
  std::vector<std::string> warnings = {};
  std::string invalid = {};  // why the figures do not count; "": they do
  // When the measurement ended, in s since the epoch; empty: the file does not say.
  std::optional<double> ended_at = {};
  std::vector<observe::ModelTimes> models = {};
  KeptRequests requests = {};

  // Adds to the expected figures.
  void expect(const std::vector<std::string_view>& more) {
    expected.insert(expected.end(), more.begin(), more.end());
  }
};

}  // namespace orch::imports
