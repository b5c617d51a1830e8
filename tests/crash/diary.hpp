// The diary and the locks of the fake stack's processes: which started and ended, which overlapped,
// and what they left behind. Whether a process is alive is read from its kernel lock.
#pragma once

#include "crash/world.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace orch::crash {

struct Entry {
  std::string word;  // start, end, overlap, disturbed, partial
  std::string token, stage;
  int pid = 0;  // in the numbers of its own PID namespace
  std::int64_t ns = 0;
  std::string rest;
};

std::vector<Entry> read_diary(const World& world);
// How often stages whose names begin with STAGE were started.
std::ptrdiff_t starts_of(const World& world, const std::string& stage);

// Everything that an ended run of WORLD should not have left: processes, guardians, listening
// sockets, port leases, shared memory, temporary folders, attempts, unrecorded artifacts. One line
// each; empty is clean. Waits at most AT_MOST_S for things that are about to go.
std::vector<std::string> left_behind(const World& world,
                                     const std::set<std::string>& folders_on_record,
                                     double at_most_s);

// The part of it that is alive: processes and sockets.
std::vector<std::string> alive_of(const World& world);

}  // namespace orch::crash
