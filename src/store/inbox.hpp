// Measurements that somebody made who does not hold the store: put into inbox/ whole, by rename,
// and taken in by whoever writes to the store next, once however often it is tried.
#pragma once

#include "matrix/parameter.hpp"
#include "store/store.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::store {

// One point and what was measured there: contents of measurement.json, requests.jsonl and
// answers.jsonl.zst.
struct PublishedPoint {
  std::string name;
  std::map<std::string, matrix::Value> parameters;
  std::string measurement, requests;
  std::string answers = {};  // "": none were kept
};

struct Publication {
  std::string token;  // of the attempt that it is the record of, which has one point; "": of none,
                      // it becomes a run of its own
  std::string experiment;
  RunInfo info;  // of a run of its own
  std::vector<PublishedPoint> points;
};

// Puts the records into the inbox of LAYOUT's store. Returns the name that they have there. Needs
// no lock.
Result<std::string> publish(system::Files& files, const Layout& layout,
                            const Publication& publication);

// Both below: what stands in the inbox and is no record, or one that does not fit, is left there
// with a notice.

// Takes in what is a run of its own. Outside a transaction.
Status ingest_runs(Core& core);
// Takes in what belongs to attempts at stages of JOURNAL's run. A record of an attempt that is no
// longer its stage's newest is kept, and counts for nothing.
Status ingest_attempts(Core& core, RunJournal& journal);

}  // namespace orch::store
