// What the fake stack's processes wrote down and hold: who started and ended, who found another at
// the same work, and what is left of them. What lives is asked of the kernel, by locks that only a
// living process can hold.
#pragma once

#include "crash/world.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace orch::crash {

struct Entry {
  std::string word;  // start, end, overlap, disturbed, partial
  std::string token, stage;
  int pid = 0;  // as its own PID namespace numbers it
  std::int64_t ns = 0;
  std::string rest;
};

std::vector<Entry> read_diary(const World& world);

// Everything of WORLD that a run which has ended should not have left: processes, guardians,
// listening sockets, leases of ports, shared memory, temporary folders, attempts, artifacts that
// are not on record. In words; empty is clean. What is on its way out is given AT_MOST_S.
std::vector<std::string> left_behind(const World& world,
                                     const std::set<std::string>& folders_on_record,
                                     double at_most_s);

// Of that, only what lives: processes and sockets.
std::vector<std::string> alive_of(const World& world);

}  // namespace orch::crash
