// The scheduler's append-and-commit log of events. The store implements it with SQLite, tests with
// a vector. The scheduler spawns, signals and deletes only after the commit() that follows the
// event has returned. The one exception: outputs of a failed attempt are removed before the commit
// of its end, because they may have filled the disk. Outputs are renamed into place under the
// recorded intent, and are not read before ArtifactPublished is committed.
#pragma once

#include "core/base/fields_json.hpp"
#include "core/base/result.hpp"
#include "os/system/diagnostics.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/failure.hpp"
#include "run/attempt/layout.hpp"
#include "run/execute/executor.hpp"
#include "spec/runner/manifest.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace orch::schedule {

// Persisted as text: the names are frozen. The comments say what holds in each state;
// stage_state.cpp lists the moves between states.
enum class State {
  planned,    // a stage that it needs is not usable yet
  ready,      // all its needs are usable, and it has no attempt under way
  waiting,    // its attempt or server failed or ended; it will be retried at a set time
  intent,     // an attempt is appended to the journal; nothing is spawned yet
  starting,   // service: spawned, but its readiness probe has not passed yet
  running,    // task, measurement: spawned. Service: its readiness probe has passed
  stopping,   // service: this run is ending it
  produced,   // its process ended well; its outputs or record are being checked
  done,       // task: published. Measurement: recorded and valid. Service: ended, no longer needed
  reused,     // the store has its result; for a service, the results of all its measurements
  failed,     // failure of the system, or the retry budget is used up
  skipped,    // a stage that it needs failed, or no stage needs it
  cancelled,  // an interrupt or --fail-fast came before it was finished
};

constexpr auto names_of(Tag<State>) {
  return value_names("planned", "ready", "waiting", "intent", "starting", "running", "stopping",
                     "produced", "done", "reused", "failed", "skipped", "cancelled");
}

// A state whose name only a later version knows is read as `planned`.
template <auto Member> constexpr auto state_field(std::string_view key) {
  auto row = required<Member>(key);
  using T = decltype(class_of(Member));
  row.set = [](T& object, const Value& value) {
    const auto* name = std::get_if<std::string>(&value);
    if (name) object.*Member = parse_name<State>(*name).value_or(State::planned);
    return name != nullptr;
  };
  return row;
}

// Seconds since the epoch, for the journal; never used to measure durations.
using WallTime = double;

// One execution of a stage. `number` counts the attempts of the stage in the store, from 1.
struct AttemptKey {
  plan::StageId stage;
  int number = 1;

  auto operator<=>(const AttemptKey&) const = default;
};
constexpr auto fields_of(Tag<AttemptKey>) {
  return rows_of(required<&AttemptKey::stage>("stage"), required<&AttemptKey::number>("number"));
}
std::true_type is_list(Tag<AttemptKey>);

// The events below are persisted by their rows, as facts of a run record. A new row must be `field`
// or `sparse`, because older records lack it.

struct StageMoved {
  plan::StageId stage;
  State from, to;
  std::string why = {};
  WallTime at = 0;
};
constexpr auto fields_of(Tag<StageMoved>) {
  using E = StageMoved;
  return rows_of(required<&E::stage>("stage"), state_field<&E::from>("from"),
                 state_field<&E::to>("to"), required<&E::why>("why"), required<&E::at>("at"));
}

struct AttemptIntended {
  AttemptKey attempt;
  std::string token;              // unique; a fence: only a stage's newest attempt may publish
  std::string process;            // token of its process: its own, or that of its batch
  std::vector<std::string> argv;  // without secrets
  std::map<std::string, std::string> env = {};  // the variables that the manifest sets
  std::string work = {};                        // folder
  std::string log = {};                         // path under the store
  std::map<std::string, int> ports = {};
  std::vector<int> gpus = {};     // NVML indices
  std::vector<int> cpus = {};     // the CPUs that it is bound to; empty: all
  std::string tool_version = {};  // "" if unknown
  std::string probe = {};         // plan::probe_text of a service, else ""
  WallTime at = 0;
};
constexpr auto fields_of(Tag<AttemptIntended>) {
  using E = AttemptIntended;
  return rows_of(required<&E::attempt>("attempt"), required<&E::token>("token"),
                 required<&E::process>("process"), required<&E::argv>("argv"),
                 required<&E::env>("env"), required<&E::work>("work"), required<&E::log>("log"),
                 required<&E::ports>("ports"), sparse<&E::gpus>("gpus"), sparse<&E::cpus>("cpus"),
                 required<&E::tool_version>("tool_version"), field<&E::probe>("probe"),
                 required<&E::at>("at"));
}

struct AttemptSpawned {
  AttemptKey attempt;
  execute::Handle handle;
  WallTime at = 0;
};
// An unreadable handle is read as no handle.
constexpr auto fields_of(Tag<AttemptSpawned>) {
  using E = AttemptSpawned;
  using execute::Handle;
  using system::ProcessId;
  using system::Tree;
  auto handle = as_text<&E::handle>("handle");
  handle.set = [](E& spawned, const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (text) spawned.handle = from_json_text<Handle>(*text).value_or(Handle());
    return text != nullptr;
  };
  return rows_of(
      required<&E::attempt>("attempt"), handle,
      required<&E::handle, &Handle::tree, &Tree::leader, &ProcessId::pid>("pid"),
      required<&E::handle, &Handle::tree, &Tree::leader, &ProcessId::start_ticks>("start_ticks"),
      required<&E::handle, &Handle::tree, &Tree::boot_id>("boot_id"),
      required<&E::handle, &Handle::tree, &Tree::containment>("containment"),
      required<&E::at>("at"));
}

// An attempt of a dead run that continues in this run: its process is alive, or ended while no
// orchestrator ran.
struct AttemptAdopted {
  AttemptKey attempt;
  std::string token;
  WallTime at = 0;
};
constexpr auto fields_of(Tag<AttemptAdopted>) {
  using E = AttemptAdopted;
  return rows_of(required<&E::attempt>("attempt"), required<&E::token>("token"),
                 required<&E::at>("at"));
}

// An attempt of a dead run that is not taken over; its processes have been ended, or end by
// themselves on another host. Not a failure, and not counted against the retry budget. The stage
// may not be in this run's plan.
struct AttemptLost {
  std::string token;
  std::string why;
  WallTime at = 0;
};
constexpr auto fields_of(Tag<AttemptLost>) {
  using E = AttemptLost;
  return rows_of(required<&E::token>("token"), required<&E::why>("why"), required<&E::at>("at"));
}

struct ServiceReady {
  AttemptKey attempt;
  double start_s = 0;  // spawn to ready
  WallTime at = 0;
};
constexpr auto fields_of(Tag<ServiceReady>) {
  using E = ServiceReady;
  return rows_of(required<&E::attempt>("attempt"), required<&E::start_s>("start_s"),
                 required<&E::at>("at"));
}

struct AttemptEnded {
  AttemptKey attempt;
  bool ok = false;
  // The name of the failure class; "" if ok. A text, because another version may have
  // recorded a class that this version lacks.
  std::string failure_class = {};
  attempt::FailureKind kind = attempt::FailureKind::system;  // the kind of that class
  std::string message = {};  // for users, with the last lines of the log
  // The end of the process; in a batch, its times are divided equally among the members. Keeps what
  // classify() used, so that a later version can judge the failure again.
  execute::Ended process = {};
  std::string judged_by = {};  // failure_table_digest(); "" if ok
  WallTime at = 0;
};
constexpr auto fields_of(Tag<AttemptEnded>) {
  using E = AttemptEnded;
  auto harness = required<&E::kind>("harness");
  harness.column = "";
  harness.type = FieldType::flag;
  harness.get = [](const E& ended) -> Value { return ended.kind == attempt::FailureKind::harness; };
  harness.set = [](E& ended, const Value& value) {
    bool is_harness = false;
    const bool known = assign(is_harness, value);
    ended.kind = is_harness ? attempt::FailureKind::harness : attempt::FailureKind::system;
    return known;
  };
  return rows_of(field<&E::attempt>("attempt", "", {}, Presence::required), required<&E::ok>("ok"),
                 sparse<&E::failure_class>("failure_class"), harness,
                 required<&E::message>("message"), part<&E::process>(),
                 sparse<&E::judged_by>("judged_by"),
                 field<&E::at>("at", "ended_at", {}, Presence::required));
}

using attempt::PublishedFile;

struct ArtifactPublished {
  AttemptKey attempt;
  std::string path;  // folder, relative to the store
  bool in_place = false;
  // Why no other run may reuse the artifact, such as "/data/model.gguf changed while the stage
  // ran"; else "".
  std::string not_cacheable;
  std::vector<PublishedFile> files;
  WallTime at = 0;
};
constexpr auto fields_of(Tag<ArtifactPublished>) {
  using E = ArtifactPublished;
  return rows_of(required<&E::attempt>("attempt"), required<&E::path>("path"),
                 required<&E::in_place>("in_place"), required<&E::not_cacheable>("not_cacheable"),
                 required<&E::files>("files"), required<&E::at>("at"));
}

// A measure stage's record is complete: its folder holds measurement.json and requests.jsonl.
struct MeasurementProduced {
  AttemptKey attempt;
  AttemptKey session = {};                     // the server that it measured
  std::string path;                            // folder, relative to the store
  int order = 0;                               // 1, 2, ... within the session
  std::string isolation = {};                  // strict, gpu or none; "": unknown, as in the inbox
  std::vector<plan::StageId> neighbours = {};  // stages on which this run worked at the same time
  WallTime at = 0;
};
constexpr auto fields_of(Tag<MeasurementProduced>) {
  using E = MeasurementProduced;
  return rows_of(required<&E::attempt>("attempt"), required<&E::session>("session"),
                 required<&E::path>("path"), required<&E::order>("order"),
                 sparse<&E::isolation>("isolation"), sparse<&E::neighbours>("neighbours"),
                 required<&E::at>("at"));
}

// The output of a task is not needed by any stage that is still to run, and the matrix does not
// keep it. Its files are removed after the commit.
struct OutputRemoved {
  plan::StageId stage;
  std::vector<std::string> tokens;  // of the attempts that made the output
  WallTime at = 0;
};
constexpr auto fields_of(Tag<OutputRemoved>) {
  using E = OutputRemoved;
  return rows_of(required<&E::stage>("stage"), required<&E::tokens>("tokens"),
                 required<&E::at>("at"));
}

using Event =
    std::variant<StageMoved, AttemptIntended, AttemptSpawned, AttemptAdopted, AttemptLost,
                 ServiceReady, AttemptEnded, ArtifactPublished, MeasurementProduced, OutputRemoved>;

// Called from the scheduler's thread only. After an error every later commit fails, so that
// decisions that the caller made without an answer never become durable.
class Journal {
 public:
  virtual ~Journal() = default;
  // The number of STAGE's next attempt: one more than any recorded.
  virtual Result<int> next_attempt(const plan::StageId& stage) = 0;
  // The number of STAGE's committed harness failures since the last run that did not die: the retry
  // budget survives crashes.
  virtual Result<int> failures_so_far(const plan::StageId& stage) = 0;
  // Whether ATTEMPT, with TOKEN, is the newest of its stage; only the newest may publish.
  virtual Result<bool> is_current(const AttemptKey& attempt, const std::string& token) = 0;
  // EVENT is durable only after commit().
  virtual void append(const Event& event) = 0;
  // Makes all appended events durable. After an error nothing may be started.
  virtual Status commit() = 0;
  // Why a committed measurement is invalid, as a sentence; "" if it is valid.
  virtual std::string invalid_reasons(const AttemptKey& measurement) = 0;
  // The tokens of the attempts that made the committed output of STAGE, a task. Empty if there is
  // no output, or another experiment of the store uses it.
  virtual Result<std::vector<std::string>> makers_of(const plan::StageId& stage) = 0;
};

// Passes all calls on to JOURNAL, which it borrows.
class PassingJournal : public Journal {
 public:
  explicit PassingJournal(Journal& journal) : journal_(journal) {}
  Result<int> next_attempt(const plan::StageId& stage) override {
    return journal_.next_attempt(stage);
  }
  Result<int> failures_so_far(const plan::StageId& stage) override {
    return journal_.failures_so_far(stage);
  }
  Result<bool> is_current(const AttemptKey& attempt, const std::string& token) override {
    return journal_.is_current(attempt, token);
  }
  void append(const Event& event) override { journal_.append(event); }
  Status commit() override { return journal_.commit(); }
  std::string invalid_reasons(const AttemptKey& measurement) override {
    return journal_.invalid_reasons(measurement);
  }
  Result<std::vector<std::string>> makers_of(const plan::StageId& stage) override {
    return journal_.makers_of(stage);
  }

 private:
  Journal& journal_;
};

// Why an attempt failed: its failure class and a message. Does not know the consequences.

using attempt::FailureClass;

struct AttemptFailure {
  // nullopt for a server that is ended because it is not needed; its attempt then succeeded.
  std::optional<FailureClass> failure_class;
  std::string message;                       // first line: the reason; then the end of the log
  std::optional<double> retry_after_s = {};  // minimum wait before a retry

  bool is_harness() const { return kind() == attempt::FailureKind::harness; }
  bool is_interrupt() const { return failure_class == FailureClass::interrupted; }
  // A lost attempt says nothing about its stage; only its log is kept.
  bool is_lost() const { return failure_class == FailureClass::lost; }
  bool is_full_disk() const {
    return failure_class == FailureClass::disk_full || failure_class == FailureClass::disk_quota;
  }
  attempt::FailureKind kind() const {
    return failure_class ? attempt::traits_of(*failure_class).kind : attempt::FailureKind::system;
  }
  std::string_view name() const { return failure_class ? to_string(*failure_class) : ""; }
  std::string first_line() const { return message.substr(0, message.find('\n')); }
  std::string reason() const { return std::string(name()) + ": " + first_line(); }
};

// The record of an attempt without an end, left by a run that died. Only the executor can tell
// whether its process is alive (recover.hpp).

struct Unfinished {
  AttemptKey attempt;  // the id of a stage is the same in every plan that contains it
  runner::Kind kind = runner::Kind::task;
  std::string token;
  std::string process;  // token of its process: its own, or that of its batch
  std::map<std::string, int> ports;
  std::vector<int> gpus, cpus;
  std::string log;                        // relative to the store
  std::string host;                       // the host on which it was started
  std::optional<execute::Handle> handle;  // nullopt if no spawn is recorded
  // For a measurement, set by recover(): its server session, and how many measurements are recorded
  // in that session.
  AttemptKey session = {};
  int session_measured = 0;
  // For a service:
  bool ready = false;  // its ServiceReady is recorded
  int measured = 0;    // measurements recorded in its session
  // Attempts of each measurement since the service started, recorded or not.
  std::map<plan::StageId, int> attempts;
};

// A process that a dead run left and this run takes over. Data only.

// One process, for one attempt or for a batch of attempts.
struct Adopted {
  std::vector<Unfinished> members;
  execute::Recovered found = {};  // running or ended, never held or lost

  const std::string& token() const { return members.front().process; }
};

// Writes every event of a journal as a line to the diagnostics.

// One line: what happened to which stage or attempt, and why.
std::string describe(const Event& event);

// Borrows both arguments.
class LoggedJournal final : public PassingJournal {
 public:
  LoggedJournal(Journal& journal, system::Diagnostics& diagnostics)
      : PassingJournal(journal), diagnostics_(diagnostics) {}

  void append(const Event& event) override;
  Status commit() override;
  std::string invalid_reasons(const AttemptKey& measurement) override;

 private:
  system::Diagnostics& diagnostics_;
};

}  // namespace orch::schedule
