// The scheduler's inside: one object, written in four files by what it does: scheduler.cpp goes
// round, starting.cpp starts, serving.cpp looks after servers, ending.cpp says what comes of an
// end. Private to the scheduler.
#pragma once

#include "schedule/active.hpp"
#include "schedule/expect.hpp"
#include "schedule/gpu_slots.hpp"
#include "schedule/graph.hpp"
#include "schedule/scheduler.hpp"
#include "schedule/stage_queue.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace orch::schedule {

class Scheduler::Impl {
 public:
  Impl(const plan::Plan& plan, Tools tools, Options options, std::vector<Adopted>& adopted);
  Result<Outcome> run();

 private:
  using Kind = runner::Kind;

  const plan::Stage& stage(Index i) const { return plan_.stages[i]; }
  Kind kind(Index i) const { return stage(i).spec.kind; }
  double now() { return tools_.clock.now_s(); }
  double wall() { return tools_.clock.wall_s(); }

  // scheduler.cpp: telling, stopping, waiting
  void note(const Event& event);
  // EFFECT happens after everything noted so far is durable.
  void after_commit(std::function<void()> effect) { effects_.push_back(std::move(effect)); }
  // EFFECT happens DELAY_S from now.
  void later(double delay_s, std::function<void()> effect) {
    later_.emplace(now() + delay_s, std::move(effect));
  }
  Status flush(bool everything);
  void run_what_is_due();
  void obey_interrupts();
  // Asks the tree to end; enforce_deadlines() kills it when it does not.
  void end(Active& active, Failure why);
  // Of whose end nothing was heard at HEARD_S.
  void enforce_deadlines(double heard_s);
  double patience();
  void tick();
  Outcome outcome() const;

  // starting.cpp
  std::size_t active_of(Kind wanted) const;
  void start_what_may();
  void measure(Index i);
  void make_way_for_tasks();
  // The first of READY for which there are GPUs.
  std::optional<Index> first_with_gpus(const StageQueue::Ready& ready);
  bool has_gpus(Index i);
  std::vector<Index> batch_of(Index first) const;
  void start(const std::vector<Index>& stages);
  Result<Active> describe(const std::vector<Index>& stages);
  AttemptIntended intended(const Active& active, const Active::Member& member);
  void launch(const std::string& token);
  // Takes over what a dead run left.
  void adopt(std::vector<Adopted>& adopted);
  void take_over(const Adopted& one);

  // serving.cpp
  Active* service_of(Index measurement);
  void watch_services();
  void watch_start(Active& active, Index i);
  void service_ended(Active& active, const execute::Ended& ended);
  // What the server of a measurement failed for; null while it is well.
  const Failure* server_failure(const AttemptKey& session) const;

  // ending.cpp
  void on_ended(const execute::Ended& ended);
  Failure cause_of(const Active& active, const execute::Ended& ended);
  // The process ended well: its outputs become visible, or the stage fails for what is wrong with
  // them.
  void publish(std::string token, execute::Ended ended);
  std::optional<Failure> publish_member(const Active::Member& member);
  std::string why_not_cacheable(Index i);
  // The attempt is over without outputs to publish. By value: what a caller passes may live in the
  // entry that ends here.
  void conclude(std::string token, execute::Ended ended, std::optional<Failure> failure);
  void finish(const Active& active, const Active::Member& member, const execute::Ended& ended,
              std::optional<Failure> failure);
  // A measurement counts when the record says that it is valid; else it is made again, on the same
  // server.
  void measured(const Active::Member& member, const AttemptKey& session);
  void judge(Index i, const AttemptKey& key, const AttemptKey& session, bool in_haste);
  // Its server failed while it was measured.
  void share_failure(Index i, const Failure& of_server);
  // How often I has failed for the harness's fault; asked of the journal once, before it hears of
  // the next time.
  int& failures_of(Index i);
  // An attempt of I failed: it is put off, or it has failed for good.
  void failed(Index i, const Failure& failure);
  void give_up(Index i, const Failure& failure);

  const plan::Plan& plan_;
  Tools tools_;
  Options options_;
  Graph graph_;
  Expectations expected_;
  StageQueue queue_;
  GpuSlots gpus_;
  std::vector<Adopted>& adopted_;
  std::map<std::string, Active> active_;           // by token
  std::map<AttemptKey, int> measured_;             // measurements per server session
  std::map<AttemptKey, Failure> server_failures_;  // per server session
  std::map<Index, int>
      block_;  // attempts at measuring on the present server: each has prompts of its own
  std::map<Index, int> again_;             // invalid measurements made so far
  std::map<Index, int> failures_;          // for the harness's fault, over all runs of this sweep
  std::map<Index, double> dirty_since_s_;  // waits for memory of GPUs
  std::map<Index, std::string> tainted_;   // made from inputs that changed meanwhile: why
  std::map<std::string, std::size_t> by_class_;
  std::vector<std::function<void()>> effects_;
  std::multimap<double, std::function<void()>> later_;
  std::set<std::string> thought_twice_;  // tokens whose bad end was looked at again
  bool dirty_ = false;                   // noted, not yet durable
  double commit_at_s_ = k_never;         // when it is made durable at the latest
  int obeyed_ = 0;
  double last_tick_s_ = -k_never;
};

inline constexpr double k_grace_s = 10;    // between TERM and KILL for tasks and measurements
inline constexpr double k_watch_s = 0.01;  // how often a server that starts is looked at
inline constexpr double k_commit_s = 0.05;
inline constexpr double k_tick_s = 0.5;  // how often the status line is renewed
inline constexpr double k_second_thought_s =
    1;  // a measurement that went wrong waits for news of its server
inline constexpr std::size_t k_tail_lines = 15;  // in messages
inline constexpr std::size_t k_classified_lines =
    60;  // in which the cause of a failure is looked for

}  // namespace orch::schedule
