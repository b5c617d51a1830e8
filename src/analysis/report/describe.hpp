// Describes one point or one stage with all that the store has about it. Reads only.
#pragma once

#include "core/base/result.hpp"
#include "analysis/report/names.hpp"
#include "analysis/report/point_page.hpp"

#include <filesystem>
#include <string>

namespace orch::report {

enum class Shape {
  text,  // for people
  json,  // an object for programs
};

// ROOT is the store's folder, for absolute paths. PAGE is for the text about a point.
Result<std::string> describe(sql::Database& database, const std::filesystem::path& root,
                             const Named& named, Shape shape, const PageOptions& page = {});

}  // namespace orch::report
