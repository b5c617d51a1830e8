// The parts of the host that an executor and its guardians work with. Knows nothing of launches.
#pragma once

#include "system/clock.hpp"
#include "system/files.hpp"
#include "system/process.hpp"

namespace orch::execute {

// Borrowed: each must outlive the object that was given the host.
struct Host {
  system::Processes& processes;
  system::Files& files;
  system::Clock& clock;
};

}  // namespace orch::execute
