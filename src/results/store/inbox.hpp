// Measurements from processes that do not hold the store lock. They are published to inbox/
// atomically, by rename, and the next writer of the store ingests each of them exactly once.
#pragma once

#include "results/store/store.hpp"
#include "spec/matrix/parameter.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::store {

// One point and its record: the contents of measurement.json, requests.jsonl and answers.jsonl.zst.
struct PublishedPoint {
  std::string name;
  std::map<std::string, matrix::Value> parameters;
  std::string measurement = {}, requests = {};
  std::string answers = {};  // "": answers were not kept
  // When the measurement ended; nullopt: at Publication::info.started_at.
  std::optional<double> measured_at = {};
  // If set, writes requests.jsonl and answers.jsonl.zst to FOLDER in place of the texts above,
  // because they may be larger than memory.
  std::function<Status(const std::string& folder)> write_requests = {};
};

// Several points with the same name are repeats of one point.
struct Publication {
  std::string token = {};  // of the attempt that made the record, which then has one point; "": the
                           // record becomes its own run
  std::string experiment;
  RunInfo info = {};  // used if the record becomes a run
  std::vector<PublishedPoint> points = {};
  std::string by = "bench";  // the command that publishes: "bench" or "import"
  std::string uid = {};      // 32 hexadecimal digits; "": a random one
};

// Publishes the records to the inbox of the store at LAYOUT and returns their uid. Durable on
// return; needs no store lock. Does nothing if the inbox already has records with that uid.
Result<std::string> publish(system::Files& files, const Layout& layout,
                            const Publication& publication);

// If an entry cannot be ingested, both functions below leave it in the inbox and add a notice.

// Ingests the records that become their own runs. Call outside a transaction.
Status ingest_runs(Core& core);
// Ingests the records of attempts at stages of JOURNAL's run. A record of a superseded attempt is
// kept but does not appear in views.
Status ingest_attempts(Core& core, RunJournal& journal);

}  // namespace orch::store
