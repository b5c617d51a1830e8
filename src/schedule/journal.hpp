// What the scheduler tells whoever keeps the record. `store` implements it over SQLite, tests over a vector. The
// scheduler spawns, signals, renames and deletes only after the commit() that follows the event has returned.
#pragma once

#include "base/result.hpp"
#include "execute/published_file.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace orch::schedule {

// Persisted as text: names are frozen. The moves allowed between them stand in stage_state.hpp.
enum class State {
  planned,    // waits for what it needs
  ready,      // could start
  intent,     // an attempt is recorded, nothing runs yet
  starting,   // a service's process runs, it is not ready yet
  running,    // a task or measurement runs, a service is up
  stopping,   // a service is being ended
  produced,   // the process ended well, outputs are being checked and published
  done,
  reused,
  failed,
  skipped,    // something it needs failed
  cancelled,  // the run was interrupted first
};

std::string_view to_string(State state);

// Seconds since the epoch for the log; never used to measure.
using WallTime = double;

// One execution of a stage. `number` counts from 1 within the store for that digest.
struct AttemptKey {
  plan::StageId stage;
  int number = 1;

  auto operator<=>(const AttemptKey&) const = default;
};

struct StageMoved {
  plan::StageId stage;
  State from, to;
  std::string why;
  WallTime at = 0;
};

struct AttemptIntended {
  AttemptKey attempt;
  std::string token;               // unique; also the environment cookie
  std::vector<std::string> argv;   // as it will run, secrets absent
  std::map<std::string, std::string> env;  // what the manifest sets
  std::string work;                // folder
  std::string log;                 // path under the store
  std::map<std::string, int> ports;
  std::string tool_version = {};   // "" when unknown
  WallTime at = 0;
};

struct AttemptSpawned {
  AttemptKey attempt;
  int pid = 0;
  std::uint64_t start_ticks = 0;   // field 22 of /proc/PID/stat
  WallTime at = 0;
};

struct ServiceReady {
  AttemptKey attempt;
  double start_s = 0;              // spawn to ready
  WallTime at = 0;
};

struct AttemptEnded {
  AttemptKey attempt;
  bool ok = false;
  int exit_code = -1;              // -1 when a signal ended it
  int signal = 0;
  std::string failure_class;       // "" when ok
  std::string message;             // in words, with the last lines of the log
  double wall_s = 0;               // of a process that served a batch: its share
  double cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
  WallTime at = 0;
};

using execute::PublishedFile;

struct ArtifactPublished {
  AttemptKey attempt;
  std::string path;                // folder, relative to the store
  bool in_place = false;
  std::vector<PublishedFile> files;
  WallTime at = 0;
};

// A measure stage's record is complete: the folder holds measurement.json and requests.jsonl.
struct MeasurementProduced {
  AttemptKey attempt;
  AttemptKey session;              // the service it ran against
  std::string path;                // folder, relative to the store
  int order = 0;                   // 1, 2, ... within the session
  WallTime at = 0;
};

using Event = std::variant<StageMoved, AttemptIntended, AttemptSpawned, ServiceReady, AttemptEnded, ArtifactPublished, MeasurementProduced>;

// Called from the scheduler's thread only.
class Journal {
 public:
  virtual ~Journal() = default;
  // The number that the next attempt of STAGE gets: one more than any attempt on record.
  virtual int next_attempt(const plan::StageId& stage) = 0;
  // Takes note of EVENT; durable only after commit().
  virtual void append(const Event& event) = 0;
  // Makes everything appended so far durable. An error ends the run: nothing more may be started.
  virtual Status commit() = 0;
  // Whether a measurement on record counts: empty when valid, else its reasons in words. After commit().
  virtual std::string invalid_reasons(const AttemptKey& measurement) = 0;
};

}  // namespace orch::schedule
