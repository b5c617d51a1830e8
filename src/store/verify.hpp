// What comes of comparing a store with itself: the database, its records, and the files that it
// says are there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace orch::store {

struct Verified {
  std::vector<std::string> problems;  // one sentence each, with the remedy; at most about 200
  std::vector<std::string> notes;     // what is as it should be, and good to know
  std::size_t artifacts = 0, files = 0, measurements = 0;
};

}  // namespace orch::store
