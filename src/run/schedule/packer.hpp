// Chooses what starts next where stages may work side by side: the isolations gpu and none. Each
// server is measured by one measurement at a time, and whatever the host has room for starts in the
// order of the plan. The first stage that has to wait is passed only by those that do not delay it.
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

// The earliest moment at which the first stage that has to wait can start, and which stages may
// start before it without making it wait longer (EASY backfilling: D. Lifka, The ANL/IBM SP
// scheduling system, 1995).

class Reservation {
 public:
  // For a stage that asks for REQUEST, which does not fit beside what runs now.
  Reservation(const RunState& run, resources::Request request);

  // Whether OTHER, which would hold GRANT of WANTED from now on, delays the stage. PASSED: so many
  // stages have started before it since it waits. While durations are unknown, or once PASSED is
  // high, only those may pass that use nothing of what it needs.
  bool is_delayed_by(Index other, const resources::Request& wanted, const resources::Grant& grant,
                     std::size_t passed) const;
  // Seconds of the clock; infinity while the end of something that it needs is unknown.
  double at_s() const { return at_s_; }

 private:
  const RunState& run_;
  resources::Request request_;
  resources::Ledger then_;  // what is in use when it starts
  double at_s_;
};

// When PROCESS is expected to give back what it holds; infinity while that is unknown. A server
// ends with the last of its measurements.
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
  // Servers may together hold what their measurements ask for, so that none of them can be
  // measured: stops as few as let one be. Returns whether nothing else is to start until they have
  // ended.
  bool make_room_for_a_measurement();
  // The next measurement that SERVER may make; empty: none.
  std::optional<Index> next_measurement(const ActiveProcess& server) const;
  // What has to wait for others.
  struct Waiting {
    Waiting(const RunState& run, resources::Request first) : reserved(run, std::move(first)) {}

    Reservation reserved;       // of the first one
    std::vector<Index> stages;  // that do not fit: the first one, and one of each further request
  };
  // Starts tasks and servers. Empty: nothing has to wait.
  std::optional<Waiting> start_tasks_and_servers();
  void note_waiting(Index stage);
  // Whether each measurement of SERVER that is left waits for another stage. One that is tried
  // again soon would want the server back at once.
  bool waits_for_others(const ActiveProcess& server) const;
  // Whether one more task can start; on a cluster, one more job.
  bool has_room() const;
  bool can_serve() const;  // likewise one more server
  // Whether SERVER has nothing to measure until others have ended.
  bool is_idle(const ActiveProcess& server) const;
  // Stops as few servers that have nothing to measure as let one of WAITING start.
  void free_idle_servers(const Waiting& waiting);
  // As few of SERVERS as are ENOUGH, which all of them are; the first ones are kept first.
  static Servers fewest(Servers servers, const std::function<bool(const Servers&)>& enough);
  // Whether one of WAITING could start if SERVERS had ended, and all that is ending.
  bool can_start_after(const Servers& servers, const Waiting& waiting) const;
  // The same on a cluster, whose queue alone knows for what its nodes suffice.
  void free_nodes_for_queued_tasks();
  bool is_a_task_queued() const;
  bool is_any_queued() const;
  // Whether PROCESS waits for a place on the cluster.
  bool is_queued(const ActiveProcess& process) const;
  bool can_start_further() const;
  // Starts a second server of a stage, a third and so on, where that ends its measurements earlier
  // by at least the time of that start.
  void start_further_servers();
  bool pays(Index service) const;

  RunState& run_;
  Starter& starter_;
  Stopper& stopper_;
  const NeedlessOutputs& needless_;
  std::optional<Index> waiting_;  // the first stage that waits, since the last start of it
  std::size_t passed_ = 0;        // stages that started before it meanwhile
  // The next measurements of servers that others leave no room for, by the token of the server.
  std::map<std::string, Index> blocked_;
  // Since when servers have had nothing to measure while a task is in the queue, by token.
  std::map<std::string, double> idle_since_s_;
};

}  // namespace orch::schedule
