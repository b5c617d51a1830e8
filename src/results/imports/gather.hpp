// Combines several files about one measurement: a report, the export of its requests, and the times
// of an ensemble's composing models.
#pragma once

#include "bench/record/measurement.hpp"
#include "results/imports/format.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::imports {

struct FileOrigin {
  std::string path;  // as given
  std::string sha256;
  std::string known_as = {};  // see known_as() in format.hpp
};

// A reading, and the files that it comes from; the first file is the one with the figures.
struct Gathered {
  const Format* format = nullptr;
  Reading reading;
  std::vector<FileOrigin> files;
};

enum class Together {
  by_name,   // files belong together if their names and folders say so
  one_call,  // all files come from one invocation of a tool, whatever their names
};

// Merges readings that belong to one measurement; other readings stay as they are. Keeps the order
// of ALL.
std::vector<Gathered> gather(std::vector<Gathered> all, Together how);

// A reading as entries of a record and as a point of a store: the tool's figures under the tool's
// definition, and our figures computed from the requests that it kept.

// One or two measurements: that of the tool if there are figures or times of models, and ours if
// there are requests; an invalid one if there is nothing. Moves the requests out of FROM.
std::vector<record::Measurement> measurements_of(Gathered& from);

// When the measurement ended, in seconds since the epoch: as stated in the file, otherwise the end
// of its last request; nullopt if neither is known.
std::optional<double> ended_at(const Reading& reading);

// Adds the tool to the parameters of READING, and returns a name for its point: `reading.name`, or
// if that is "", the model, load and tool; then six characters of a digest over the parameters.
std::string name_point(Reading& reading);

// texts_to_count() returns the texts of READING whose token counts are missing; set_counts() adds
// the counts to its requests. COUNTS has the number of tokens of each of these texts, in order.
std::vector<std::string_view> texts_to_count(const Reading& reading);
void set_counts(Reading& reading, const std::vector<std::int64_t>& counts);

}  // namespace orch::imports
