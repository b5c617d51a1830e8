// Parses the name of a series on a server's metrics page, `family{label="value",...}`, and knows
// the families of Triton and its TensorRT-LLM backend. Does not know where a page comes from.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace orch::measure {

struct SeriesName {
  std::string family;
  std::map<std::string, std::string, std::less<>> labels;  // values without escapes

  // The name as it is stored: labels sorted by name.
  std::string text() const;
};

// Reads the name at the beginning of LINE and sets END past it. Empty when there is none: no name,
// a label without quotes, a value without end.
std::optional<SeriesName> read_series_name(std::string_view line, std::size_t& end);

enum class SeriesKind {
  gauge,    // a state: only its values mean something, not its growth
  counter,  // grows; the sums and counts of histograms and summaries are counters
  unknown,  // the page does not declare it
};

std::string_view name_of(SeriesKind kind);

// The kind of SERIES, given the type that the page declares for its family ("" for none).
// TensorRT-LLM declares everything as a gauge.
SeriesKind kind_of(const SeriesName& series, std::string_view declared);

// Whether FAMILY is one of Triton's, of the backend's, or of the GPUs'.
bool is_known_family(std::string_view family);
// Whether SERIES is a clock: seconds up to TensorRT-LLM 0.11, microseconds from 0.12 on.
bool is_timestamp(const SeriesName& series);

}  // namespace orch::measure
