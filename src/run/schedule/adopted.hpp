// A process that a dead run left and this run takes over. Data only.
#pragma once

#include "run/schedule/unfinished.hpp"

#include <vector>

namespace orch::schedule {

// One process, for one attempt or for the attempts of a batch.
struct Adopted {
  std::vector<Unfinished> members;
  execute::Recovered found;  // running or ended, never lost

  const std::string& token() const { return members.front().process; }
};

}  // namespace orch::schedule
