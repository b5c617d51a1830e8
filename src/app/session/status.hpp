// The status of a run: finished, running and remaining stages. Reads the store; does not inspect
// processes.
#pragma once

#include "analysis/report/describe.hpp"
#include "core/base/result.hpp"
#include "core/sql/database.hpp"
#include "run/slurm/job_board.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::report {

struct RunStatus {
  std::int64_t run = 0;
  std::string experiment, command, started_at;
  std::string state;   // running, done, failed, interrupted, error, died
  std::string holder;  // the process that runs it; "" if none
  std::map<std::string, std::int64_t>
      points;  // done, failed, left, rejected, undecided, cancelled, not measured -> count
  std::map<std::string, std::int64_t> stages;  // state -> count
  // Points with only some of their repeats measured.
  struct Partly {
    std::int64_t points = 0, measured = 0, repeats = 0;
  };
  std::vector<Partly> partly;
  struct Working {
    std::string stage, state;
    double for_s = 0;
    std::optional<slurm::ShownJob> job = {};  // its job if it runs on a cluster
  };
  std::vector<Working> working;
  struct Failure {
    std::string stage, failure_class, message;  // the first line of the message
    std::int64_t points = 0;
  };
  std::vector<Failure> failures;  // final ones
  // The remaining seconds if stages run one by one for their mean durations; nullopt: unknown.
  std::optional<double> left_s;
};

// Stage name -> the mean duration of earlier attempts in seconds; for a server, until it was ready.
Result<std::map<std::string, double>> mean_stage_seconds(sql::Database& database);

struct StatusQuestion {
  std::optional<std::int64_t> run;         // nullopt: the newest run
  std::optional<std::string> holder = {};  // the current holder of the store lock
  double now = 0;                          // seconds since the epoch
  slurm::ShownJobs jobs = {};              // that the store shows
};

// Error: ErrorKind::not_found if the run does not exist.
Result<RunStatus> read_status(sql::Database& database, const StatusQuestion& question);

std::string status_text(const RunStatus& status);
std::string status_json(const RunStatus& status);

// Finds the log files of a stage or a point. Does not read them.

struct StageLog {
  std::string stage;
  int attempt = 0;
  std::string state;           // of the attempt: "done", "not ended", "failed: cuda_oom"
  bool over = false;           // the attempt has ended
  std::filesystem::path file;  // may not exist
};

// The log of the newest attempt of a stage. For a point, the logs of its failed stages or, if none
// failed, of all attempted stages, in the order of the manifest; a shared file is listed once.
// Error: ErrorKind::not_found if nothing was attempted.
Result<std::vector<StageLog>> logs_of(sql::Database& database, const std::filesystem::path& root,
                                      const Named& named);

}  // namespace orch::report
