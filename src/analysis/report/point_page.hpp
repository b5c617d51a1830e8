// One point as a page for people: its figures, what set them, what to know of them, where they come
// from, and the commands. describe() has the same as JSON. Reads only.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"

#include <string>

namespace orch::report {

struct PageOptions {
  // Every parameter and metric, and digests in full.
  bool all = false;
};

// POINT is the full name of a point of DATABASE.
Result<std::string> point_page(sql::Database& database, const std::string& point,
                               const PageOptions& options = {});

}  // namespace orch::report
