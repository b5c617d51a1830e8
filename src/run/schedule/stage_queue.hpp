// What is left to do, by stage: its state, the stages it still misses, whether it could start now
// or waits for a retry. Knows no process and no clock.
#pragma once

#include "plan/graph/plan.hpp"
#include "run/schedule/demands.hpp"
#include "run/schedule/graph.hpp"
#include "run/schedule/stage_run.hpp"
#include "run/schedule/stage_state.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace orch::schedule {

class StageQueue {
 public:
  using Moved = std::function<void(Index stage, State from, State to, const std::string& why)>;
  // Ordered by (repeat, stage): every load is measured once before any is measured again.
  using Ready = std::set<std::pair<std::int64_t, Index>>;

  // All must outlive this. MOVED is called after every move.
  StageQueue(const plan::Plan& plan, const Graph& graph, const Demands& demands, Moved moved);

  // Moves stages that the store holds to `reused`, and those that need nothing to `ready`.
  void begin();
  // Whether this run has to do STAGE.
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
  // The same by what the stages ask of the host; no set is empty.
  const std::map<Demands::Class, Ready>& ready_by_class(runner::Kind kind) const {
    return by_class_[static_cast<std::size_t>(kind)];
  }
  // Not begun, or postponed: it can still be cancelled or skipped.
  bool is_open(Index stage) const;
  // Whether a stage could start, now or after its wait.
  bool anything_left() const;
  // Whether a stage that needs SERVICE is still to be done, now and not only in the end.
  bool still_wanted(Index service) const;
  // Whether a stage that needs SERVICE is still to be done.
  bool wanted_later(Index service) const;
  // Whether only measurements are left that are made alone, and their servers.
  bool only_alone_left() const { return shared_left_ == 0; }
  // Whether a stage that has not begun waits for SERVICE alone. Without such a stage, the server
  // would have nothing to do.
  bool can_serve(Index service) const;
  // Whether every stage that needs SERVICE was done.
  bool has_served(Index service) const;

  // Moves to `ready` the stages that waited only for stages that have become usable.
  void settle();
  // STAGE is retried at DUE_S.
  void postpone(Index stage, double due_s, const std::string& why);
  // Releases the postponed stages that are due at NOW_S.
  void release(double now_s);
  // The earliest time at which a postponed stage is due; infinity when none is postponed.
  double next_due_s() const;
  // SERVICE is no longer usable, but will be restarted: stages that need it wait for it.
  void lose(Index service);

  // Cancels every stage that has not begun, once and for the rest of the run.
  void drain(const std::string& why);
  bool draining() const { return draining_; }
  void cancel(Index stage, const std::string& why);  // and its dependants
  void skip_dependants(Index stage, const std::string& why);

 private:
  void moved(Index stage, State from, State to, const std::string& why);
  // Whether STAGE is done beside others: a task, or a measurement that is not made alone.
  bool is_shared(Index stage) const {
    return kind(stage) == runner::Kind::task ||
           (kind(stage) == runner::Kind::measure && !plan_.stages[stage].alone);
  }
  const plan::Plan& plan_;
  const Graph& graph_;
  const Demands& demands_;
  Moved on_move_;
  StageStates states_;
  std::vector<StageRun> runs_;
  std::vector<Index> newly_usable_;  // their dependants still count them as missing
  Ready ready_[3];                   // stages in State::ready, by kind
  std::map<Demands::Class, Ready> by_class_[3];
  std::size_t shared_left_ = 0;  // stages to be done, without those that are made alone
  std::set<Index> waiting_;      // stages in State::waiting
  bool draining_ = false;
};

}  // namespace orch::schedule
