// What a user means by the name of a point or stage: the whole name or a prefix that only one has.
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

// Errors: not_found, with the nearest name; invalid when several begin with PREFIX, listing them.
Result<Named> find_named(sql::Database& database, const std::string& prefix);

}  // namespace orch::report
