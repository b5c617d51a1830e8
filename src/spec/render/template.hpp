// Strict text templates: ${name} is filled from named values, $$ is a dollar sign. A placeholder
// without a value and a value without a placeholder are errors, so that no placeholder is filled by
// accident or left out silently.
#pragma once

#include "core/base/result.hpp"

#include <map>
#include <string>
#include <string_view>

namespace orch::render {

// TEXT with every ${name} replaced. FILE is the name that error locations carry. Appends every
// error to ERRORS; the result is usable only if none was added.
std::string fill(std::string_view text, const std::string& file,
                 const std::map<std::string, std::string>& values, Errors& errors);

}  // namespace orch::render
