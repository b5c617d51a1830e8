// What the scheduler tells whoever keeps the record. `store` implements it over SQLite, tests over
// a vector. The scheduler spawns, signals and deletes only after the commit() that follows the
// event has returned. Outputs are moved into place under the intent that is on record, and nobody
// reads them before ArtifactPublished is committed.
#pragma once

#include "base/result.hpp"
#include "execute/executor.hpp"
#include "attempt/failure.hpp"
#include "attempt/layout.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace orch::schedule {

// Persisted as text: the names are frozen. The comments say what holds while a stage is in the
// state; stage_state.hpp has the moves between them.
enum class State {
  planned,    // a stage that it needs is not usable yet
  ready,      // everything it needs is usable, and it has no attempt under way
  waiting,    // its attempt or its server failed or ended; it is retried at a set time
  intent,     // an attempt is appended to the journal, and nothing is spawned
  starting,   // service: spawned, and its readiness probe has not passed
  running,    // task, measurement: spawned. Service: its readiness probe has passed
  stopping,   // service: this run asked it to end
  produced,   // its process ended well; its outputs or its record are being checked
  done,       // task: published. Measurement: on record and valid. Service: ended, not needed
  reused,     // the store has its result; a service: the results of all its measurements
  failed,     // a failure of the system, or its retry budget is used up
  skipped,    // a stage that it needs failed, or no stage needs it
  cancelled,  // interrupted, or --fail-fast, before it was decided
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
  std::string token;    // unique; the fence: only the newest attempt of a stage may publish
  std::string process;  // token of the process it has: its own, or that of the batch it is in
  std::vector<std::string> argv;           // as it will run, secrets absent
  std::map<std::string, std::string> env;  // what the manifest sets
  std::string work;                        // folder
  std::string log;                         // path under the store
  std::map<std::string, int> ports;
  std::vector<int> gpus = {};     // indices, as NVML counts
  std::string tool_version = {};  // "" when unknown
  WallTime at = 0;
};

struct AttemptSpawned {
  AttemptKey attempt;
  execute::Handle handle;
  WallTime at = 0;
};

// An attempt of a run that died goes on in this one: its process lives, or it ended well with
// nobody there to see.
struct AttemptAdopted {
  AttemptKey attempt;
  std::string token;
  WallTime at = 0;
};

// An attempt of a run that died, of which nothing is taken over: what was left of it has been
// ended. It is nobody's failure and uses up no budget. Its stage need not be in this run's plan.
struct AttemptLost {
  std::string token;
  std::string why;  // in words
  WallTime at = 0;
};

struct ServiceReady {
  AttemptKey attempt;
  double start_s = 0;  // spawn to ready
  WallTime at = 0;
};

struct AttemptEnded {
  AttemptKey attempt;
  bool ok = false;
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  std::string failure_class;                                 // "" when ok
  attempt::FailureKind kind = attempt::FailureKind::system;  // of the failure
  std::string message;  // in words, with the last lines of the log
  double wall_s = 0;    // of a process that served a batch: its share
  double cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
  WallTime at = 0;
};

using attempt::PublishedFile;

struct ArtifactPublished {
  AttemptKey attempt;
  std::string path;  // folder, relative to the store
  bool in_place = false;
  std::string not_cacheable;  // "" or why nobody else may use it: "/data/model.gguf changed while
                              // the stage ran"
  std::vector<PublishedFile> files;
  WallTime at = 0;
};

// A measure stage's record is complete: the folder holds measurement.json and requests.jsonl.
struct MeasurementProduced {
  AttemptKey attempt;
  AttemptKey session;  // the service it ran against
  std::string path;    // folder, relative to the store
  int order = 0;       // 1, 2, ... within the session
  WallTime at = 0;
};

using Event = std::variant<StageMoved, AttemptIntended, AttemptSpawned, AttemptAdopted, AttemptLost,
                           ServiceReady, AttemptEnded, ArtifactPublished, MeasurementProduced>;

// Called from the scheduler's thread only.
class Journal {
 public:
  virtual ~Journal() = default;
  // The number that the next attempt of STAGE gets: one more than any attempt on record.
  virtual int next_attempt(const plan::StageId& stage) = 0;
  // How often STAGE has failed for the harness's fault since the last run that ended by itself: its
  // budget survives our own death. What is not committed yet does not count.
  virtual int failures_so_far(const plan::StageId& stage) = 0;
  // Whether TOKEN's attempt is the newest of its stage: only that one may publish.
  virtual bool is_current(const AttemptKey& attempt, const std::string& token) = 0;
  // Takes note of EVENT; durable only after commit().
  virtual void append(const Event& event) = 0;
  // Makes everything appended so far durable. An error ends the run: nothing more may be started.
  virtual Status commit() = 0;
  // Whether a measurement on record counts: empty when valid, else its reasons in words. After
  // commit().
  virtual std::string invalid_reasons(const AttemptKey& measurement) = 0;
};

}  // namespace orch::schedule
