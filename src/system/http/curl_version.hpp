// The version of libcurl, which is loaded when it is first used.
#pragma once

#include <string>

namespace orch::system {

// Or why it cannot be loaded.
std::string curl_version();

}  // namespace orch::system
