// The versions of the tools that a runner drives: which it knows, and how well. Knows no option of
// theirs.
#pragma once

#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"

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

constexpr auto names_of(Tag<Evidence>) { return value_names("verified", "neighbour", "inferred"); }

// A version of the same minor release as one of ROWS (0.12.1, 0.12.0.post1) is assumed to have the
// options of the newest row that is not newer. Others are unknown.
struct Versions {
  struct Row {
    std::string version;
    Evidence evidence = Evidence::verified;
    std::string note{};  // where it is from
  };
  std::string parameter;    // of type version
  std::string of;           // "TensorRT-LLM"
  std::vector<Row> rows{};  // oldest first, at least one
  // Releases of another product and the versions that they carry: Triton 24.10 -> 0.14.0.
  struct Carrier {
    std::string of;  // "Triton"
    std::vector<std::pair<std::string, std::string>> rows;
  };
  std::optional<Carrier> carried_by{};
  Location where{};

  // The row of VERSION or of the newest version before it; null when it is older than every row.
  const Row* at(std::string_view version) const;
};

// SQL that is true for the known versions.
std::string known_versions_sql(const Versions& versions);

// What to write in place of the unknown VERSION: "the nearest are 0.14.0 and 0.15.0", or the
// version that a carrier of this number has.
std::string instead_of(const Versions& versions, const std::string& version);

// One sentence for each version of POINTS that is not verified.
std::vector<std::string> warnings_of(const Versions& versions, const std::vector<Point>& points);

}  // namespace orch::matrix
