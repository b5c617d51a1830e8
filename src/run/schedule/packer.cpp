#include "run/schedule/packer.hpp"

#include "run/schedule/dispatcher.hpp"

#include <algorithm>

namespace orch::schedule {

using runner::Kind;

namespace {

// How many stages may pass a waiting stage because their expected durations are short enough; after
// that, a stage must leave room for it.
constexpr std::size_t k_most_passed = 64;

// By which fraction of its wait a waiting stage may be delayed.
constexpr double k_tolerated = 0.02;

// How long STAGE holds its resources; negative while unknown.
double expected_with_measurements(const RunState& run, Index stage) {
  const double own_s = run.expected_s(stage);
  if (run.kind(stage) != runner::Kind::service || own_s < 0) return own_s;
  const double measuring_s = run.measuring_s(stage);
  return measuring_s < 0 ? -1 : own_s + measuring_s;
}

// The remaining time of a stage after FOR_S; one that exceeds its expected time is not assumed to
// end at once.
double left_s(double expected_s, double for_s) {
  return std::max(expected_s - for_s, expected_s / 10);
}

// How many stages are examined for one that is short enough to pass.
constexpr std::size_t k_most_looks = 64;
// On a cluster, the least time that a server stays idle before it makes way for a queued task.
constexpr double k_least_idle_s = 10;
// How long to wait for GPU memory to be freed before stopping an idle server.
constexpr double k_clean_s = 10;

// When PROCESS is expected to release its resources; infinity while unknown. A server ends with the
// last of its measurements.
double expected_end_s(const RunState& run, const ActiveProcess& process) {
  const double now_s = run.now(), for_s = now_s - process.started_s;
  const double own_s = run.expected_s(process.stage());
  if (own_s < 0) return k_never;
  if (process.kind != runner::Kind::service)
    return now_s + left_s(own_s * static_cast<double>(process.members.size()), for_s);
  const double measuring_s = run.measuring_s(process.stage());
  if (measuring_s < 0) return k_never;
  return now_s + measuring_s / static_cast<double>(run.servers_of(process.stage())) +
         (process.up ? 0 : left_s(own_s, for_s));
}

}  // namespace

// The earliest time at which the first waiting stage can start, and which stages may start before
// it without delaying it (EASY backfilling: D. Lifka, The ANL/IBM SP scheduling system, 1995).
class Packer::Reservation {
 public:
  // For a stage whose REQUEST does not fit beside the stages that run now.
  Reservation(const RunState& run, resources::Request request)
      : run_(run), request_(std::move(request)), then_(run.host.ledger()), at_s_(k_never) {
    std::vector<std::pair<double, const ActiveProcess*>> ends;
    for (const auto& [token, process] : run.processes)
      ends.emplace_back(expected_end_s(run, process), &process);
    std::ranges::sort(ends);
    for (const auto& [end_s, process] : ends) {
      then_.give_back(process->holder);
      at_s_ = end_s;
      if (then_.find(request_)) return;
    }
    at_s_ = k_never;
  }

  // Whether the waiting stage is delayed if OTHER starts now with the request WANTED and holds
  // GRANT. PASSED is the number of stages that have passed the waiting stage. While durations are
  // unknown, or once PASSED is high, only stages that leave room for the waiting stage may pass.
  bool is_delayed_by(Index other, const resources::Request& wanted, const resources::Grant& grant,
                     std::size_t passed) const {
    const double expected_s = expected_with_measurements(run_, other);
    const bool ends_before = expected_s >= 0 && at_s_ != k_never &&
                             run_.now() + expected_s <= at_s_ + k_tolerated * (at_s_ - run_.now());
    if (ends_before && passed < k_most_passed) return false;
    resources::Ledger ledger = then_;
    ledger.take("other", wanted, grant);
    return !ledger.find(request_);
  }

 private:
  const RunState& run_;
  resources::Request request_;
  resources::Ledger then_;  // the resources in use when the stage starts
  double at_s_;             // infinity while an end that it has to wait for is unknown
};

// Stages that have to wait for others.
struct Packer::Waiting {
  Waiting(const RunState& run, resources::Request first) : reserved(run, std::move(first)) {}

  Reservation reserved;       // for the first stage that waits
  std::vector<Index> stages;  // stages that do not fit: the first, and one for each other request
};

void Packer::start_ready() {
  measure_idle_servers();
  if (make_room_for_a_measurement()) return;
  if (const auto waiting = start_tasks_and_servers()) free_idle_servers(*waiting);
  else start_further_servers();
  if (run_.placement.has_queue) free_nodes_for_queued_tasks();
}

void Packer::measure_idle_servers() {
  blocked_.clear();
  if (run_.stages.ready(Kind::measure).all.empty()) return;
  for (auto& [token, server] : run_.processes) {
    if (server.kind != Kind::service || !server.up || server.stopped_for || server.retired ||
        run_.is_measured(server))
      continue;
    const auto stage = next_measurement(server);
    if (!stage) continue;
    const std::string why = run_.why_restarted(*stage);
    if (why.empty()) {
      if (starter_.start(*stage, server.first().key) == Starter::Answer::busy)
        blocked_.emplace(token, *stage);
    } else if (!server.further) {
      stopper_.stop(server, {std::nullopt, why});
    }
  }
}

bool Packer::make_room_for_a_measurement() {
  if (blocked_.empty() || run_.stages.draining()) return false;
  bool is_one_ending = false;
  Servers servers;
  for (auto& [token, process] : run_.processes) {
    if (process.kind == Kind::service && process.stopped_for) {
      is_one_ending = true;
      continue;
    }
    // Any other process will eventually release its resources.
    if (process.kind != Kind::service || run_.is_measured(process) ||
        !(process.up || is_queued(process)))
      return false;
    servers.push_back(&process);
  }
  if (is_one_ending) return true;
  std::ranges::sort(servers,
                    [](const auto* a, const auto* b) { return a->started_s < b->started_s; });
  const auto first = std::ranges::find_if(
      servers, [this](const auto* server) { return blocked_.contains(server->token); });
  const resources::Request wanted = starter_.request_of(blocked_.at((*first)->token));
  servers.erase(first);
  const auto fits_without = [&](const Servers& ended) {
    resources::Ledger then = run_.host.ledger();
    for (const ActiveProcess* server : ended) then.give_back(server->holder);
    return then.find(wanted).has_value();
  };
  if (!fits_without(servers)) return false;
  for (ActiveProcess* server : fewest(servers, fits_without))
    stopper_.stop(*server,
                  {std::nullopt, "restarted later, because it leaves no room for measurements"});
  return true;
}

std::optional<Index> Packer::next_measurement(const ActiveProcess& server) const {
  std::optional<std::pair<std::int64_t, Index>> first;
  for (const Index stage : run_.graph.dependants[server.stage()]) {
    if (run_.stages.get(stage) != State::ready || run_.is_alone(stage)) continue;
    const std::pair entry{run_.stage(stage).repeat, stage};
    if (!first || entry < *first) first = entry;
  }
  return first ? std::optional(first->second) : std::nullopt;
}

bool Packer::waits_for_others(const ActiveProcess& server) const {
  bool any = false;
  for (const Index stage : run_.graph.dependants[server.stage()]) {
    if (!run_.stages.in_run(stage) || run_.is_alone(stage)) continue;
    const State state = run_.stages.get(stage);
    const bool waits = state == State::planned || state == State::waiting;
    if (waits && run_.stages[stage].missing > 0) any = true;
    else if (!is_final(state)) return false;
  }
  return any;
}

void Packer::note_waiting(Index stage) {
  if (waiting_ == stage) return;
  waiting_ = stage;
  passed_ = 0;
}

std::optional<Packer::Waiting> Packer::start_tasks_and_servers() {
  StartOrder order(run_, &needless_);
  std::optional<Waiting> waiting;
  const auto wait = [&](Index stage) {
    waiting->stages.push_back(stage);
    order.block(stage);
  };
  while (true) {
    const auto stage = order.next(has_room(), can_serve());
    if (!stage) break;
    if (waiting) {
      const resources::Request wanted = starter_.request_of(*stage);
      const auto grant = run_.host.ledger().find(wanted);
      if (!grant) {
        wait(*stage);
        continue;
      }
      if (waiting->reserved.is_delayed_by(*stage, wanted, *grant, passed_)) {
        order.skip(*stage);
        if (order.skipped() > k_most_looks) order.block(*stage);
        continue;
      }
    }
    switch (starter_.start(*stage)) {
      case Starter::Answer::started:
        if (waiting) ++passed_;
        else if (waiting_ == *stage) waiting_.reset();
        break;
      case Starter::Answer::busy:
        if (!waiting) {
          note_waiting(*stage);
          waiting.emplace(run_, starter_.request_of(*stage));
        }
        wait(*stage);
        break;
      case Starter::Answer::gone: break;
    }
  }
  return waiting;
}

// Counts servers only on a cluster; elsewhere, the host's resources limit them.
bool Packer::has_room() const {
  std::size_t count = run_.processes.count(Kind::task);
  if (run_.placement.has_queue) count += run_.processes.count(Kind::service);
  return count < run_.options.jobs;
}

bool Packer::can_serve() const {
  return !run_.stages.draining() && (!run_.placement.has_queue || has_room());
}

bool Packer::is_idle(const ActiveProcess& server) const {
  return server.kind == Kind::service && server.up && !server.stopped_for &&
         !run_.is_measured(server) && waits_for_others(server);
}

bool Packer::can_start_after(const Servers& servers, const Waiting& waiting) const {
  const resources::Ledger& now = run_.host.ledger();
  resources::Ledger then = now;
  for (const auto& [token, process] : run_.processes)
    if (process.stopped_for) then.give_back(process.holder);
  std::set<int> gpus;
  for (const ActiveProcess* server : servers) {
    if (const auto* grant = now.held(server->holder))
      gpus.insert(grant->gpus.begin(), grant->gpus.end());
    then.give_back(server->holder);
  }
  return std::ranges::any_of(waiting.stages, [&](Index stage) {
    const resources::Request wanted = starter_.request_of(stage);
    // The stage only waits for GPUs whose memory is still in use although no attempt holds them,
    // usually for a moment.
    const bool is_dirty = now.find(wanted).has_value();
    if (is_dirty &&
        run_.now() <
            run_.stages.ready_data(stage).dirty_gpus_since_s.value_or(run_.now()) + k_clean_s)
      return false;
    const auto grant = is_dirty ? then.find(wanted, gpus) : then.find(wanted);
    return grant && (stage == waiting.stages.front() ||
                     !waiting.reserved.is_delayed_by(stage, wanted, *grant, passed_));
  });
}

void Packer::free_idle_servers(const Waiting& waiting) {
  Servers servers;
  for (auto& [token, server] : run_.processes)
    if (is_idle(server)) servers.push_back(&server);
  const auto is_enough = [&](const Servers& ended) { return can_start_after(ended, waiting); };
  if (servers.empty() || !is_enough(servers)) return;
  for (ActiveProcess* server : fewest(servers, is_enough))
    stopper_.stop(*server,
                  {std::nullopt, "restarted later, because other stages need its place first"});
}

Packer::Servers Packer::fewest(Servers servers, const std::function<bool(const Servers&)>& enough) {
  for (std::size_t i = 0; i < servers.size();) {
    Servers fewer = servers;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (enough(fewer)) servers = std::move(fewer);
    else ++i;
  }
  return servers;
}

// Servers may hold all nodes while a task that their measurements need waits for a node. Each
// server is kept idle for as long as its next start would take, so the cost is at most twice that
// of the better choice.
void Packer::free_nodes_for_queued_tasks() {
  std::map<std::string, double> idle_since_s;
  for (auto& [token, server] : run_.processes) {
    const bool is_waiting = is_idle(server) || blocked_.contains(token);
    if (!is_waiting || (idle_since_s.empty() && !is_a_task_queued())) continue;
    const auto known = idle_since_s_.find(token);
    const double since_s = known == idle_since_s_.end() ? run_.now() : known->second;
    idle_since_s[token] = since_s;
    if (run_.now() >= since_s + std::max(k_least_idle_s, run_.expected_s(server.stage())))
      stopper_.stop(server, {std::nullopt, "restarted later, because a task waits for a node"});
  }
  idle_since_s_ = std::move(idle_since_s);
}

// While a job of this run waits in the cluster's queue, a replica would only queue behind it.
bool Packer::can_start_further() const {
  return can_serve() && (!run_.placement.has_queue || !is_any_queued());
}

bool Packer::is_a_task_queued() const {
  // A ready task that is not queued may wait because of a queued job.
  if (!run_.stages.ready(Kind::task).all.empty() && (!has_room() || is_any_queued())) return true;
  return std::ranges::any_of(run_.processes, [this](const auto& entry) {
    return entry.second.kind == Kind::task && is_queued(entry.second);
  });
}

bool Packer::is_any_queued() const {
  return std::ranges::any_of(run_.processes,
                             [this](const auto& entry) { return is_queued(entry.second); });
}

bool Packer::is_queued(const ActiveProcess& process) const {
  return process.launched && !process.stopped_for && run_.tools.executor.waits(process.token);
}

void Packer::start_further_servers() {
  if (run_.stages.draining()) return;
  // Collected before any start, because a start adds to run_.processes; each stage once.
  std::set<Index> services;
  for (const auto& [token, server] : run_.processes)
    if (server.kind == Kind::service && server.up && !server.stopped_for)
      services.insert(server.stage());
  for (const Index service : services)
    if (can_start_further() && pays(service)) starter_.start_further(service);
}

// With n servers and W seconds of measurements left, one more server that takes s to start lets
// them end after (W + s) / (n + 1) instead of W / n.
bool Packer::pays(Index service) const {
  const double start_s = run_.expected_s(service);
  double left_s = 0;
  std::size_t ready = 0;
  for (const Index stage : run_.graph.dependants[service]) {
    if (run_.stages.get(stage) != State::ready || run_.is_alone(stage)) continue;
    const double expected_s = run_.expected_s(stage);
    if (expected_s < 0) return false;
    left_s += expected_s;
    ++ready;
  }
  const std::size_t servers = run_.servers_of(service);
  if (start_s < 0 || ready <= servers) return false;
  const auto n = static_cast<double>(servers);
  return left_s / n - (left_s + start_s) / (n + 1) >= start_s;
}

}  // namespace orch::schedule
