// Chooses what starts next when stages may run concurrently, under the isolations `gpu` and `none`.
// Each server is measured by one measurement at a time, and stages start in plan order as far as
// the host has room. Only stages that do not delay the first waiting stage may pass it.
#pragma once

#include "run/schedule/launcher.hpp"
#include "run/schedule/outputs/needless_outputs.hpp"
#include "run/schedule/run_state.hpp"
#include "run/schedule/services.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::schedule {

class Packer {
 public:
  Packer(RunState& run, Starter& starter, Stopper& stopper, const NeedlessOutputs& needless)
      : run_(run), starter_(starter), stopper_(stopper), needless_(needless) {}

  // Starts every stage that may start now.
  void start_ready();

 private:
  using Servers = std::vector<ActiveProcess*>;

  void measure_idle_servers();
  // Servers may together hold resources that their measurements request, so that none can be
  // measured. In that case, stops no more servers than needed to measure one. Returns whether
  // nothing else may start until they have ended.
  bool make_room_for_a_measurement();
  // The next measurement that SERVER may make; nullopt if there is none.
  std::optional<Index> next_measurement(const ActiveProcess& server) const;
  class Reservation;
  struct Waiting;
  // Starts tasks and servers. Returns the stages that have to wait; nullopt if there are none.
  std::optional<Waiting> start_tasks_and_servers();
  void note_waiting(Index stage);
  // Whether each remaining measurement of SERVER waits for another stage. False if one only waits
  // for its retry, because it would soon need the server again.
  bool waits_for_others(const ActiveProcess& server) const;
  // Whether one more task can start; on a cluster, one more job.
  bool has_room() const;
  bool can_serve() const;  // whether one more server can start
  // Whether SERVER has nothing to measure until other stages have ended.
  bool is_idle(const ActiveProcess& server) const;
  // Stops idle servers, no more than needed, so that one of WAITING can start.
  void free_idle_servers(const Waiting& waiting);
  // A part of SERVERS for which ENOUGH holds, and from which none can be left out. ENOUGH must hold
  // for all SERVERS. Prefers to leave the first ones out.
  static Servers fewest(Servers servers, const std::function<bool(const Servers&)>& enough);
  // Whether one of WAITING could start once SERVERS, and all processes that are ending, have ended.
  bool can_start_after(const Servers& servers, const Waiting& waiting) const;
  // Stops idle servers on a cluster if a task waits for a node; only the queue shows whether the
  // nodes suffice.
  void free_nodes_for_queued_tasks();
  bool is_a_task_queued() const;
  bool is_any_queued() const;
  // Whether PROCESS waits in the cluster's queue.
  bool is_queued(const ActiveProcess& process) const;
  bool can_start_further() const;
  // Starts replicas of a stage's server if that finishes its measurements earlier by at least the
  // time that the start takes.
  void start_further_servers();
  bool pays(Index service) const;

  RunState& run_;
  Starter& starter_;
  Stopper& stopper_;
  const NeedlessOutputs& needless_;
  std::optional<Index> waiting_;  // the first stage that waits, until it starts
  std::size_t passed_ = 0;        // stages that have passed it
  // The next measurement of each server, by the server's token, if other stages leave no room for
  // it.
  std::map<std::string, Index> blocked_;
  // Since when each server has been idle while a task is queued, by the server's token.
  std::map<std::string, double> idle_since_s_;
};

}  // namespace orch::schedule
