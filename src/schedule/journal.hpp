// The scheduler's append-and-commit log of events. `store` implements it with SQLite, tests with a
// vector. The scheduler spawns, signals and deletes only after the commit() that follows the event
// has returned; only the outputs of a failed attempt go before the commit of its end, because they
// may have filled the disk. Outputs are renamed into place under the recorded intent, and are not
// read before ArtifactPublished is committed.
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
  std::string token;              // unique; a fence: only the newest attempt of a stage may publish
  std::string process;            // token of its process: its own, or that of its batch
  std::vector<std::string> argv;  // without secrets
  std::map<std::string, std::string> env;  // the variables that the manifest sets
  std::string work;                        // folder
  std::string log;                         // path under the store
  std::map<std::string, int> ports;
  std::vector<int> gpus = {};     // indices, as NVML counts
  std::vector<int> cpus = {};     // those that it is kept on; empty: all
  std::string tool_version = {};  // "" when unknown
  std::string probe = {};         // plan::probe_text of a service, else ""
  WallTime at = 0;
};

struct AttemptSpawned {
  AttemptKey attempt;
  execute::Handle handle;
  WallTime at = 0;
};

// An attempt of a dead run continues in this run: its process lives, or it ended while no
// orchestrator ran.
struct AttemptAdopted {
  AttemptKey attempt;
  std::string token;
  WallTime at = 0;
};

// An attempt of a dead run that is not taken over; its processes have been ended. Not a failure,
// and not counted against the retry budget. Its stage may be missing in this run's plan.
struct AttemptLost {
  std::string token;
  std::string why;
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
  std::string message;  // for users, with the last lines of the log
  double wall_s = 0;    // in a batch: an equal share of the process's time
  double cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
  // What else classify() knew of the end, as execute::Ended has it, and the table that it used:
  // failure_table_digest(), "" when ok. A later version may judge a failure again.
  bool oom_killed = false;
  int log_error = 0;
  std::string full_disk = {};
  std::string judged_by = {};
  std::string node = {}, job = {};  // of a cluster, where it ran
  WallTime at = 0;
};

using attempt::PublishedFile;

struct ArtifactPublished {
  AttemptKey attempt;
  std::string path;  // folder, relative to the store
  bool in_place = false;
  // "" or why no other run may reuse it: "/data/model.gguf changed while the stage ran".
  std::string not_cacheable;
  std::vector<PublishedFile> files;
  WallTime at = 0;
};

// A measure stage's record is complete: the folder holds measurement.json and requests.jsonl.
struct MeasurementProduced {
  AttemptKey attempt;
  AttemptKey session;                          // the service it ran against
  std::string path;                            // folder, relative to the store
  int order = 0;                               // 1, 2, ... within the session
  std::string isolation = {};                  // strict, gpu or none; "": measured elsewhere
  std::vector<plan::StageId> neighbours = {};  // stages that this run worked on meanwhile
  WallTime at = 0;
};

// Nothing that is still to run needs the output of a task, and the matrix keeps none. Its files go
// after the commit.
struct OutputRemoved {
  plan::StageId stage;
  std::vector<std::string> tokens;  // of the attempts whose output it is
  WallTime at = 0;
};

using Event =
    std::variant<StageMoved, AttemptIntended, AttemptSpawned, AttemptAdopted, AttemptLost,
                 ServiceReady, AttemptEnded, ArtifactPublished, MeasurementProduced, OutputRemoved>;

// Called from the scheduler's thread only.
class Journal {
 public:
  virtual ~Journal() = default;
  // The number of STAGE's next attempt: one more than any on record.
  virtual int next_attempt(const plan::StageId& stage) = 0;
  // The committed harness failures of STAGE since the last run that ended by itself: the retry
  // budget is kept across crashes.
  virtual int failures_so_far(const plan::StageId& stage) = 0;
  // Whether the attempt of TOKEN is the newest of its stage, which alone may publish.
  virtual bool is_current(const AttemptKey& attempt, const std::string& token) = 0;
  // EVENT is durable only after commit().
  virtual void append(const Event& event) = 0;
  // Makes all appended events durable. After an error nothing more may be started.
  virtual Status commit() = 0;
  // Why a committed measurement is invalid, as a sentence; empty when it is valid.
  virtual std::string invalid_reasons(const AttemptKey& measurement) = 0;
  // The attempts that made the committed output of STAGE, a task, where only this experiment uses
  // it; none where it is not there, or another experiment of the store uses it.
  virtual std::vector<std::string> makers_of(const plan::StageId& stage) = 0;
};

}  // namespace orch::schedule
