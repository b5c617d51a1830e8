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
  verified,   // what they take was read from that very version, or tried with it
  neighbour,  // from one beside it
  inferred,   // from what is said of it
};

std::string_view to_string(Evidence evidence);
std::optional<Evidence> evidence_from(std::string_view name);

// A version between two of ROWS is taken to have what the older one has.
struct Versions {
  struct Row {
    std::string version;
    Evidence evidence = Evidence::verified;
    std::string note{};  // where it is from
  };
  std::string parameter;    // of type version: which of them a point has
  std::string of;           // "TensorRT-LLM"
  std::vector<Row> rows{};  // oldest first, at least one
  Location where{};

  // Where VERSION stands among the rows: it, or the newest before it; null: it is older than all of
  // them.
  const Row* at(std::string_view version) const;
};

// What a user is to know of the versions of POINTS that are not verified, one sentence each.
std::vector<std::string> warnings_of(const Versions& versions, const std::vector<Point>& points);

}  // namespace orch::matrix
