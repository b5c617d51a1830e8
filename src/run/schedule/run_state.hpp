// The state of one run, shared by the parts of the scheduler: tables and tools, no decisions.
// Private to the scheduler.
#pragma once

#include "os/system/clock.hpp"
#include "os/system/ports.hpp"
#include "run/attempt/attempt_folders.hpp"
#include "run/execute/executor.hpp"
#include "run/schedule/file_work.hpp"
#include "run/schedule/host_share.hpp"
#include "run/schedule/journal.hpp"
#include "run/schedule/scheduler.hpp"
#include "run/schedule/stage_queue.hpp"
#include "spec/runner/manifest.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::schedule {

// Work for a later moment of this run. If the run dies, the work is lost; recovery handles the
// attempts that it was meant for.

inline constexpr double k_never = std::numeric_limits<double>::infinity();

class Timers {
 public:
  explicit Timers(system::Clock& clock) : clock_(clock) {}

  void after(double delay_s, std::function<void()> work) {
    due_.emplace(clock_.now_s() + delay_s, std::move(work));
  }
  bool empty() const { return due_.empty(); }
  double next_due_s() const { return due_.empty() ? k_never : due_.begin()->first; }
  // Runs and removes all due work, including work added meanwhile.
  void run_due() {
    while (next_due_s() <= clock_.now_s()) due_.extract(due_.begin()).mapped()();
  }

 private:
  system::Clock& clock_;
  std::multimap<double, std::function<void()>> due_;
};

// What a run knows about each of its server sessions, even after the server has ended.

struct ServerSession {
  int measured = 0;  // measurements recorded against it
  std::optional<AttemptFailure> failure;
};

// A session is identified by the attempt that started its server.
class ServerSessions {
 public:
  ServerSession& operator[](const AttemptKey& session) { return sessions_[session]; }
  // The failure of the server of SESSION; null while it is healthy, and for an unknown session.
  const AttemptFailure* failure(const AttemptKey& session) const {
    const auto found = sessions_.find(session);
    return found != sessions_.end() && found->second.failure ? &*found->second.failure : nullptr;
  }

 private:
  std::map<AttemptKey, ServerSession> sessions_;
};

// The processes of this run, from the recorded intent to the recorded end. Data only: other classes
// start, stop and conclude them.

// One process, which works for one stage or a batch of stages.
struct ActiveProcess {
  struct Member {
    Index stage;
    AttemptKey key;
    attempt::Prepared prepared;
  };
  std::string token;
  runner::Kind kind = runner::Kind::task;
  std::vector<Member> members;
  std::vector<system::PortLease> leases;
  bool launched = false;   // some process of its tree may be alive
  bool adopted = false;    // a dead run started it
  bool was_ready = false;  // an adopted server whose ServiceReady is recorded
  // A replica: the state of the stage is that of its first server.
  bool further = false;
  bool up = false;         // a server whose readiness probe has passed
  bool retired = false;    // a server that gets no more measurements
  bool rechecked = false;  // the judgement of this failed measurement was deferred once
  double started_s = 0;
  double deadline_s = k_never;
  double kill_at_s = k_never;
  std::optional<AttemptFailure> stopped_for;  // why this run asked it to end, or a server ended
  AttemptKey session;                         // for a measurement: the server that it measures
  std::string holder;                         // its name in RunState::host
  std::set<plan::StageId> neighbours;         // for a measurement: stages that ran at the same time
  std::string log_tail;                       // the end of its log, once it has failed

  const Member& first() const { return members.front(); }
  Index stage() const { return first().stage; }
};

class ActiveProcesses {
 public:
  ActiveProcess& add(ActiveProcess process);
  // Removes the process and returns it; TOKEN must be known.
  ActiveProcess take(const std::string& token);
  // Null if TOKEN is unknown.
  ActiveProcess* find(const std::string& token);
  std::size_t count(runner::Kind kind) const;
  bool empty() const { return by_token_.empty(); }

  // In token order.
  auto begin() { return by_token_.begin(); }
  auto end() { return by_token_.end(); }
  auto begin() const { return by_token_.begin(); }
  auto end() const { return by_token_.end(); }

 private:
  std::map<std::string, ActiveProcess> by_token_;
};

// Events on their way into the journal, and the effects that wait for them: an effect (spawn,
// signal, delete) runs only after all events noted before it are durable.

class CommitLog {
 public:
  using Effect = std::function<void()>;

  // JOURNAL, CLOCK and the observers must outlive this.
  CommitLog(Journal& journal, system::Clock& clock, std::vector<Observer*> observers)
      : journal_(journal), clock_(clock), observers_(std::move(observers)) {}

  // Appends EVENT to the journal and passes it to the observers. It becomes durable at the next
  // commit.
  void note(const Event& event);
  void after_commit(Effect effect) { effects_.push_back(std::move(effect)); }

  bool has_effects() const { return !effects_.empty(); }
  bool has_uncommitted() const { return uncommitted_; }
  // A commit costs as much as a small stage. Events that no effect waits for (process spawned,
  // server ready) are therefore committed with later ones, but at this time at the latest.
  double commit_due_s() const { return commit_due_s_; }
  // Commits the noted events, then runs the effects that waited for them. Effects may note more
  // events.
  Status commit();

 private:
  Journal& journal_;
  system::Clock& clock_;
  std::vector<Observer*> observers_;
  std::vector<Effect> effects_;
  bool uncommitted_ = false;
  double commit_due_s_ = k_never;
};

// How long stages take, learnt from those that ended; used to estimate the remaining time.

class Expectations {
 public:
  // KNOWN: stage name -> mean seconds in earlier runs.
  explicit Expectations(std::map<std::string, double> known) : known_(std::move(known)) {}

  // Adds the duration of a stage that ended. ESTIMATE is what was estimated for it; negative if
  // nothing was.
  void learn(const std::string& stage, double seconds, double estimate = -1);
  // The mean seconds of stages named STAGE, in this run or else in earlier runs; without any, of
  // all stages of this run; negative without any data.
  double of(const std::string& stage) const;
  // How long a stage named STAGE and estimated at ESTIMATE will take: the estimate, scaled by the
  // ratio of actual to estimated times of the stages of that name that ended in this run. If
  // ESTIMATE is negative: the mean of that name in this run or else in earlier runs; negative
  // without any.
  double corrected(const std::string& stage, double estimate) const;

 private:
  struct Mean {
    double sum = 0;
    int count = 0;
    double of_estimated = 0, estimates = 0;  // sums over the stages that had an estimate
  };
  std::map<std::string, double> known_;
  std::map<std::string, Mean> seen_;
};

struct RunState {
  RunState(const plan::Plan& plan, Tools tools, Options options);
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  const plan::Stage& stage(Index i) const { return plan.stages[i]; }
  runner::Kind kind(Index i) const { return stage(i).spec.kind; }
  double now() const { return tools.host.clock.now_s(); }
  WallTime wall() const { return tools.host.clock.wall_s(); }
  // The server of SESSION; null if it has ended.
  ActiveProcess* server_of(const AttemptKey& session);
  // Whether a measurement of SERVER is under way, including work on its outputs.
  bool is_measured(const ActiveProcess& server) const;
  // Why MEASUREMENT cannot be made on its present server: "restarted, because ..."; "" if it can.
  std::string why_restarted(Index measurement) const;
  // The number of servers of SERVICE, counted from their intent to their end.
  std::size_t servers_of(Index service) const;
  // How long SERVICE's remaining measurements take on one server, in seconds; negative while
  // unknown.
  double measuring_s(Index service) const;
  // The expected duration of STAGE, or of its start if it is a service; negative while unknown.
  double expected_s(Index stage) const;
  // Whether nothing else may run beside STAGE, a measurement.
  bool is_alone(Index stage) const {
    return !placement.joins_server &&
           (plan.isolation == matrix::Isolation::strict || this->stage(stage).alone);
  }
  // Notes PROCESS as a neighbour of the measurements under way. If PROCESS is a measurement, also
  // notes all other processes as its neighbours. A server is no neighbour of its measurements.
  void meet(ActiveProcess& process);
  // A batch may take as long as all its stages together.
  double deadline_of(const ActiveProcess& process) const {
    if (placement.has_queue && process.kind == runner::Kind::task) return k_never;
    return process.started_s +
           stage(process.stage()).spec.timeout_s * static_cast<double>(process.members.size());
  }

  const plan::Plan& plan;
  const Tools tools;
  const Options options;
  const execute::Placement placement;  // the executor's
  const Graph graph;
  const Demands demands;
  Expectations expected;
  CommitLog log;
  Timers timers;
  std::set<Index> ended;  // stages that ended since this was last read
  StageQueue stages;      // notes every move in `log`
  const ServiceUse service_use;
  HostShare host;
  ActiveProcesses processes;
  ServerSessions sessions;
  FileWork file_work;  // last: its threads use the others
};

// How far a run has come, for the status line.

Progress progress_of(const RunState& run);

}  // namespace orch::schedule
