// Whether a folder belongs to this user alone. Reads no file in it.
#pragma once

#include "base/result.hpp"

#include <string>

namespace orch::system {

// An error names who else may write into FOLDER, or owns it.
Status check_private(const std::string& folder);

}  // namespace orch::system
