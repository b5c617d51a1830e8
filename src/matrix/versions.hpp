// The versions of the tools that a runner drives: which it knows, and how well. Knows no option of
// theirs.
#pragma once

#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

struct Point;

enum class Evidence {
  verified,   // options were read from that version, or tried with it
  neighbour,  // from a neighbouring version
  inferred,   // from documentation
};

std::string_view to_string(Evidence evidence);
std::optional<Evidence> evidence_from(std::string_view name);

// A version between two of ROWS is assumed to have the options of the older one.
struct Versions {
  struct Row {
    std::string version;
    Evidence evidence = Evidence::verified;
    std::string note{};  // where it is from
  };
  std::string parameter;    // of type version
  std::string of;           // "TensorRT-LLM"
  std::vector<Row> rows{};  // oldest first, at least one
  Location where{};

  // The row of VERSION or of the newest version before it; null when it is older than every row.
  const Row* at(std::string_view version) const;
};

// One sentence for each version of POINTS that is not verified.
std::vector<std::string> warnings_of(const Versions& versions, const std::vector<Point>& points);

}  // namespace orch::matrix
