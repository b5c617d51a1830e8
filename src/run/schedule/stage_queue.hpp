// What is left to do, by stage: its state, which needs are still missing, and whether it could
// start now or waits for a retry.
#pragma once

#include "plan/graph/plan.hpp"
#include "plan/resources/ledger.hpp"
#include "run/schedule/stage_state.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace orch::schedule {

// The edges of a plan, by index: which stage needs which. Has no state of a run.

using Index = std::size_t;  // of a stage in the plan

struct Graph {
  explicit Graph(const plan::Plan& plan);

  // STAGES and all their needs, each once.
  std::vector<Index> with_needs(std::vector<Index> stages) const;

  std::vector<std::vector<Index>> needs;
  std::vector<std::vector<Index>> dependants;
  std::unordered_map<plan::StageId, Index> index;
};

// What each stage of a plan requests from the host, by class of equal requests. Has no state of a
// run.

class Demands {
 public:
  using Class = std::uint32_t;  // stages of one class have equal requests

  explicit Demands(const plan::Plan& plan);

  Class class_of(Index stage) const { return classes_[stage]; }
  const resources::Request& of(Index stage) const { return requests_[classes_[stage]]; }
  // The request of one process that makes the stages of BATCH: the sum of their disk space, and
  // everything else once.
  resources::Request of(const std::vector<Index>& batch) const;

 private:
  std::vector<Class> classes_;  // by stage
  std::vector<resources::Request> requests_;
};

// What an attempt of STAGE requests under ISOLATION. A measurement uses the cores of its server.
resources::Request request_of(const plan::Stage& stage, matrix::Isolation isolation);

// What a run knows about one stage besides its State. Data only.

struct StageRun {
  // Ready and Waiting are data of the states of these names; StageQueue drops them on the next
  // move.
  struct Ready {
    std::optional<double> dirty_gpus_since_s;  // when the stage began to wait for GPU memory
  };
  struct Waiting {
    double due_s = 0;  // time of the retry
  };
  std::variant<std::monostate, Ready, Waiting> in_state;

  // Written by StageQueue.
  std::size_t missing = 0;  // needed stages that are not usable
  bool usable = false;      // its artifact can be read, or its server is up

  // The number of attempts that were started; for a measurement, on the present server.
  int measured_here = 0;
  bool server_is_stuck = false;  // the last attempt got no answers from the present server
  int invalid_measurements = 0;
  // See Retries::harness_failures(); nullopt until the first failure, when the journal is queried.
  std::optional<int> harness_failures;
  bool is_tried_again = false;  // it failed, and the next run of this matrix tries it again
  bool is_removed = false;      // its output was removed, because nothing needs it any longer
  // Why no other run may reuse its artifact: an input changed while it was made. "" if none did.
  std::string not_cacheable;
};

class StageQueue {
 public:
  using Moved = std::function<void(Index stage, State from, State to, const std::string& why)>;
  // Ordered by (repeat, stage): every load is measured once before any is measured again.
  using Ordered = std::set<std::pair<std::int64_t, Index>>;
  // The stages of one kind that are `ready`.
  struct Ready {
    Ordered all;
    std::map<Demands::Class, Ordered> by_class;  // of their request; no set is empty
  };

  // PLAN, GRAPH and DEMANDS must outlive this. MOVED is called after every move.
  StageQueue(const plan::Plan& plan, const Graph& graph, const Demands& demands, Moved moved);

  // Moves stages that the store holds to `reused`, and stages without missing needs to `ready`.
  void begin();
  // Whether the plan runs STAGE.
  bool in_run(Index stage) const { return plan_.stages[stage].status == plan::Status::run; }
  runner::Kind kind(Index stage) const { return plan_.stages[stage].spec.kind; }
  State get(Index stage) const { return states_.get(stage); }
  void set(Index stage, State to, const std::string& why = {}) { states_.set(stage, to, why); }
  std::size_t count(State state) const { return states_.count(state); }
  StageRun& operator[](Index stage) { return runs_[stage]; }
  const StageRun& operator[](Index stage) const { return runs_[stage]; }
  // The data of state `ready`, in which STAGE must be.
  StageRun::Ready& ready_data(Index stage) {
    return std::get<StageRun::Ready>(runs_[stage].in_state);
  }

  const Ready& ready(runner::Kind kind) const { return ready_[static_cast<std::size_t>(kind)]; }
  // Whether STAGE has not begun or is postponed, so that it can still be cancelled or skipped.
  bool is_open(Index stage) const;
  // Whether a stage could start, now or after its wait.
  bool anything_left() const;
  // Whether all stages that are left are measurements made alone and their servers.
  bool only_alone_left() const { return shared_left_ == 0; }
  // Whether STAGE may run beside others: a task, or a measurement that is not made alone.
  bool is_shared(Index stage) const {
    return kind(stage) == runner::Kind::task ||
           (kind(stage) == runner::Kind::measure && !plan_.stages[stage].alone);
  }

  // Moves to `ready` the stages whose last missing needs have become usable.
  void settle();
  // Moves STAGE to `waiting`; it is retried at DUE_S.
  void postpone(Index stage, double due_s, const std::string& why);
  // Releases the postponed stages whose retries are due at NOW_S.
  void release(double now_s);
  // The earliest time at which a postponed stage is due; infinity if there is none.
  double next_due_s() const;
  // Notes that SERVICE is not usable until it is restarted: stages that need it wait for it.
  void lose(Index service);

  // Cancels every stage that has not begun, now and for the rest of the run.
  void drain(const std::string& why);
  bool draining() const { return draining_; }
  void cancel(Index stage, const std::string& why);  // and its dependants
  void skip_dependants(Index stage, const std::string& why);

 private:
  void moved(Index stage, State from, State to, const std::string& why);

  const plan::Plan& plan_;
  const Graph& graph_;
  const Demands& demands_;
  Moved on_move_;
  StageStates states_;
  std::vector<StageRun> runs_;
  std::vector<Index> newly_usable_;  // stages that their dependants still count as missing
  Ready ready_[3];                   // by kind
  std::size_t shared_left_ = 0;      // stages still to be done for which is_shared() holds
  std::set<Index> waiting_;          // stages in State::waiting
  bool draining_ = false;
};

// What is left to do for a service, according to the stages that need it. Borrows both arguments.

class ServiceUse {
 public:
  ServiceUse(const StageQueue& stages, const Graph& graph) : stages_(stages), graph_(graph) {}

  // Whether a stage that needs SERVICE is still to be done.
  bool is_wanted_later(Index service) const;
  // The same, but as long as other stages are left, ignores measurements that are made alone.
  bool is_wanted(Index service) const;
  // Whether a stage that has not begun waits only for SERVICE. Otherwise its server would have
  // nothing to do.
  bool can_serve(Index service) const;
  // Whether every stage that needs SERVICE is done.
  bool has_served(Index service) const;

 private:
  bool is_left(Index stage) const;
  // Whether STAGE may be done now: stages that are made alone wait until no others are left.
  bool is_in_turn(Index stage) const {
    return stages_.is_shared(stage) || stages_.only_alone_left();
  }

  const StageQueue& stages_;
  const Graph& graph_;
};

}  // namespace orch::schedule
