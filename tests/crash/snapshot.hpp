// What a store says, without times: read from a copy of the database, so that looking changes
// nothing. The views are asked as any SQLite client would ask them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace orch::crash {

struct Snapshot {
  bool readable = false;
  std::string why_not;
  std::set<std::string>
      done;  // tasks with an output and measurements that are valid, by their name in the diary
  std::vector<std::string>
      rows;  // results, requests, answers, files of artifacts: a line each, without times
  std::map<std::string, int> valid_measurements;
  std::set<std::string> folders;  // on record, relative to the store: of artifacts, measurements,
                                  // and of attempts that failed, which are kept
  std::vector<std::string> unfinished;  // attempts without an end, stages of the last run that are
                                        // neither done nor reused
  std::string last_outcome;
  int attempts = 0, runs = 0;
};

// STORE may be in use, or left by a process that was killed. SCRATCH: an existing folder.
Snapshot read_store(const std::string& store, const std::string& scratch);

// One column of one row per line, for single questions.
std::vector<std::string> ask_store(const std::string& store, const std::string& scratch,
                                   const std::string& sql);

}  // namespace orch::crash
