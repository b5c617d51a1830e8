// What is left to do, by stage: its state, what it still misses, whether it could start now or
// waits for a while. Knows no process and no clock.
#pragma once

#include "plan/plan.hpp"
#include "schedule/graph.hpp"
#include "schedule/stage_state.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace orch::schedule {

using Index = std::size_t;  // of a stage in the plan

class StageQueue {
 public:
  using Moved = std::function<void(Index stage, State from, State to, const std::string& why)>;
  using Ready =
      std::set<std::pair<std::int64_t, Index>>;  // all loads once, then again: (repeat, stage)

  // PLAN and GRAPH must outlive this. MOVED hears of every move.
  StageQueue(const plan::Plan& plan, const Graph& graph, Moved moved);

  // What the store holds is reused, what needs nothing is ready.
  void begin();
  // Whether this run is to do it.
  bool in_run(Index stage) const { return plan_.stages[stage].status == plan::Status::run; }
  runner::Kind kind(Index stage) const { return plan_.stages[stage].spec.kind; }
  State get(Index stage) const { return states_.get(stage); }
  void set(Index stage, State to, const std::string& why = {}) { states_.set(stage, to, why); }
  std::size_t count(State state) const { return states_.count(state); }

  const Ready& ready(runner::Kind kind) const { return ready_[static_cast<std::size_t>(kind)]; }
  // Whether something could start, now or after a while.
  bool anything_left() const;
  // Whether anything that needs SERVICE is still to be done.
  bool still_wanted(Index service) const;
  // Whether SERVICE is all that something needs which is still to be done: else it would be up for
  // nothing.
  bool can_serve(Index service) const;
  // Whether everything that needs SERVICE was done.
  bool has_served(Index service) const;
  // Whether all that STAGE needs is usable.
  bool is_supplied(Index stage) const { return missing_[stage] == 0; }

  // What waited for stages that have become usable may now be ready.
  void settle();
  // STAGE is tried again, but not before DUE_S.
  void put_off(Index stage, double due_s, const std::string& why);
  // What was put off until NOW_S may start again.
  void release(double now_s);
  // When the next one that was put off is due; infinity when none is.
  double next_due_s() const;
  // SERVICE was usable and no longer is, but will be again: what needs it waits for it once more.
  void lose(Index service);

  // Nothing that has not begun will.
  void drain(const std::string& why);
  bool draining() const { return draining_; }
  void cancel(Index stage, const std::string& why);  // and what needs it
  void skip_dependants(Index stage, const std::string& why);

 private:
  void moved(Index stage, State from, State to, const std::string& why);
  // Not begun, or put off: it can still be called off.
  bool is_open(Index stage) const;

  const plan::Plan& plan_;
  const Graph& graph_;
  Moved told_;
  StageStates states_;
  std::vector<std::size_t> missing_;  // per stage: needs that are not usable
  std::vector<char> usable_;
  std::vector<Index> satisfied_;     // usable, their dependants do not know yet
  Ready ready_[3];                   // per kind
  std::map<Index, double> put_off_;  // stage -> due
  bool draining_ = false;
};

}  // namespace orch::schedule
