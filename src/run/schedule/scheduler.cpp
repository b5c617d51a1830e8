#include "run/schedule/scheduler.hpp"

#include "run/schedule/dispatcher.hpp"
#include "run/schedule/endings.hpp"
#include "run/schedule/launcher.hpp"
#include "run/schedule/outputs/needless_outputs.hpp"
#include "run/schedule/retries.hpp"
#include "run/schedule/run_state.hpp"
#include "run/schedule/services.hpp"

namespace orch::schedule {

namespace {

constexpr double k_watch_s = 0.01;  // between two checks of a starting server
constexpr double k_tick_s = 0.5;    // between two updates of the status line

// The main loop. Each part of the work is a separate class; they share the RunState.
class Scheduler {
 public:
  Scheduler(const plan::Plan& plan, Tools tools, Options options, std::vector<Adopted>& adopted)
      : run_(plan, std::move(tools), std::move(options)),
        stopper_(run_),
        retries_(run_),
        services_(run_, stopper_),
        endings_(run_, services_, retries_),
        launcher_(run_, endings_, retries_),
        needless_(run_),
        dispatcher_(run_, launcher_, stopper_, retries_, needless_),
        adoption_(run_, endings_, adopted) {}

  Result<Outcome> run();

 private:
  // Does everything that can be done now, including commits.
  Status step();
  // Commits while effects wait. With EVERYTHING, also commits events for which no effect waits.
  Status flush(bool everything);
  bool is_over() const;
  // How long to wait for the end of a process or of file work, in seconds.
  double patience_s() const;
  void tick();
  Outcome outcome() const;

  RunState run_;
  Stopper stopper_;
  Retries retries_;
  Services services_;
  Endings endings_;
  Launcher launcher_;
  NeedlessOutputs needless_;
  Dispatcher dispatcher_;
  Adoption adoption_;
  double last_tick_s_ = -k_never;
};

Result<Outcome> Scheduler::run() {
  run_.stages.begin();
  adoption_.take_over_all();
  while (true) {
    if (const Status stepped = step(); !stepped) {
      // On a conflict, another run has taken over the store, and with it the launches that both
      // runs can reach.
      const bool is_ours =
          run_.placement.reached_as.empty() || stepped.error().kind != ErrorKind::conflict;
      if (is_ours)
        for (const auto& [token, process] : run_.processes) run_.tools.executor.kill(token);
      return stepped.error();
    }
    if (is_over()) break;
    if (run_.now() - last_tick_s_ >= k_tick_s) tick();
    // Ends are processed before deadlines are checked, so that a process that ended in time is not
    // late if this process was suspended meanwhile.
    const double heard_s = run_.now();
    for (const execute::Ended& ended : run_.tools.executor.poll(patience_s())) {
      adoption_.keep_end(ended);
      endings_.on_ended(ended);
    }
    stopper_.enforce_deadlines(heard_s);
  }
  tick();
  return outcome();
}

Status Scheduler::step() {
  bool moved = true;
  while (moved) {
    run_.file_work.settle();
    stopper_.obey_interrupts();
    run_.stages.release(run_.now());
    run_.timers.run_due();
    run_.stages.settle();
    services_.watch();
    dispatcher_.start_ready();
    moved = run_.log.has_effects();
    ORCH_TRY(flush(is_over() || run_.now() >= run_.log.commit_due_s()));
    needless_.remove();
    moved = moved || run_.log.has_effects() || run_.file_work.has_done();
  }
  return {};
}

Status Scheduler::flush(bool everything) {
  while (run_.log.has_effects() || (everything && run_.log.has_uncommitted())) {
    ORCH_TRY(run_.log.commit());
    run_.stages.settle();
  }
  return {};
}

bool Scheduler::is_over() const {
  return run_.processes.empty() && run_.timers.empty() && run_.file_work.empty() &&
         !run_.stages.anything_left();
}

double Scheduler::patience_s() const {
  double until_s = std::min({run_.now() + k_tick_s, run_.stages.next_due_s(),
                             run_.log.commit_due_s(), run_.timers.next_due_s()});
  for (const auto& [token, process] : run_.processes) {
    if (!process.launched) continue;
    if (run_.stages.get(process.stage()) == State::starting) return k_watch_s;
    until_s = std::min({until_s, process.deadline_s, process.kill_at_s});
  }
  return std::max(0.0, until_s - run_.now());
}

void Scheduler::tick() {
  last_tick_s_ = run_.now();
  if (run_.tools.observers.empty()) return;
  const Progress progress = progress_of(run_);
  for (Observer* observer : run_.tools.observers) observer->on_tick(progress);
}

Outcome Scheduler::outcome() const {
  const std::size_t cancelled = run_.stages.count(State::cancelled);
  return {.interrupted = stopper_.was_interrupted() && cancelled > 0,
          .done = run_.stages.count(State::done),
          .reused = run_.stages.count(State::reused),
          .failed = run_.stages.count(State::failed),
          .skipped = run_.stages.count(State::skipped),
          .cancelled = cancelled,
          .failures_by_class = retries_.failed_by_class()};
}

}  // namespace

Result<Outcome> run_plan(const plan::Plan& plan, Tools tools, Options options,
                         std::vector<Adopted>& adopted) {
  return Scheduler(plan, std::move(tools), std::move(options), adopted).run();
}

}  // namespace orch::schedule
