// Whether a folder belongs to this user alone and may hold programs. Reads no file in it.
#pragma once

#include "core/base/result.hpp"

#include <string>

namespace orch::system {

// An error says who else owns FOLDER or may write into it, or that nothing in it can be executed.
Status check_private(const std::string& folder);

}  // namespace orch::system
