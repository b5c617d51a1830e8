// The content of a store without times, read from a copy of the database so that the store does not
// change. Reads the views like any SQLite client.
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

// STORE may be in use, or left by a killed process. SCRATCH: an existing folder.
Snapshot read_store(const std::string& store, const std::string& scratch);

// The first column of each row, one per line.
std::vector<std::string> ask_store(const std::string& store, const std::string& scratch,
                                   const std::string& sql);

}  // namespace orch::crash
