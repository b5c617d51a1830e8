// Combines several files about one measurement: a report, the export of its requests, the times of
// the composing models.
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
  std::string known_as = {};  // see known_as() of a format
};

// A reading, and the files that it comes from; the first is the one with the figures.
struct Gathered {
  const Format* format = nullptr;
  Reading reading;
  std::vector<FileOrigin> files;
};

enum class Together {
  by_name,   // files belong together if their names and folders say so
  one_call,  // all files come from one invocation of a tool, whatever their names
};

// Merges the readings of one measurement; the others stay. Keeps the order of ALL.
std::vector<Gathered> gather(std::vector<Gathered> all, Together how);

// A reading as entries of a record and as a point of a store: the tool's figures under its own
// definition, and ours computed from the requests that it kept.

// One or two measurements: the tool's if there are figures, ours if there are requests. Requests
// are moved out of FROM.
std::vector<record::Measurement> measurements_of(Gathered& from);

// When the measurement ended, in s since the epoch: as stated in the file, otherwise from the last
// of its requests; nullopt if neither is known.
std::optional<double> ended_at(const Reading& reading);

// Names the point, uniquely for its parameters, to which it adds the tool: the file's own name or
// the model, the load and the tool, and six characters of a digest over the parameters.
std::string name_point(Reading& reading);

// Adds missing token counts to the requests of READING: COUNTS has the number of tokens of each
// text, in the order of texts_to_count().
std::vector<std::string_view> texts_to_count(const Reading& reading);
void set_counts(Reading& reading, const std::vector<std::int64_t>& counts);

}  // namespace orch::imports
