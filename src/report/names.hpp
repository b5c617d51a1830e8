// Finds a point or stage by its name or by an unambiguous prefix.
#pragma once

#include "base/result.hpp"
#include "sql/database.hpp"

#include <string>

namespace orch::report {

struct Named {
  enum class Kind { point, stage };
  Kind kind;
  std::string name;  // in full
};

// Errors: not_found, with the nearest name; invalid when several names begin with PREFIX, with a
// list of them.
Result<Named> find_named(sql::Database& database, const std::string& prefix);

}  // namespace orch::report
