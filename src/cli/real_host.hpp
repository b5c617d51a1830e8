// The real file system and clock, which commands hand to the store. Made once, here.
#pragma once

#include "store/host.hpp"

namespace orch::cli {

store::Host real_host();

}  // namespace orch::cli
