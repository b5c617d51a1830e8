// The name of one series of a server's metrics page, `family{label="value",...}`, taken apart; and
// what is known of the families that Triton and its TensorRT-LLM backend show. It does not know
// where a page comes from.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace orch::measure {

struct SeriesName {
  std::string family;
  std::map<std::string, std::string, std::less<>> labels;  // values without escapes

  // As it is kept: labels in the order of their names, whatever order the server writes them in.
  std::string text() const;
};

// Reads the name that LINE begins with and sets END behind it. Empty where there is none: no name,
// a label without quotes, an end inside a value.
std::optional<SeriesName> read_series_name(std::string_view line, std::size_t& end);

enum class SeriesKind {
  gauge,    // a state: its growth says nothing
  counter,  // grows; a histogram's and a summary's sums and counts are counters
  unknown,  // the page does not say
};

std::string_view name_of(SeriesKind kind);

// What SERIES is, given the type that the page declares for its family ("" for none). TensorRT-LLM
// declares everything a gauge.
SeriesKind kind_of(const SeriesName& series, std::string_view declared);

// Triton's, the backend's and the GPU families; others are somebody else's.
bool is_known_family(std::string_view family);
// A clock and no measurement: seconds up to TensorRT-LLM 0.11, microseconds from 0.12 on.
bool is_timestamp(const SeriesName& series);

}  // namespace orch::measure
