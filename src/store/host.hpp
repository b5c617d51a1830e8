// What the store needs of the host that it runs on: its file system and its clock. Owns neither.
#pragma once

#include "system/clock.hpp"
#include "system/files.hpp"

namespace orch::store {

// Both outlive whatever was given them. SQLite alone reads and writes its files by itself.
struct Host {
  system::Files& files;
  system::Clock& clock;
};

}  // namespace orch::store
