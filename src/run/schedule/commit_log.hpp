// Events on their way into the journal, and the effects that wait for them: an effect (spawn,
// signal, delete) runs only after everything noted before it is durable. Knows no stage.
#pragma once

#include "run/schedule/journal.hpp"
#include "run/schedule/scheduler.hpp"
#include "run/schedule/timers.hpp"
#include "os/system/clock.hpp"

#include <functional>
#include <vector>

namespace orch::schedule {

class CommitLog {
 public:
  using Effect = std::function<void()>;

  // JOURNAL, CLOCK and the observers must outlive this.
  CommitLog(Journal& journal, system::Clock& clock, std::vector<Observer*> observers)
      : journal_(journal), clock_(clock), observers_(std::move(observers)) {}

  // Appends EVENT to the journal and shows it to the observers. Not durable yet.
  void note(const Event& event);
  void after_commit(Effect effect) { effects_.push_back(std::move(effect)); }

  bool has_effects() const { return !effects_.empty(); }
  bool has_uncommitted() const { return uncommitted_; }
  // A commit costs as much as a small stage. Events without an effect (a process was spawned, a
  // server is ready) therefore wait for the next commit, until this time at the latest.
  double commit_due_s() const { return commit_due_s_; }
  // Commits what was noted, then runs the effects that waited. Effects may note more.
  Status commit();

 private:
  Journal& journal_;
  system::Clock& clock_;
  std::vector<Observer*> observers_;
  std::vector<Effect> effects_;
  bool uncommitted_ = false;
  double commit_due_s_ = k_never;
};

}  // namespace orch::schedule
