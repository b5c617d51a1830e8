// What a run that died left, and this one takes over.
#pragma once

#include "schedule/unfinished.hpp"

#include <vector>

namespace orch::schedule {

// One process, for one attempt or for several of a batch. It lives, or it ended while nobody
// looked.
struct Adopted {
  std::vector<Unfinished> members;
  execute::Recovered found;  // running or ended, never lost

  const std::string& token() const { return members.front().process; }
};

}  // namespace orch::schedule
