// Brings together what several files say of one measurement: a report, the export of its requests,
// the times of the composing models.
#pragma once

#include <string>
#include <vector>

#include "results/imports/format.hpp"

namespace orch::imports {

struct FileOrigin {
  std::string path;  // as given
  std::string sha256;
  std::string known_as = {};  // see known_as() of a format
};

// A reading, and the files that it comes from: first the one with the figures.
struct Gathered {
  const Format* format = nullptr;
  Reading reading;
  std::vector<FileOrigin> files;
};

enum class Together {
  by_name,   // files belong together whose names and folders say so
  one_call,  // all files are of one call of a tool, whatever their names
};

// Readings of one measurement become one; the others stay. The order is that of ALL.
std::vector<Gathered> gather(std::vector<Gathered> all, Together how);

}  // namespace orch::imports
