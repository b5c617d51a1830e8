// What a side of a comparison means: the name of a run, an experiment, a point or a tool, or SQL
// over the columns of `results_all`. Reads names from the store and compares nothing.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"

#include <string>
#include <string_view>

namespace orch::compare {

struct Side {
  std::string label;  // "run 7", "experiment nightly", or the SQL
  std::string where;  // over the columns of `results_all`; "" is everything
  // A name that stands for the present configuration of its points, as `results` shows it. A run
  // and SQL have what was measured, whatever came later.
  bool is_present = false;
};

// "7" and "run 7" are runs. A text that is the name of one thing in DATABASE means it, and any
// other text is SQL, which is not checked here. Errors: no such run; a name of several things.
Result<Side> side_of(sql::Database& database, std::string_view text);

// To put before an error about TEXT as SQL: that it is no name either, and the closest one, or the
// parameter with this value; "" if TEXT is clearly SQL.
std::string other_meanings(sql::Database& database, std::string_view text);

}  // namespace orch::compare
