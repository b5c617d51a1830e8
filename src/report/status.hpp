// How a run stands: what is done, what works now, what is left. Reads the store; asks no process.
#pragma once

#include "base/result.hpp"
#include "sql/database.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::report {

struct RunStatus {
  std::int64_t run = 0;
  std::string experiment, command, started_at;
  std::string state;   // running, done, failed, interrupted, error, died
  std::string holder;  // who runs it, in words; "" when nobody
  std::map<std::string, std::int64_t>
      points;  // done, failed, left, rejected, undecided, cancelled -> how many
  std::map<std::string, std::int64_t> stages;  // state -> how many
  struct Working {
    std::string stage, state;
    double for_s = 0;
  };
  std::vector<Working> working;
  struct Failure {
    std::string stage, klass, message;  // first line
    std::int64_t points = 0;
  };
  std::vector<Failure> failures;  // final ones
  std::optional<double>
      left_s;  // if what is left takes as long as its kind did, one after the other; empty: unknown
};

// Mean seconds that each kind of stage took so far, a server until it was ready, by the stage's
// name.
Result<std::map<std::string, double>> usual_seconds(sql::Database& database);

struct StatusQuestion {
  std::optional<std::int64_t> run;    // empty: the newest
  std::optional<std::string> holder;  // who has the store's lock now
  double now = 0;                     // seconds since the epoch
};

// not_found when there is no such run.
Result<RunStatus> read_status(sql::Database& database, const StatusQuestion& question);

std::string status_text(const RunStatus& status);
std::string status_json(const RunStatus& status);

}  // namespace orch::report
