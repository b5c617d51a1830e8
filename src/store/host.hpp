// The file system and the clock that the store works with. Owns neither.
#pragma once

#include "system/clock.hpp"
#include "system/files.hpp"

namespace orch::store {

// Both must outlive every object that receives a Host. Only SQLite accesses its files directly.
struct Host {
  system::Files& files;
  system::Clock& clock;
};

}  // namespace orch::store
