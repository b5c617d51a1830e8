// Finds a point or stage by its name or by an unambiguous prefix.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"

#include <string>
#include <vector>

namespace orch::report {

struct Named {
  enum class Kind { point, stage };
  Kind kind;
  std::string name;  // in full
};

// Errors: not_found, with the nearest name; invalid when several names begin with PREFIX, with a
// list of them.
Result<Named> find_named(sql::Database& database, const std::string& prefix);

// The first MOST names of points and stages that begin with PREFIX.
Result<std::vector<std::string>> names_beginning(sql::Database& database, const std::string& prefix,
                                                 std::size_t most);
// The numbers of all runs, the newest first.
Result<std::vector<std::string>> run_numbers(sql::Database& database, std::size_t most);

}  // namespace orch::report
