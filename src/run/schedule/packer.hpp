// Chooses what starts next when stages may run concurrently: isolations gpu and none. Each server
// is measured by one measurement at a time, and stages start in plan order as far as the host has
// room. Only stages that do not delay the first waiting stage may pass it.
#pragma once

#include "plan/resources/ledger.hpp"
#include "run/schedule/launcher.hpp"
#include "run/schedule/outputs/needless_outputs.hpp"
#include "run/schedule/run_state.hpp"
#include "run/schedule/services.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::schedule {

// The earliest time at which the first waiting stage can start, and which stages may start before
// it without delaying it (EASY backfilling: D. Lifka, The ANL/IBM SP scheduling system, 1995).

class Reservation {
 public:
  // For a stage that requests REQUEST, which does not fit beside what runs now.
  Reservation(const RunState& run, resources::Request request);

  // Whether OTHER, which would hold GRANT of WANTED from now on, delays the stage. PASSED: the
  // number of stages that have started before it while it waits. While durations are unknown, or
  // once PASSED is high, only stages that use nothing of what it needs may pass.
  bool is_delayed_by(Index other, const resources::Request& wanted, const resources::Grant& grant,
                     std::size_t passed) const;
  // Seconds of the clock; infinity while the end of something that it needs is unknown.
  double at_s() const { return at_s_; }

 private:
  const RunState& run_;
  resources::Request request_;
  resources::Ledger then_;  // in use when it starts
  double at_s_;
};

// When PROCESS is expected to release its resources; infinity while unknown. A server ends with the
// last of its measurements.
double expected_end_s(const RunState& run, const ActiveProcess& process);

class Packer {
 public:
  Packer(RunState& run, Starter& starter, Stopper& stopper, const NeedlessOutputs& needless)
      : run_(run), starter_(starter), stopper_(stopper), needless_(needless) {}

  // Starts every stage that may start now.
  void start_ready();

 private:
  using Servers = std::vector<ActiveProcess*>;

  void measure_idle_servers();
  // Servers may together hold what their measurements request, so that none can be measured: stops
  // as few as needed for one to be. Returns whether nothing else may start until they have ended.
  bool make_room_for_a_measurement();
  // The next measurement that SERVER may make; nullopt if there is none.
  std::optional<Index> next_measurement(const ActiveProcess& server) const;
  // Stages that have to wait for others.
  struct Waiting {
    Waiting(const RunState& run, resources::Request first) : reserved(run, std::move(first)) {}

    Reservation reserved;       // for the first one
    std::vector<Index> stages;  // that do not fit: the first, and one for each other request
  };
  // Starts tasks and servers. nullopt if nothing has to wait.
  std::optional<Waiting> start_tasks_and_servers();
  void note_waiting(Index stage);
  // Whether each remaining measurement of SERVER waits for another stage. False if one is retried
  // soon: it would need the server back at once.
  bool waits_for_others(const ActiveProcess& server) const;
  // Whether another task can start; on a cluster, another job.
  bool has_room() const;
  bool can_serve() const;  // the same for a server
  // Whether SERVER has nothing to measure until other stages have ended.
  bool is_idle(const ActiveProcess& server) const;
  // Stops the fewest idle servers that let one of WAITING start.
  void free_idle_servers(const Waiting& waiting);
  // The fewest of SERVERS that are ENOUGH; all of them are. Prefers to keep the first ones.
  static Servers fewest(Servers servers, const std::function<bool(const Servers&)>& enough);
  // Whether one of WAITING could start once SERVERS, and all processes that are ending, have ended.
  bool can_start_after(const Servers& servers, const Waiting& waiting) const;
  // The same on a cluster, where only the queue knows what its nodes suffice for.
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
  std::optional<Index> waiting_;  // the first stage that waits; reset when it starts
  std::size_t passed_ = 0;        // stages that started before it meanwhile
  // The next measurements of servers that lack room because of others, by the server's token.
  std::map<std::string, Index> blocked_;
  // Since when servers have been idle while a task is queued, by token.
  std::map<std::string, double> idle_since_s_;
};

}  // namespace orch::schedule
